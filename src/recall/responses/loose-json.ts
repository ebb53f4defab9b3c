/** The value under the keys, or undefined: foreign JSON may have any type at any depth. */
export function readAt(value: unknown, ...keys: (string | number)[]): unknown {
  let here = value;
  for (const key of keys) {
    if (typeof here !== 'object' || here === null || !Object.hasOwn(here, key)) return undefined;
    here = (here as Record<string | number, unknown>)[key];
  }
  return here;
}

/** Like `readAt`, for text; '' if there is none. */
export function readTextAt(value: unknown, ...keys: (string | number)[]): string {
  const found = readAt(value, ...keys);
  return typeof found === 'string' ? found : '';
}

/** Like `readAt`, for a finite number; null if there is none. */
export function readNumberAt(value: unknown, ...keys: (string | number)[]): number | null {
  const found = readAt(value, ...keys);
  return typeof found === 'number' && Number.isFinite(found) ? found : null;
}

/** Like `readAt`, for a list; null if there is none. */
export function readListAt(value: unknown, ...keys: (string | number)[]): unknown[] | null {
  const found = readAt(value, ...keys);
  return Array.isArray(found) ? found : null;
}
