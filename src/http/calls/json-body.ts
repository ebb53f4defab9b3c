import type { z } from 'zod';
import { Failure, type FieldProblem } from '../../contract/errors.ts';
import { JSON_DEPTH_MAX, JSON_VALUES_MAX } from '../../contract/limits.ts';
import type { JsonObject } from './call.ts';

/** Builds the data URL of a PNG in base64, so that the image needs no storage and only the caller has it. */
export const buildPictureUrl = (png: string): string => `data:image/png;base64,${png}`;
const [QUOTE, BACKSLASH, COMMA, COLON] = [0x22, 0x5c, 0x2c, 0x3a];
const [ARRAY_START, ARRAY_END, OBJECT_START, OBJECT_END] = [0x5b, 0x5d, 0x7b, 0x7d];
/** No API field is nested deeper; deeper values are left unchanged, so that depth costs nothing. */
const DEPTH_MAX = 6;
const PROBLEMS_MAX = 20;
/** No API field has a longer name. */
const NAME_CHARS_MAX = 64;

/** Parses the bytes of a body as a JSON object, whatever the content type. Throws `Failure('validation_error')`. */
export function readJsonObject(bytes: Uint8Array | undefined): JsonObject {
  if (bytes === undefined || bytes.length === 0)
    throw createBodyFailure('must be a JSON object, but is empty');
  let value: unknown;
  try {
    value = parseJson(bytes);
  } catch (cause) {
    if (cause instanceof Failure) throw cause;
    throw createBodyFailure('must be valid JSON', cause);
  }
  if (!isObject(value)) throw createBodyFailure('must be a JSON object');
  return value;
}

/**
 * Parses a raw body with a schema. Accepts snake_case and camelCase names at every depth, treats null as absent and ignores unknown fields.
 * The fields in `verbatim` (camelCase) hold the caller's own names, which stay unchanged. Throws a `Failure('validation_error')` that names
 * fields as the caller spelled them.
 */
export function parseBody<Schema extends z.ZodType>(
  schema: Schema,
  body: JsonObject,
  { verbatim = new Set() }: { verbatim?: ReadonlySet<string> } = {},
): z.output<Schema> {
  const parsed = schema.safeParse(convertNames(body, { depth: 0, verbatim }));
  if (parsed.success) return parsed.data;
  const spellings: Spellings = new Map();
  const problems = parsed.error.issues.slice(0, PROBLEMS_MAX).map(
    (issue): FieldProblem => ({
      field: formatFieldPath(body, issue.path, spellings),
      message: issue.message,
    }),
  );
  throw createValidationFailure(problems);
}

/** Creates a `validation_error` for one or more fields; the message shows the first. */
export function createValidationFailure(problems: FieldProblem[], cause?: unknown): Failure {
  const [first] = problems;
  return new Failure('validation_error', `${first?.field}: ${first?.message}`, { fields: problems, cause });
}

function createBodyFailure(message: string, cause?: unknown): Failure {
  return createValidationFailure([{ field: 'body', message }], cause);
}

function convertNames(value: unknown, at: { depth: number; verbatim: ReadonlySet<string> }): unknown {
  if (at.depth > DEPTH_MAX) return value;
  const below = { ...at, depth: at.depth + 1 };
  if (Array.isArray(value)) return value.map((item) => convertNames(item, below));
  if (!isObject(value) || isPlain(value)) return value;
  const camel = new Map<string, unknown>();
  for (const [name, inner] of Object.entries(value)) {
    const own = toCamelCase(name);
    // If both spellings are given, camelCase wins.
    if (inner === null || (own !== name && camel.has(own))) continue;
    camel.set(own, at.verbatim.has(own) ? inner : convertNames(inner, below));
  }
  return Object.fromEntries(camel);
}

/** Fast path: returns true if every name is camelCase and no value is null or an object, as in most bodies. */
function isPlain(value: JsonObject): boolean {
  return Object.keys(value).every((name) => !name.includes('_') && typeof value[name] !== 'object');
}

/** `num_results` -> `numResults`. */
export function toCamelCase(name: string): string {
  if (name.length > NAME_CHARS_MAX || !name.includes('_')) return name;
  return name.replace(/(?<=[a-z0-9])_([a-z0-9])/g, (_, letter: string) => letter.toUpperCase());
}

/** Maps each object in the body to its names: camelCase name -> the caller's spelling. */
type Spellings = Map<JsonObject, Map<string, string>>;

/** `["contents", "text", "maxCharacters"]` -> `contents.text.max_characters` when the body spells it so. */
export function formatFieldPath(
  body: JsonObject,
  path: readonly PropertyKey[],
  spellings: Spellings = new Map(),
): string {
  let value: unknown = body;
  let name = '';
  for (const part of path) {
    if (typeof part === 'number') {
      name += `[${part}]`;
      value = Array.isArray(value) ? value[part] : undefined;
      continue;
    }
    const wanted = String(part);
    const found: string = isObject(value) ? (findSpellings(value, spellings).get(wanted) ?? wanted) : wanted;
    name += name === '' ? found : `.${found}`;
    value = isObject(value) ? value[found] : undefined;
  }
  return name === '' ? 'body' : name;
}

function findSpellings(value: JsonObject, spellings: Spellings): Map<string, string> {
  const known = spellings.get(value);
  if (known !== undefined) return known;
  const made = new Map<string, string>();
  for (const [name, inner] of Object.entries(value)) {
    const camel = toCamelCase(name);
    if (inner !== null && (camel === name || !made.has(camel))) made.set(camel, name);
  }
  spellings.set(value, made);
  return made;
}

/** Returns true for a JSON object. */
export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/**
 * Parses the bytes of a body as JSON. Rejects oversized JSON before building anything. Throws SyntaxError for invalid JSON, and
 * `Failure('validation_error')` on the field `body` for too much nesting or too many values.
 */
export function parseJson(bytes: Uint8Array): unknown {
  assertSmall(bytes);
  return JSON.parse(new TextDecoder().decode(bytes));
}

/** Counts brackets, commas and colons outside strings: each, except a closing bracket, begins at most one value or name. */
function assertSmall(bytes: Uint8Array): void {
  let [depth, values, isText] = [0, 0, false];
  for (let at = 0; at < bytes.length; at += 1) {
    const byte = bytes[at];
    if (isText) {
      if (byte === BACKSLASH) at += 1;
      else if (byte === QUOTE) isText = false;
    } else if (byte === QUOTE) isText = true;
    else if (byte === COMMA || byte === COLON) values += 1;
    else if (byte === ARRAY_START || byte === OBJECT_START) {
      values += 1;
      depth += 1;
      if (depth > JSON_DEPTH_MAX)
        throw createSizeFailure(`must not nest deeper than ${JSON_DEPTH_MAX} levels`);
    } else if (byte === ARRAY_END || byte === OBJECT_END) depth -= 1;
    if (values > JSON_VALUES_MAX)
      throw createSizeFailure(
        `must not have more than ${JSON_VALUES_MAX.toLocaleString('en')} names and values`,
      );
  }
}

function createSizeFailure(message: string): Failure {
  return new Failure('validation_error', `body: ${message}`, { fields: [{ field: 'body', message }] });
}

/** Drops fields that are null or undefined. */
export function omitNulls(fields: JsonObject): JsonObject {
  return Object.fromEntries(
    Object.entries(fields).filter(([, value]) => value !== undefined && value !== null),
  );
}

/** Rounds to four decimals: enough to distinguish results, without false precision. */
export function roundScore(score: number): number {
  return Math.round(score * 10_000) / 10_000;
}

/** Completes an address as people write it: a missing scheme becomes https, and a scheme with too few or too many slashes gets two. */
export function addScheme(address: string): string {
  const text = address.trim();
  const web = /^(https?):\/*/i.exec(text);
  if (web !== null) return `${web[1]}://${text.slice(web[0].length)}`;
  // A host with a port (`example.org:8080/x`) looks like a scheme, but digits follow the colon.
  return /^[a-z][a-z0-9+.-]*:(?!\d+(?:[/?#]|$))/i.test(text) ? text : `https://${text.replace(/^\/+/, '')}`;
}
