import type { z } from 'zod';
import { Failure, type FieldProblem } from '../../contract/errors.ts';
import type { JsonObject } from './call.ts';
import { parseJson } from './json.ts';

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

function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
