import type { FetchedResponse } from '../../platform/net/fetch-types.ts';

/**
 * Returns the value at a path such as `info.name` or `items.0.title`. Of several paths (`a|b`), the first with a value counts; undefined
 * if none has one.
 */
export function findField(value: unknown, paths: string): unknown {
  for (const path of paths.split('|')) {
    const found = readPath(value, path);
    if (found !== undefined && found !== null && found !== '') return found;
  }
  return undefined;
}

function readPath(value: unknown, path: string): unknown {
  if (path === '') return value;
  let found = value;
  for (const name of path.split('.')) {
    if (typeof found !== 'object' || found === null || !Object.hasOwn(found, name)) return undefined;
    found = (found as Record<string, unknown>)[name]; // an object, or a list with its numbers as names
  }
  return found;
}

/** Returns the list at a path; [] when there is none. */
export function readFieldList(value: unknown, path: string): unknown[] {
  const found = findField(value, path);
  return Array.isArray(found) ? found : [];
}

/** Returns a string, a number or the strings of a list at a path, as text; '' when there is none. */
export function readFieldText(value: unknown, path: string): string {
  return toText(findField(value, path));
}

function toText(value: unknown): string {
  if (typeof value === 'string') return value.trim();
  if (typeof value === 'number' && Number.isFinite(value)) return String(value);
  if (!Array.isArray(value)) return '';
  return value
    .map((one) => (typeof one === 'object' ? readFieldText(one, 'name|title|label') : toText(one)))
    .filter((text) => text !== '')
    .join(', ');
}

const FIRST_CHARS_MAX = 2_000_000;

/** Fills the `{0.name}` of an address in from the first answer; null if a field is missing or the first answer is no JSON. */
export function fillAddress(address: string, responses: readonly FetchedResponse[]): string | null {
  if (!address.includes('{')) return address;
  const [first] = responses;
  if (first === undefined || first.body.length > FIRST_CHARS_MAX) return null;
  const fields = [parseJsonOrNull(new TextDecoder().decode(first.body))];
  let isComplete = true;
  const filled = address.replace(/\{([\w.]{1,80})\}/g, (_all, path: string) => {
    const value = findField(fields, path);
    isComplete &&= typeof value === 'string' || typeof value === 'number';
    return encodeURIComponent(String(value));
  });
  return isComplete ? filled : null;
}

function parseJsonOrNull(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    if (error instanceof SyntaxError) return null;
    throw error;
  }
}
