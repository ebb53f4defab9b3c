import type { PageTerms } from './page-terms.ts';
import { FIELDS, type Occurrences, type PageLookUp, PLACES_MAX } from './score-page.ts';

/*
 * The terms of a page, packed so that a query can look up its own terms without reading the page again:
 *
 *   varints: terms, length of each field (4)
 *   terms x u24: the first 24 bits of each hash, ascending
 *   u24 for every 16th term: offset of its occurrences
 *   occurrences of each term: a byte with a bit for each field that has it and, above them, the count in the body up to
 *   COUNT_SMALL; for each such field its count (that of the body only if it is greater) and its places, up to PLACES_MAX,
 *   each as the step from the previous one: varints
 *
 * Little endian. Two terms of one page with the same 24 bits (in one page of a thousand) may count as one of them.
 */
const HASH_BITS = 24;
const GROUP = 16;
const U24_BYTES = 3;
const BODY = FIELDS.indexOf('body');
const COUNT_SHIFT = FIELDS.length;
/** A greater value means that the count follows. */
const COUNT_SMALL = 14;

/** `start`: offset of the hashes. */
type PackedWords = { bytes: Uint8Array; terms: number; start: number };

const toKey = (hash: number): number => hash >>> (32 - HASH_BITS);

/** Growing output buffer; only the first `length` bytes are valid. */
const out = { bytes: new Uint8Array(1 << 14), length: 0 };

export function packWords(page: PageTerms): Uint8Array {
  const { hashes, lengths } = page;
  out.length = 0;
  writeVarint(hashes.length);
  for (const field of FIELDS) writeVarint(lengths[field]);
  for (const hash of hashes) writeU24(toKey(hash));
  const starts = out.length;
  for (let group = 0; group < hashes.length; group += GROUP) writeU24(0);
  const data = out.length;
  for (let term = 0; term < hashes.length; term += 1) {
    if (term % GROUP === 0) putU24(starts + (term / GROUP) * U24_BYTES, out.length - data);
    writeOccurrences(page, term);
  }
  return out.bytes.slice(0, out.length);
}

/** Occurrences of one term in each field. */
const counts = FIELDS.map(() => 0);

function writeOccurrences({ starts, fields, places }: PageTerms, term: number): void {
  const [from, to] = [starts[term] ?? 0, starts[term + 1] ?? 0];
  counts.fill(0);
  for (let at = from; at < to; at += 1)
    counts[fields[at] as number] = (counts[fields[at] as number] ?? 0) + 1;
  const inBody = counts[BODY] ?? 0;
  let head = Math.min(inBody, COUNT_SMALL + 1) << COUNT_SHIFT;
  for (let index = 0; index < FIELDS.length; index += 1) if (counts[index] !== 0) head |= 1 << index;
  writeByte(head);
  for (let index = 0; index < FIELDS.length; index += 1) {
    const count = counts[index] ?? 0;
    if (count === 0) continue;
    if (index !== BODY || inBody > COUNT_SMALL) writeVarint(count);
    let left = Math.min(count, PLACES_MAX);
    let last = 0;
    for (let at = from; left > 0; at += 1) {
      if (fields[at] !== index) continue;
      const place = places[at] as number;
      writeVarint(place - last);
      last = place;
      left -= 1;
    }
  }
}

function reserveBytes(bytes: number): void {
  if (out.length + bytes <= out.bytes.length) return;
  const larger = new Uint8Array(out.bytes.length * 2);
  larger.set(out.bytes);
  out.bytes = larger;
}

const VARINT_BYTES_MAX = 5;

function writeByte(value: number): void {
  reserveBytes(1);
  out.bytes[out.length++] = value;
}

function writeVarint(value: number): void {
  reserveBytes(VARINT_BYTES_MAX);
  let rest = value;
  while (rest > 0x7f) {
    out.bytes[out.length++] = (rest & 0x7f) | 0x80;
    rest >>>= 7;
  }
  out.bytes[out.length++] = rest;
}

function writeU24(value: number): void {
  reserveBytes(U24_BYTES);
  putU24(out.length, value);
  out.length += U24_BYTES;
}

function putU24(at: number, value: number): void {
  out.bytes[at] = value & 0xff;
  out.bytes[at + 1] = (value >>> 8) & 0xff;
  out.bytes[at + 2] = value >>> 16;
}

/** Reads varints one after the other. */
type Cursor = { bytes: Uint8Array; at: number };

function readVarint(cursor: Cursor): number {
  let value = 0;
  for (let shift = 0; ; shift += 7) {
    const byte = cursor.bytes[cursor.at++] ?? 0;
    value |= (byte & 0x7f) << shift;
    if (byte < 0x80) return value;
  }
}

const readU24 = (bytes: Uint8Array, at: number): number =>
  (bytes[at] ?? 0) | ((bytes[at + 1] ?? 0) << 8) | ((bytes[at + 2] ?? 0) << 16);

/** Opens a packed page for looking up terms. */
export function openWords(bytes: Uint8Array): PageLookUp {
  const cursor = { bytes, at: 0 };
  const terms = readVarint(cursor);
  const [title = 0, headings = 0, address = 0, body = 0] = FIELDS.map(() => readVarint(cursor));
  const packed = { bytes, terms, start: cursor.at };
  return { lengths: { title, headings, address, body }, find: (hash) => findTerm(packed, hash) };
}

/** Returns the occurrences of the term with this hash, or null. */
function findTerm({ bytes, terms, start }: PackedWords, hash: number): Occurrences | null {
  const key = toKey(hash);
  let low = 0;
  let high = terms - 1;
  while (low <= high) {
    const middle = (low + high) >>> 1;
    const found = readU24(bytes, start + middle * U24_BYTES);
    if (found === key) return readOccurrencesAt({ bytes, terms, start }, middle);
    if (found < key) low = middle + 1;
    else high = middle - 1;
  }
  return null;
}

function readOccurrencesAt({ bytes, terms, start }: PackedWords, term: number): Occurrences {
  const starts = start + terms * U24_BYTES;
  const data = starts + Math.ceil(terms / GROUP) * U24_BYTES;
  const group = Math.floor(term / GROUP);
  const cursor = { bytes, at: data + readU24(bytes, starts + group * U24_BYTES) };
  for (let before = group * GROUP; before < term; before += 1) skipOccurrences(cursor);
  return readOccurrences(cursor);
}

function skipOccurrences(cursor: Cursor): void {
  const head = cursor.bytes[cursor.at++] ?? 0;
  for (let index = 0; index < FIELDS.length; index += 1) {
    if ((head & (1 << index)) === 0) continue;
    for (let left = Math.min(readCount(cursor, { head, index }), PLACES_MAX); left > 0; left -= 1) {
      while ((cursor.bytes[cursor.at++] ?? 0) > 0x7f);
    }
  }
}

function readCount(cursor: Cursor, { head, index }: { head: number; index: number }): number {
  const small = head >>> COUNT_SHIFT;
  return index === BODY && small <= COUNT_SMALL ? small : readVarint(cursor);
}

function readOccurrences(cursor: Cursor): Occurrences {
  const head = cursor.bytes[cursor.at++] ?? 0;
  const [title, headings, address, body] = FIELDS.map((_, index) => {
    const places: number[] = [];
    if ((head & (1 << index)) === 0) return { count: 0, places };
    const count = readCount(cursor, { head, index });
    let last = 0;
    for (let left = Math.min(count, PLACES_MAX); left > 0; left -= 1) {
      last += readVarint(cursor);
      places.push(last);
    }
    return { count, places };
  });
  const none = { count: 0, places: [] };
  return { title: title ?? none, headings: headings ?? none, address: address ?? none, body: body ?? none };
}
