/** The value under the keys, or undefined: foreign JSON may have any type at any depth. */
export function at(value: unknown, ...keys: (string | number)[]): unknown {
  let here = value;
  for (const key of keys) {
    if (typeof here !== 'object' || here === null || !Object.hasOwn(here, key)) return undefined;
    here = (here as Record<string | number, unknown>)[key];
  }
  return here;
}

/** Like `at`, for text; '' if there is none. */
export function textAt(value: unknown, ...keys: (string | number)[]): string {
  const found = at(value, ...keys);
  return typeof found === 'string' ? found : '';
}

/** Like `at`, for a finite number; null if there is none. */
export function numberAt(value: unknown, ...keys: (string | number)[]): number | null {
  const found = at(value, ...keys);
  return typeof found === 'number' && Number.isFinite(found) ? found : null;
}

/** Like `at`, for a list; null if there is none. */
export function listAt(value: unknown, ...keys: (string | number)[]): unknown[] | null {
  const found = at(value, ...keys);
  return Array.isArray(found) ? found : null;
}
