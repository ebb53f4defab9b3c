import type { JsonObject } from '../calls/call.ts';
import { camelName } from '../calls/wire.ts';

/** The fields that have an effect, in camelCase; `true` skips the check of a field's inner fields. */
export type KnownFields = { readonly [name: string]: true | KnownFields };

const NAMES_MAX = 20;
const NAME_CHARS_MAX = 80;

/**
 * Raw body -> the paths of its fields that have no effect, in the caller's spelling and order (`contents.live_crawl`). Null counts as
 * absent.
 */
export function ignoredFields(body: JsonObject, read: KnownFields): string[] {
  const names: string[] = [];
  collect(body, read, { prefix: '', names });
  return names;
}

function collect(value: JsonObject, read: KnownFields, into: { prefix: string; names: string[] }): void {
  for (const [name, inner] of Object.entries(value)) {
    if (into.names.length >= NAMES_MAX) return;
    if (inner === null || inner === undefined) continue;
    const camel = camelName(name);
    const known = Object.hasOwn(read, camel) ? read[camel] : undefined;
    const path = into.prefix + name;
    if (known === undefined) into.names.push(path.slice(0, NAME_CHARS_MAX));
    else if (known !== true && isObject(inner)) collect(inner, known, { ...into, prefix: `${path}.` });
  }
}

const isObject = (value: unknown): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
