import { toVisibleText } from '../text/markup/visible-text.ts';
import { buildSketchFromHashes } from '../text/near-duplicates/near-duplicates.ts';
import { type Filters, parseDomainFilter } from '../text/query/filters.ts';
import { buildLibraryMarks } from '../text/query/library-filter.ts';
import { packWords } from '../text/scoring/packed-words.ts';
import { type PageTerms, readPageTerms } from '../text/scoring/page-terms.ts';
import { visitFields } from '../text/scoring/read-words.ts';
import { FIELDS, type PageField, type PageTexts } from '../text/scoring/score-page.ts';
import { hashTerm } from '../text/words/hashed/hash-terms.ts';
import type { IndexedPage } from './local-index-types.ts';
import type { PostedTerms } from './postings/fresh-segment.ts';
import { LEVEL_MAX } from './postings/posting-format.ts';

/*
 * Marks are terms that implement filters: `h:example.com` for the host and each of its parent domains, `p:/docs` for each leading
 * part of the path, `l:npm:fastify@5.1.0` and `k:guide` for what the page documents. They have posting lists, as words do.
 */
const LABELS_MAX = 12;
const SEGMENTS_MAX = 8;
const toPathMark = (path: string): string => `p:${path}`;
/** Returns whether a path has more segments than marks cover. */
export const isDeep = (path: string): boolean => path.split('/').length - 1 > SEGMENTS_MAX;

/*
 * The packed form of a sketch (text/near-duplicates): the high 24 bits of each of its ascending numbers, delta-encoded as varints.
 * Two texts without a common run still share a number in about one of some hundred pairs, which changes no result.
 */
const DROPPED_BITS = 8;
const BYTES_PER_NUMBER = 4;

/** A bit for each field that a term occurs in. */
const FIELD_BITS: Readonly<Record<PageField, number>> = { title: 1, headings: 2, address: 4, body: 8 };
/** A hash table with open addressing, reused for the next page. */
const table = { slots: new Int32Array(1 << 12), ...createEntries(1 << 11), size: 0 };

/** The index entries of a page. */
export type PageTokens = {
  terms: PostedTerms;
  lengths: Record<PageField, number>;
  /** The packed words and sketch of a long page; null for a short page, whose text is read at query time. */
  packed: PackedTerms | null;
};

type PackedTerms = { words: Uint8Array; sketch: Uint8Array };

/** Body terms from which a page counts as long. */
const LONG_FROM = 2_000;

/**
 * Parameters of a term's level: BM25F's saturation of its occurrences, plus shares for a heading, the title and the address. The
 * level only proposes candidates (index-ranking.ts orders them), so one usual body length suffices for all pages.
 */
const WORTH = {
  k1: 1.2,
  b: 0.7,
  bodyLength: 500,
  counts: { title: 2, headings: 1, address: 1 },
  shares: { headings: 0.5, title: 0.45, address: 0.2 },
  most: 2.15,
};

/** Pure: extracts the terms of a page and counts those of each field. Throws if the page's address is invalid. */
export function tokenizePage(page: IndexedPage): PageTokens {
  const address = new URL(page.url);
  const counts = createFieldCounts();
  const texts = buildPageTexts(page, address);
  const lengths = visitFields(texts, (field, { count, hashes }) => {
    const bit = FIELD_BITS[field];
    for (let at = 0; at < count; at += 1) counts.add(hashes[at] as number, bit);
  });
  return {
    terms: buildPostedTerms(counts, { length: lengths.body, marks: buildMarks(page, address) }),
    lengths,
    packed: lengths.body < LONG_FROM ? null : packTerms(readPageTerms(texts)),
  };
}

/** A page as terms with their occurrences; `marks`: the terms of filters; `body`: its text without markup. */
type ReadTerms = { terms: PageTerms; marks: string[]; body: string };

/** Pure: reads a page into terms with their occurrences. Throws if the page's address is invalid. */
export function readTerms(page: IndexedPage): ReadTerms {
  const address = new URL(page.url);
  const texts = buildPageTexts(page, address);
  return { terms: readPageTerms(texts), marks: buildMarks(page, address), body: texts.body };
}

const buildMarks = ({ library }: IndexedPage, { hostname, pathname }: URL): string[] => [
  ...buildHostMarks(hostname),
  ...buildPathMarks(pathname),
  ...buildLibraryMarks(library),
];

/** Pure: packs the words that a page is ranked by and the sketch that it is compared by. */
export function packTerms(read: PageTerms): PackedTerms & Pick<PageTokens, 'lengths'> {
  return {
    words: packWords(read),
    sketch: packSketch(buildSketchFromHashes(read.body)),
    lengths: read.lengths,
  };
}

/** Pure: collects the texts of a page from which terms are read. */
export function buildPageTexts(
  { title, headings, markdown, language }: Pick<IndexedPage, 'title' | 'headings' | 'markdown' | 'language'>,
  address: URL,
): PageTexts {
  return { title, headings, address: extractAddressWords(address), body: toVisibleText(markdown), language };
}

/** Extracts the words of an address: those of its path, without the extension. */
function extractAddressWords({ pathname }: URL): string {
  let path = pathname;
  try {
    path = decodeURIComponent(pathname);
  } catch {
    // A path with a stray percent sign is used undecoded.
  }
  return path.replace(/\.[a-z0-9]{1,5}$/i, '').replace(/[/_-]+/g, ' ');
}

function buildPostedTerms(
  counts: FieldCounts,
  { length, marks }: { length: number; marks: string[] },
): PostedTerms {
  const hashes = new Uint32Array(counts.size() + marks.length);
  const levels = new Uint8Array(hashes.length);
  const norm = 1 - WORTH.b + (WORTH.b * length) / WORTH.bodyLength;
  let at = 0;
  counts.visit((hash, count, fields) => {
    hashes[at] = hash;
    levels[at] = computeLevel(count / norm, fields);
    at += 1;
  });
  for (const mark of marks) hashes[at++] = hashTerm(mark);
  return { hashes, levels };
}

/** Computes the level of each term of a page: how much it tells about the page, from 1 to LEVEL_MAX. */
export function computeLevels({ hashes, starts, fields, lengths }: PageTerms): Uint8Array {
  const norm = 1 - WORTH.b + (WORTH.b * lengths.body) / WORTH.bodyLength;
  return Uint8Array.from(hashes, (_, term) => {
    let [inBody, bits] = [0, 0];
    for (let at = starts[term] as number; at < (starts[term + 1] as number); at += 1) {
      const bit = BIT_OF[fields[at] as number] as number;
      bits |= bit;
      if (bit === FIELD_BITS.body) inBody += 1;
    }
    return computeLevel(inBody / norm, bits);
  });
}

const BIT_OF = FIELDS.map((field) => FIELD_BITS[field]);

/** `count`: occurrences in the body, normalized to a body of usual length. */
function computeLevel(count: number, fields: number): number {
  const { k1, counts, shares, most } = WORTH;
  let said = count;
  let worth = 0;
  for (const field of ['title', 'headings', 'address'] as const) {
    if ((fields & FIELD_BITS[field]) === 0) continue;
    said += counts[field];
    worth += shares[field];
  }
  worth += said / (said + k1);
  return Math.min(LEVEL_MAX, 1 + Math.round(((LEVEL_MAX - 1) * worth) / most));
}

/** Counts how often the terms of one page occur in its body, and records in which fields. */
type FieldCounts = {
  add(hash: number, bit: number): void;
  size(): number;
  /** Visits the terms in the order in which they were first added. */
  visit(see: (hash: number, bodyCount: number, fields: number) => void): void;
};

function createEntries(length: number) {
  return { hashes: new Uint32Array(length), counts: new Uint32Array(length), fields: new Uint8Array(length) };
}

/** Creates the counts of a new page, which invalidates those of the page before. */
function createFieldCounts(): FieldCounts {
  table.slots.fill(0);
  table.size = 0;
  return {
    add(hash, bit) {
      const entry = ensureEntry(hash);
      table.fields[entry] = (table.fields[entry] as number) | bit;
      if (bit === FIELD_BITS.body) table.counts[entry] = (table.counts[entry] as number) + 1;
    },
    size: () => table.size,
    visit(see) {
      for (let entry = 0; entry < table.size; entry += 1)
        see(table.hashes[entry] as number, table.counts[entry] as number, table.fields[entry] as number);
    },
  };
}

function ensureEntry(hash: number): number {
  const slot = findSlot(hash);
  const held = table.slots[slot] as number;
  if (held !== 0) return held - 1;
  if (table.size === table.hashes.length) {
    grow();
    return ensureEntry(hash);
  }
  const entry = table.size;
  table.size += 1;
  table.slots[slot] = table.size;
  table.hashes[entry] = hash;
  table.counts[entry] = 0;
  table.fields[entry] = 0;
  return entry;
}

/** Finds the slot of a hash, or the free slot where it belongs. */
function findSlot(hash: number): number {
  const mask = table.slots.length - 1;
  let slot = hash & mask;
  for (let held = table.slots[slot] as number; held !== 0; held = table.slots[slot] as number) {
    if (table.hashes[held - 1] === hash) return slot;
    slot = (slot + 1) & mask;
  }
  return slot;
}

function grow(): void {
  const { hashes, counts, fields, size } = table;
  const larger = createEntries(hashes.length * 2);
  larger.hashes.set(hashes);
  larger.counts.set(counts);
  larger.fields.set(fields);
  Object.assign(table, larger, { slots: new Int32Array(table.slots.length * 2) });
  for (let entry = 0; entry < size; entry += 1) table.slots[findSlot(hashes[entry] as number)] = entry + 1;
}

export function packSketch(sketch: Uint32Array): Uint8Array {
  const bytes = new Uint8Array(sketch.length * BYTES_PER_NUMBER);
  let length = 0;
  let last = 0;
  for (const number of sketch) {
    const kept = number >>> DROPPED_BITS;
    let rest = kept - last;
    last = kept;
    while (rest > 0x7f) {
      bytes[length++] = (rest & 0x7f) | 0x80;
      rest >>>= 7;
    }
    bytes[length++] = rest;
  }
  return bytes.slice(0, length);
}

export function unpackSketch(bytes: Uint8Array): Uint32Array {
  const numbers: number[] = [];
  let last = 0;
  for (let at = 0; at < bytes.length; ) {
    let step = 0;
    for (let shift = 0; ; shift += 7) {
      const byte = bytes[at++] ?? 0;
      step |= (byte & 0x7f) << shift;
      if (byte < 0x80) break;
    }
    last += step;
    numbers.push(last * 2 ** DROPPED_BITS);
  }
  return Uint32Array.from(numbers);
}

/** Returns the marks of a host and of the domains above it. */
export function buildHostMarks(hostname: string): string[] {
  const labels = hostname.replace(/\.$/, '').split('.');
  const parents = labels.map((_, index) => labels.slice(index).join('.'));
  return [...new Set([parents[0] ?? '', ...parents.slice(-LABELS_MAX)])].map((host) => `h:${host}`);
}

/** Returns the marks of a path and of its leading parts, cut at segment borders. */
export function buildPathMarks(pathname: string): string[] {
  const segments = pathname.split('/').slice(1);
  if (segments.at(-1) === '') segments.pop();
  return segments
    .slice(0, SEGMENTS_MAX)
    .map((_, index) => toPathMark(`/${segments.slice(0, index + 1).join('/')}`));
}

/** A domain filter as the marks of the pages that it matches; `path` is null when any path matches. */
export type MarkedDomain = { host: string; path: string | null };

/**
 * Converts the domain filters of a query: a page must match one of `included` (null: no restriction) and none of `excluded`. Paths
 * deeper than the marks let too many pages through, so the caller checks each page again.
 */
export function buildDomainMarks({
  includeDomains,
  excludeDomains,
}: Pick<Filters, 'includeDomains' | 'excludeDomains'>): {
  included: MarkedDomain[] | null;
  excluded: MarkedDomain[];
} {
  const markDomains = (domains: string[], use: 'include' | 'exclude'): MarkedDomain[] =>
    domains.map((text) => markDomain(text, use)).filter((marks) => marks !== null);
  return {
    included: includeDomains.length === 0 ? null : markDomains(includeDomains, 'include'),
    excluded: markDomains(excludeDomains, 'exclude'),
  };
}

function markDomain(text: string, use: 'include' | 'exclude'): MarkedDomain | null {
  const filter = parseDomainFilter(text);
  if (filter === null) return null;
  const host = `h:${filter.host}`;
  if (filter.path === '') return { host, path: null };
  if (!isDeep(filter.path)) return { host, path: toPathMark(filter.path) };
  return use === 'include' ? { host, path: null } : null;
}
