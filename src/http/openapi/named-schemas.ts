import assert from 'node:assert/strict';
import { isDeepStrictEqual } from 'node:util';
import type { JsonSchema } from './json-schema.ts';

/** The schemas under `components`, by name. */
export type Schemas = Record<string, JsonSchema>;

/**
 * Moves every object inside a schema under `components` and leaves a reference in its place. Code generators name types after their
 * schemas; unnamed objects would become `Result1` to `Result10`. An object is named by its title, or else after the schema and the
 * field that contain it: `results` of `SearchAnswer` become `SearchResult`.
 */
export function nameObjects(schemas: Schemas): void {
  for (const [name, schema] of Object.entries(schemas)) {
    const inside = { owner: name.replace(/(?<=.)(?:Request|Answer)$/, ''), schemas };
    nameInside(schema, inside);
  }
}

type SchemaScope = { owner: string; schemas: Schemas };

/** Moves the objects inside a schema, but not the schema itself. */
function nameInside(schema: JsonSchema, { owner, schemas }: SchemaScope): void {
  const { properties = {}, items, anyOf = [], additionalProperties } = schema;
  const move = (inner: JsonSchema, name: string): JsonSchema => moveObject(inner, { owner: name, schemas });
  for (const [name, field] of Object.entries(properties))
    properties[name] = move(field, owner + toPascalCase(name));
  if (items !== undefined) schema.items = move(items, toSingular(owner));
  if (typeof additionalProperties === 'object')
    schema.additionalProperties = move(additionalProperties, toSingular(owner));
  for (const [place, one] of anyOf.entries()) anyOf[place] = move(one, owner);
}

/** Moves a schema that is an object with fields and returns a reference to it. `owner` is its name if it has no title. */
function moveObject(schema: JsonSchema, { owner, schemas }: SchemaScope): JsonSchema {
  if (schema.type !== 'object' || schema.properties === undefined) {
    nameInside(schema, { owner, schemas });
    return schema;
  }
  const { description, default: fallback, ...object } = schema;
  const name = schema.title ?? owner;
  nameInside(object, { owner: name, schemas });
  const known = schemas[name];
  assert(known === undefined || isDeepStrictEqual(known, object), `two schemas are called ${name}`);
  schemas[name] = object;
  return {
    $ref: `#/components/schemas/${name}`,
    ...(description === undefined ? {} : { description }),
    ...(fallback === undefined ? {} : { default: fallback }),
  };
}

/** `pruned_context` -> `PrunedContext`. */
function toPascalCase(name: string): string {
  return name.replace(/(?:^|_)([a-z])/g, (_, letter: string) => letter.toUpperCase());
}

/** `SearchResults` -> `SearchResult`, `ContentsStatuses` -> `ContentsStatus`, `JobData` -> `JobDataItem`. */
function toSingular(name: string): string {
  const one = name
    .replace(/(us|ss|x)es$/, '$1')
    .replace(/ies$/, 'y')
    .replace(/([^su])s$/, '$1');
  return one === name ? `${name}Item` : one;
}
