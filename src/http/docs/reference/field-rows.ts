import { toCamelCase } from '../../calls/json-body.ts';
import { type JsonSchema, listInnerSchemas, toSnakeCase } from '../../openapi/json-schema.ts';

/** One row of a table of fields. */
export type FieldRow = {
  /** The path of the field, such as `results[].title`. */
  name: string;
  /** The other spelling that a request may use, if it differs. */
  other: string | null;
  type: string;
  required: boolean;
  about: string;
};

/** Builds the rows for the fields of a schema, in its order; nested fields follow their object. */
export function buildFieldRows(schema: JsonSchema): FieldRow[] {
  return collectRows(schema, buildRootPrefix(schema));
}

const buildRootPrefix = ({ type }: JsonSchema): string => (type === 'array' ? '[].' : '');

function collectRows(schema: JsonSchema, prefix: string): FieldRow[] {
  const own = Object.entries(schema.properties ?? {}).flatMap(([name, field]): FieldRow[] => [
    {
      name: prefix + name,
      other: findOtherSpelling(name),
      type: describeType(field),
      required: schema.required?.includes(name) ?? false,
      about: [field.description ?? '', describeBounds(field)].filter((part) => part !== '').join(' '),
    },
    ...collectRows(field, `${prefix}${name}${buildSuffix(field)}.`),
  ]);
  const inner = listInnerSchemas(schema).flatMap((one) => collectRows(one, prefix));
  return dedupeRows([...own, ...inner]);
}

/** Removes repeated rows: alternatives of one field may share fields. */
function dedupeRows(rows: FieldRow[]): FieldRow[] {
  const seen = new Set<string>();
  return rows.filter(({ name }) => !seen.has(name) && seen.add(name));
}

function buildSuffix(field: JsonSchema): string {
  if (field.type === 'array' || field.anyOf?.some(({ type }) => type === 'array')) return '[]';
  return typeof field.additionalProperties === 'object' && field.additionalProperties.properties ? '.*' : '';
}

function findOtherSpelling(name: string): string | null {
  const other = name.includes('_') ? toCamelCase(name) : toSnakeCase(name);
  return other === name ? null : other;
}

/** Describes the type of a field. A field that takes anything is described by its examples. */
function describeType(field: JsonSchema): string {
  if (field.anyOf !== undefined) return [...new Set(field.anyOf.map(describeType))].join(' or ');
  if (field.const !== undefined) return JSON.stringify(field.const);
  if (field.enum !== undefined) return field.enum.map((one) => JSON.stringify(one)).join(' or ');
  if (field.type === 'array') return `${describeType(field.items ?? {})}[]`;
  if (field.type === undefined && field.examples !== undefined)
    return [...new Set(field.examples.map(describeValueType))].join(' or ');
  return Array.isArray(field.type) ? field.type.join(' or ') : (field.type ?? 'any');
}

function describeValueType(value: unknown): string {
  if (Array.isArray(value)) return value.length === 0 ? 'array' : `${describeValueType(value[0])}[]`;
  return typeof value;
}

function describeBounds(field: JsonSchema): string {
  const { minimum, maximum, maxLength, maxItems, default: fallback } = field;
  const range =
    minimum !== undefined && maximum !== undefined
      ? [`from ${formatFigure(minimum)} to ${formatFigure(maximum)}`]
      : [
          ...(minimum === undefined || minimum === 0 ? [] : [`at least ${formatFigure(minimum)}`]),
          ...(maximum === undefined ? [] : [`at most ${formatFigure(maximum)}`]),
        ];
  const parts = [
    ...range,
    ...(maxLength === undefined ? [] : [`at most ${formatFigure(maxLength)} characters`]),
    ...(maxItems === undefined ? [] : [`at most ${formatFigure(maxItems)} entries`]),
    ...(isShown(fallback) ? [`default \`${JSON.stringify(fallback)}\``] : []),
  ];
  const text = parts.join(', ');
  return text === '' ? '' : `${text.charAt(0).toUpperCase()}${text.slice(1)}.`;
}

const formatFigure = (value: number): string => value.toLocaleString('en');

/** Returns false for a default that is an empty list or object, which tells the reader nothing. */
const isShown = (value: unknown): boolean =>
  value !== undefined && !(typeof value === 'object' && value !== null && Object.keys(value).length === 0);
