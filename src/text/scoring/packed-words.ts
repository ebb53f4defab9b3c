import { FIELDS, type Occurrences, type PageTerms } from './page-words.ts';

/*
 * The terms of a page, packed so that a query looks its own terms up without reading the page again:
 *
 *   u32 terms | u32 length of each field (4) | terms x (u32 hash, u32 offset), by hash | per term and field: varints
 *   count, number of places, first place, steps to the next ones
 *
 * Little endian. Two terms of one page whose hashes collide (once in some millions) count as one.
 */
const HEAD_BYTES = 4 * (1 + FIELDS.length);
const ENTRY_BYTES = 8;

/** A packed page, opened for looking terms up. */
export type PackedWords = {
  bytes: Uint8Array;
  view: DataView;
  terms: number;
  lengths: Record<(typeof FIELDS)[number], number>;
};

/** 32 bits of FNV-1a over UTF-16 code units, mixed to the end (MurmurHash3 finalizer). */
export function hashOf(term: string): number {
  let hash = 0x811c9dc5;
  for (let index = 0; index < term.length; index += 1) {
    hash = Math.imul(hash ^ term.charCodeAt(index), 0x01000193);
  }
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return (hash ^ (hash >>> 16)) >>> 0;
}

export function packWords({ terms, lengths }: PageTerms): Uint8Array {
  const entries = [...terms].map(([text, occurrences]) => ({ hash: hashOf(text), occurrences }));
  entries.sort((left, right) => left.hash - right.hash);
  const data: number[] = [];
  const head = new DataView(new ArrayBuffer(HEAD_BYTES + entries.length * ENTRY_BYTES));
  head.setUint32(0, entries.length, true);
  for (const [index, field] of FIELDS.entries()) head.setUint32(4 + index * 4, lengths[field], true);
  for (const [index, { hash, occurrences }] of entries.entries()) {
    head.setUint32(HEAD_BYTES + index * ENTRY_BYTES, hash, true);
    head.setUint32(HEAD_BYTES + index * ENTRY_BYTES + 4, data.length, true);
    writeOccurrences(data, occurrences);
  }
  const bytes = new Uint8Array(head.byteLength + data.length);
  bytes.set(new Uint8Array(head.buffer));
  bytes.set(data, head.byteLength);
  return bytes;
}

function writeOccurrences(data: number[], occurrences: Partial<Occurrences>): void {
  for (const field of FIELDS) {
    const { count, places } = occurrences[field] ?? { count: 0, places: [] };
    writeVarint(data, count);
    if (count === 0) continue;
    writeVarint(data, places.length);
    let last = 0;
    for (const place of places) {
      writeVarint(data, place - last);
      last = place;
    }
  }
}

function writeVarint(data: number[], value: number): void {
  let rest = value;
  while (rest > 0x7f) {
    data.push((rest & 0x7f) | 0x80);
    rest >>>= 7;
  }
  data.push(rest);
}

export function openWords(bytes: Uint8Array): PackedWords {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const [title, headings, address, body] = FIELDS.map((_, index) => view.getUint32(4 + index * 4, true));
  return {
    bytes,
    view,
    terms: view.getUint32(0, true),
    lengths: { title: title ?? 0, headings: headings ?? 0, address: address ?? 0, body: body ?? 0 },
  };
}

/** The occurrences of the term with this hash, or null. */
export function lookUp({ bytes, view, terms }: PackedWords, hash: number): Occurrences | null {
  let low = 0;
  let high = terms - 1;
  while (low <= high) {
    const middle = (low + high) >>> 1;
    const found = view.getUint32(HEAD_BYTES + middle * ENTRY_BYTES, true);
    if (found === hash) {
      const offset = view.getUint32(HEAD_BYTES + middle * ENTRY_BYTES + 4, true);
      return readOccurrences(bytes, HEAD_BYTES + terms * ENTRY_BYTES + offset);
    }
    if (found < hash) low = middle + 1;
    else high = middle - 1;
  }
  return null;
}

function readOccurrences(bytes: Uint8Array, start: number): Occurrences {
  let offset = start;
  const varint = (): number => {
    let value = 0;
    for (let shift = 0; ; shift += 7) {
      const byte = bytes[offset] ?? 0;
      offset += 1;
      value |= (byte & 0x7f) << shift;
      if (byte < 0x80) return value;
    }
  };
  const [title, headings, address, body] = FIELDS.map(() => {
    const count = varint();
    const places: number[] = [];
    if (count === 0) return { count, places };
    let last = 0;
    for (let left = varint(); left > 0; left -= 1) {
      last += varint();
      places.push(last);
    }
    return { count, places };
  });
  const none = { count: 0, places: [] };
  return { title: title ?? none, headings: headings ?? none, address: address ?? none, body: body ?? none };
}
