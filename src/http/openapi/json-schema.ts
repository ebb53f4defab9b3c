import { isDeepStrictEqual } from 'node:util';
import * as z from 'zod';
import type { JsonObject } from '../calls/call.ts';
import { toCamelCase } from '../calls/json-body.ts';
import type { Operation } from '../calls/operation.ts';
import { findNote } from './field-notes.ts';

/** The keywords of JSON Schema that the descriptions use. */
export type JsonSchema = {
  type?: string | string[];
  title?: string;
  properties?: Record<string, JsonSchema>;
  required?: string[];
  anyOf?: JsonSchema[];
  items?: JsonSchema;
  additionalProperties?: JsonSchema | boolean;
  enum?: unknown[];
  const?: unknown;
  description?: string;
  default?: unknown;
  examples?: unknown[];
  minimum?: number;
  maximum?: number;
  minLength?: number;
  maxLength?: number;
  minItems?: number;
  maxItems?: number;
  costs?: true;
  $ref?: string;
};

/** Builds the JSON Schema of an operation's body; every field has a note, its default and the operation's spelling. */
export function buildRequestSchema({ id, body, example, spelling }: Operation): JsonSchema | null {
  if (body === undefined) return null;
  const schema = buildParameterSchema(body);
  addDefaults(schema, body, example?.body ?? {});
  addNotes(schema, [id]);
  return spelling === 'snake_case'
    ? renameProperties(schema, toSnakeCase)
    : renameProperties(schema, toContractName);
}

/** Builds the JSON Schema of one parameter. */
export const buildParameterSchema = (schema: z.ZodType): JsonSchema => toJsonSchema(schema, 'input');

/** Builds the JSON Schema of a response; every field has a note. Fields about costs are left out where nothing is metered. */
export function buildAnswerSchema(answer: z.ZodType, { isMetered }: { isMetered: boolean }): JsonSchema {
  const schema = stripCosts(toJsonSchema(answer, 'output'), isMetered);
  addNotes(schema, [answer.meta()?.title ?? '']);
  return schema;
}

/** Adds defaults. A field's default is the value that changes nothing when sent; it is found by parsing the body with and without it. */
function addDefaults(schema: JsonSchema, body: z.ZodType, example: JsonObject): void {
  const required = new Set(schema.required ?? []);
  const needed = Object.entries(example).filter(([name]) => required.has(toCamelCase(name)));
  const least = [Object.fromEntries(needed), example].find((one) => body.safeParse(one).success);
  if (least === undefined) return;
  const without = body.safeParse(least).data as JsonObject;
  for (const [name, field] of Object.entries(schema.properties ?? {})) {
    if (field.default !== undefined || name in least || without[name] === undefined) continue;
    const found = [without[name], false, true].find((given) => {
      const read = isWritable(given) ? body.safeParse({ ...least, [name]: given }) : null;
      return read?.success && isDeepStrictEqual(read.data, without);
    });
    if (found !== undefined) field.default = found;
  }
}

const isWritable = (value: unknown): boolean => ['string', 'number', 'boolean'].includes(typeof value);

function addNotes(schema: JsonSchema, path: string[]): void {
  for (const [name, field] of Object.entries(schema.properties ?? {})) {
    const own = [...path, toCamelCase(name)];
    const note = field.description ?? findNote(own);
    if (note !== null) field.description = note;
    addNotes(field, own);
  }
  for (const inner of listInnerSchemas(schema)) addNotes(inner, path);
}

/** Lists the schemas inside a schema, except those of its properties. */
export function listInnerSchemas({ anyOf = [], items, additionalProperties }: JsonSchema): JsonSchema[] {
  return [
    ...anyOf,
    ...(items === undefined ? [] : [items]),
    ...(typeof additionalProperties === 'object' ? [additionalProperties] : []),
  ];
}

/** Returns the same schema with renamed properties. */
function renameProperties(schema: JsonSchema, spell: (name: string) => string): JsonSchema {
  const { properties, required, anyOf, items } = schema;
  return {
    ...schema,
    ...(properties === undefined
      ? {}
      : {
          properties: Object.fromEntries(
            Object.entries(properties).map(([name, field]) => [spell(name), renameProperties(field, spell)]),
          ),
        }),
    ...(required === undefined ? {} : { required: required.map(spell) }),
    ...(anyOf === undefined ? {} : { anyOf: anyOf.map((one) => renameProperties(one, spell)) }),
    ...(items === undefined ? {} : { items: renameProperties(items, spell) }),
  };
}

/** `numResults` -> `num_results`. */
export const toSnakeCase = (name: string): string =>
  /^[a-z][a-z0-9]*(?:[A-Z][a-z0-9]+)+$/.test(name)
    ? name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)
    : name;

/** Names that the contract spells with underscores in every request. */
const CONTRACT_NAMES: Readonly<Record<string, string>> = { prunedContext: 'pruned_context' };
const toContractName = (name: string): string => CONTRACT_NAMES[name] ?? name;

/** Drops the fields marked `costs` where nothing is metered, and the marks everywhere. */
function stripCosts(schema: JsonSchema, isMetered: boolean): JsonSchema {
  const kept = structuredClone(schema);
  dropCosts(kept, isMetered);
  return kept;
}

function dropCosts(schema: JsonSchema, isMetered: boolean): void {
  const { properties = {}, required } = schema;
  for (const [name, field] of Object.entries(properties)) {
    if (field.costs !== undefined) {
      delete field.costs;
      if (!isMetered) {
        delete properties[name];
        if (required?.includes(name)) required.splice(required.indexOf(name), 1);
      }
    }
    dropCosts(field, isMetered);
  }
  for (const inner of listInnerSchemas(schema)) dropCosts(inner, isMetered);
}

function toJsonSchema(schema: z.ZodType, io: 'input' | 'output'): JsonSchema {
  const { $schema: _, ...json } = z.toJSONSchema(schema, { io, unrepresentable: 'any', override: widen });
  // zod generated this JSON Schema, so its keywords have these types.
  return json as JsonSchema;
}

/**
 * Adds the inputs that a schema's preprocessing accepts (`also`) and the default that its route applies (`usual`), and drops the
 * maximum that zod gives unbounded integers.
 */
function widen({ jsonSchema }: { jsonSchema: JsonObject }): void {
  if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum;
  if (jsonSchema.usual !== undefined) jsonSchema.default = jsonSchema.usual;
  delete jsonSchema.usual;
  const { also, description, default: fallback, ...own } = jsonSchema;
  if (!Array.isArray(also)) return;
  for (const name of Object.keys(jsonSchema)) delete jsonSchema[name];
  const others = Array.isArray(own.anyOf) ? own.anyOf.filter(({ type }) => type !== 'null') : [own];
  Object.assign(jsonSchema, {
    ...(description === undefined ? {} : { description }),
    ...(fallback === undefined ? {} : { default: fallback }),
    anyOf: [...also, ...others],
  });
}
