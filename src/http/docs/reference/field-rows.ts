import { camelName } from '../../calls/wire.ts';
import { below, type JsonSchema, snakeName } from '../../openapi/json-schema.ts';

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

/** The fields of a schema in its order; nested fields follow their object. */
export function fieldRows(schema: JsonSchema): FieldRow[] {
  return rowsOf(schema, rootOf(schema));
}

const rootOf = ({ type }: JsonSchema): string => (type === 'array' ? '[].' : '');

function rowsOf(schema: JsonSchema, prefix: string): FieldRow[] {
  const own = Object.entries(schema.properties ?? {}).flatMap(([name, field]): FieldRow[] => [
    {
      name: prefix + name,
      other: otherSpelling(name),
      type: typeOf(field),
      required: schema.required?.includes(name) ?? false,
      about: [field.description ?? '', boundsOf(field)].filter((part) => part !== '').join(' '),
    },
    ...rowsOf(field, `${prefix}${name}${suffixOf(field)}.`),
  ]);
  const inner = below(schema).flatMap((one) => rowsOf(one, prefix));
  return withoutRepeats([...own, ...inner]);
}

/** Alternatives of one field may share fields. */
function withoutRepeats(rows: FieldRow[]): FieldRow[] {
  const seen = new Set<string>();
  return rows.filter(({ name }) => !seen.has(name) && seen.add(name));
}

function suffixOf(field: JsonSchema): string {
  if (field.type === 'array' || field.anyOf?.some(({ type }) => type === 'array')) return '[]';
  return typeof field.additionalProperties === 'object' && field.additionalProperties.properties ? '.*' : '';
}

function otherSpelling(name: string): string | null {
  const other = name.includes('_') ? camelName(name) : snakeName(name);
  return other === name ? null : other;
}

/** The type in words. A field that takes anything is told by its examples. */
function typeOf(field: JsonSchema): string {
  if (field.anyOf !== undefined) return [...new Set(field.anyOf.map(typeOf))].join(' or ');
  if (field.const !== undefined) return JSON.stringify(field.const);
  if (field.enum !== undefined) return field.enum.map((one) => JSON.stringify(one)).join(' or ');
  if (field.type === 'array') return `${typeOf(field.items ?? {})}[]`;
  if (field.type === undefined && field.examples !== undefined)
    return [...new Set(field.examples.map(typeOfValue))].join(' or ');
  return Array.isArray(field.type) ? field.type.join(' or ') : (field.type ?? 'any');
}

function typeOfValue(value: unknown): string {
  if (Array.isArray(value)) return value.length === 0 ? 'array' : `${typeOfValue(value[0])}[]`;
  return typeof value;
}

function boundsOf(field: JsonSchema): string {
  const { minimum, maximum, maxLength, maxItems, default: fallback } = field;
  const range =
    minimum !== undefined && maximum !== undefined
      ? [`from ${figure(minimum)} to ${figure(maximum)}`]
      : [
          ...(minimum === undefined || minimum === 0 ? [] : [`at least ${figure(minimum)}`]),
          ...(maximum === undefined ? [] : [`at most ${figure(maximum)}`]),
        ];
  const parts = [
    ...range,
    ...(maxLength === undefined ? [] : [`at most ${figure(maxLength)} characters`]),
    ...(maxItems === undefined ? [] : [`at most ${figure(maxItems)} entries`]),
    ...(isTold(fallback) ? [`default \`${JSON.stringify(fallback)}\``] : []),
  ];
  const text = parts.join(', ');
  return text === '' ? '' : `${text.charAt(0).toUpperCase()}${text.slice(1)}.`;
}

const figure = (value: number): string => value.toLocaleString('en');

/** An empty list or object by default says nothing. */
const isTold = (value: unknown): boolean =>
  value !== undefined && !(typeof value === 'object' && value !== null && Object.keys(value).length === 0);
