/** What stands under the keys, or undefined: a stranger's JSON may have any type at any depth. */
export function at(value: unknown, ...keys: (string | number)[]): unknown {
  let here = value;
  for (const key of keys) {
    if (typeof here !== 'object' || here === null || !Object.hasOwn(here, key)) return undefined;
    here = (here as Record<string | number, unknown>)[key];
  }
  return here;
}

/** As `at`; the text there, else ''. */
export function textAt(value: unknown, ...keys: (string | number)[]): string {
  const found = at(value, ...keys);
  return typeof found === 'string' ? found : '';
}

/** As `at`; the finite number there, else null. */
export function numberAt(value: unknown, ...keys: (string | number)[]): number | null {
  const found = at(value, ...keys);
  return typeof found === 'number' && Number.isFinite(found) ? found : null;
}

/** As `at`; the list there, else null. */
export function listAt(value: unknown, ...keys: (string | number)[]): unknown[] | null {
  const found = at(value, ...keys);
  return Array.isArray(found) ? found : null;
}
