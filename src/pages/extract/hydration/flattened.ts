/** Maximum depth; deeper values are read as undefined. */
const DEPTH_MAX = 200;

/**
 * Undoes the flattening that frameworks apply to data with repeated parts: an array whose first entry is the value, and
 * in which a number within an entry refers to the entry at that index. Property names may be references too (`_12` refers
 * to the text at index 12). Formats: devalue (Nuxt, SvelteKit) and turbo-stream (Remix, React Router).
 */
export function restoreFlattened(entries: unknown): unknown {
  if (!Array.isArray(entries)) return undefined;
  const all: unknown[] = entries;
  const known = new Map<number, unknown>();

  function readEntry(index: unknown, depth: number): unknown {
    if (typeof index !== 'number' || index < 0 || depth > DEPTH_MAX) return undefined;
    if (known.has(index)) return known.get(index);
    const entry = all[index];
    if (typeof entry !== 'object' || entry === null) return entry;
    return Array.isArray(entry) ? readList(index, entry, depth) : readObject(index, entry, depth);
  }

  function readList(index: number, entry: unknown[], depth: number): unknown {
    // A tagged value, such as ["Date", "2024-…"] or ["Reactive", 7]; a plain list has only numbers.
    if (typeof entry[0] === 'string') return readMarked(index, entry, depth);
    const list: unknown[] = [];
    known.set(index, list);
    for (const inner of entry) list.push(readEntry(inner, depth + 1));
    return list;
  }

  function readMarked(index: number, [, ...rest]: unknown[], depth: number): unknown {
    const value =
      rest.length === 1 && typeof rest[0] !== 'number'
        ? rest[0]
        : rest.map((inner) => readEntry(inner, depth + 1));
    const single = Array.isArray(value) && value.length === 1 ? value[0] : value;
    known.set(index, single);
    return single;
  }

  function readObject(index: number, entry: object, depth: number): unknown {
    const object: Record<string, unknown> = Object.create(null);
    known.set(index, object);
    for (const [name, inner] of Object.entries(entry)) {
      const key = /^_\d+$/.test(name) ? readEntry(Number(name.slice(1)), depth + 1) : name;
      if (typeof key === 'string') object[key] = readEntry(inner, depth + 1);
    }
    return object;
  }

  return readEntry(0, 0);
}
