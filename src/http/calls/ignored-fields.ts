/** Request parameters that had no effect: which they are, and the header that names them. */
import type { JsonObject } from './call.ts';
import { isObject, toCamelCase } from './json-body.ts';

/**
 * The fields that have an effect, in camelCase. `true`: with any value; an object: only these inner fields; a function: only values for
 * which it returns true.
 */
export type KnownFields = { readonly [name: string]: true | KnownFields | ((value: unknown) => boolean) };

/** On every shape: the request parameters that had no effect, separated by commas. */
export const IGNORED_HEADER = 'X-Ignored-Parameters';

const NAMES_MAX = 20;
const PATH_CHARS_MAX = 80;

/** Declares that the named fields and the key have an effect with any value. */
export function buildKnownFields(names: readonly string[]): KnownFields {
  return { ...Object.fromEntries(names.map((name) => [name, true])), apiKey: true };
}

/**
 * Returns the paths of the raw body's fields that have no effect, in the caller's spelling and order (`contents.live_crawl`). Null counts
 * as absent.
 */
export function findIgnoredFields(body: JsonObject, read: KnownFields): string[] {
  const names: string[] = [];
  collect(body, read, { prefix: '', names });
  return names;
}

/** Builds the header that names ignored parameters, percent-encoded as in a URL; empty if there are none. */
export function buildIgnoredHeader(names: readonly string[]): Record<string, string> {
  const value = names.map((name) => encodeURIComponent(name.toWellFormed())).join(', ');
  return names.length === 0 ? {} : { [IGNORED_HEADER]: value };
}

function collect(value: JsonObject, read: KnownFields, into: { prefix: string; names: string[] }): void {
  for (const [name, inner] of Object.entries(value)) {
    if (into.names.length >= NAMES_MAX) return;
    if (inner === null || inner === undefined) continue;
    const camel = toCamelCase(name);
    const known = Object.hasOwn(read, camel) ? read[camel] : undefined;
    const path = into.prefix + name;
    const isIgnored = typeof known === 'function' ? !known(inner) : known === undefined;
    if (isIgnored) into.names.push(path.slice(0, PATH_CHARS_MAX));
    else if (typeof known === 'object' && isObject(inner))
      collect(inner, known, { ...into, prefix: `${path}.` });
  }
}
