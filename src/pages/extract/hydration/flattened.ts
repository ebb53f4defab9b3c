/** Deeper values are read as undefined. */
const DEPTH_MAX = 200;

/**
 * Undoes the flattening that frameworks apply to data with repeated parts: an array whose first entry is the value, and
 * in which a number within an entry stands for the entry at that index. Names of objects may be numbers too (`_12` stands
 * for the text at index 12). Formats: devalue (Nuxt, SvelteKit) and turbo-stream (Remix, React Router).
 */
export function unflattened(entries: unknown): unknown {
  if (!Array.isArray(entries)) return undefined;
  const all: unknown[] = entries;
  const known = new Map<number, unknown>();

  function at(index: unknown, depth: number): unknown {
    if (typeof index !== 'number' || index < 0 || depth > DEPTH_MAX) return undefined;
    if (known.has(index)) return known.get(index);
    const entry = all[index];
    if (typeof entry !== 'object' || entry === null) return entry;
    return Array.isArray(entry) ? listAt(index, entry, depth) : objectAt(index, entry, depth);
  }

  function listAt(index: number, entry: unknown[], depth: number): unknown {
    // A marked value, such as ["Date", "2024-…"] or ["Reactive", 7]; a plain list has only numbers.
    if (typeof entry[0] === 'string') return marked(index, entry, depth);
    const list: unknown[] = [];
    known.set(index, list);
    for (const inner of entry) list.push(at(inner, depth + 1));
    return list;
  }

  function marked(index: number, [, ...rest]: unknown[], depth: number): unknown {
    const value =
      rest.length === 1 && typeof rest[0] !== 'number' ? rest[0] : rest.map((inner) => at(inner, depth + 1));
    const single = Array.isArray(value) && value.length === 1 ? value[0] : value;
    known.set(index, single);
    return single;
  }

  function objectAt(index: number, entry: object, depth: number): unknown {
    const object: Record<string, unknown> = Object.create(null);
    known.set(index, object);
    for (const [name, inner] of Object.entries(entry)) {
      const key = /^_\d+$/.test(name) ? at(Number(name.slice(1)), depth + 1) : name;
      if (typeof key === 'string') object[key] = at(inner, depth + 1);
    }
    return object;
  }

  return at(0, 0);
}
