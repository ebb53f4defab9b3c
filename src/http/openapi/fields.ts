import type { Operation } from '../calls/operation.ts';
import { requestSchema } from './json-schema.ts';

/** One row of the field table: the field's path (`contents.text`), its type in words and its description. */
export type FieldLine = { name: string; type: string; required: boolean; about: string };

type Json = {
  type?: string | string[];
  properties?: Record<string, Json>;
  required?: string[];
  anyOf?: Json[];
  items?: Json;
  enum?: unknown[];
  const?: unknown;
  description?: string;
  default?: unknown;
  minimum?: number;
  maximum?: number;
  maxLength?: number;
  maxItems?: number;
};

/** A body's fields in schema order; nested fields follow their object. */
export function fieldLines(operation: Operation): FieldLine[] {
  // zod generated this JSON Schema, so its keywords have these types.
  return linesOf((requestSchema(operation) ?? {}) as Json, '');
}

function linesOf(schema: Json, prefix: string): FieldLine[] {
  return Object.entries(schema.properties ?? {}).flatMap(([name, field]) => [
    {
      name: prefix + name,
      type: typeOf(field),
      required: schema.required?.includes(name) ?? false,
      about: [field.description ?? '', ...bounds(field)].filter((part) => part !== '').join(' '),
    },
    ...alternatives(field).flatMap((one) => linesOf(one, `${prefix}${name}.`)),
  ]);
}

const alternatives = (field: Json): Json[] => field.anyOf ?? [field];

function typeOf(field: Json): string {
  if (field.anyOf !== undefined) return [...new Set(field.anyOf.map(typeOf))].join(' or ');
  if (field.const !== undefined) return JSON.stringify(field.const);
  if (field.enum !== undefined) return field.enum.map((one) => JSON.stringify(one)).join(' or ');
  if (field.type === 'array') return `${typeOf(field.items ?? {})}[]`;
  return Array.isArray(field.type) ? field.type.join(' or ') : (field.type ?? 'any');
}

function bounds({ minimum, maximum, maxLength, maxItems, default: fallback }: Json): string[] {
  const parts = [
    ...(minimum === undefined ? [] : [`at least ${minimum}`]),
    ...(maximum === undefined ? [] : [`at most ${maximum}`]),
    ...(maxLength === undefined ? [] : [`at most ${maxLength} characters`]),
    ...(maxItems === undefined ? [] : [`at most ${maxItems} entries`]),
    ...(fallback === undefined || (Array.isArray(fallback) && fallback.length === 0)
      ? []
      : [`default ${JSON.stringify(fallback)}`]),
  ];
  const [first, ...rest] = parts;
  if (first === undefined) return [];
  return [`${[first.charAt(0).toUpperCase() + first.slice(1), ...rest].join(', ')}.`];
}
