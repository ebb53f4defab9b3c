import type { FetchedResponse } from '../../platform/net/fetch-types.ts';

/** The value at a path such as `info.name` or `items.0.title`; the first of several paths (`a|b`) that has one, or undefined. */
export function fieldOf(value: unknown, paths: string): unknown {
  for (const path of paths.split('|')) {
    const found = at(value, path);
    if (found !== undefined && found !== null && found !== '') return found;
  }
  return undefined;
}

function at(value: unknown, path: string): unknown {
  if (path === '') return value;
  let found = value;
  for (const name of path.split('.')) {
    if (typeof found !== 'object' || found === null || !Object.hasOwn(found, name)) return undefined;
    found = (found as Record<string, unknown>)[name]; // an object, or a list with its numbers as names
  }
  return found;
}

/** A list at a path; [] when there is none. */
export function listAt(value: unknown, path: string): unknown[] {
  const found = fieldOf(value, path);
  return Array.isArray(found) ? found : [];
}

/** A string, number or the strings of a list at a path, as text; '' when there is none. */
export function textAt(value: unknown, path: string): string {
  return textOf(fieldOf(value, path));
}

function textOf(value: unknown): string {
  if (typeof value === 'string') return value.trim();
  if (typeof value === 'number' && Number.isFinite(value)) return String(value);
  if (!Array.isArray(value)) return '';
  return value
    .map((one) => (typeof one === 'object' ? textAt(one, 'name|title|label') : textOf(one)))
    .filter((text) => text !== '')
    .join(', ');
}

const FIRST_CHARS_MAX = 2_000_000;

/** An address whose `{0.name}` are filled in from the first answer; null if a field is missing or the first answer is no JSON. */
export function filledAddress(address: string, responses: readonly FetchedResponse[]): string | null {
  if (!address.includes('{')) return address;
  const [first] = responses;
  if (first === undefined || first.body.length > FIRST_CHARS_MAX) return null;
  const fields = [parsedOrNull(new TextDecoder().decode(first.body))];
  let isComplete = true;
  const filled = address.replace(/\{([\w.]{1,80})\}/g, (_all, path: string) => {
    const value = fieldOf(fields, path);
    isComplete &&= typeof value === 'string' || typeof value === 'number';
    return encodeURIComponent(String(value));
  });
  return isComplete ? filled : null;
}

function parsedOrNull(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    if (error instanceof SyntaxError) return null;
    throw error;
  }
}
