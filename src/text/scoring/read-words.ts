import { createHashedTerms, type HashedTerms, hashTerms } from '../words/hashed/hash-terms.ts';
import {
  BODY_TERMS_MAX,
  FIELDS,
  HEADING_STRIDE,
  HEADINGS_MAX,
  type Occurrences,
  type PageField,
  type PageLookUp,
  type PageTexts,
  PLACES_MAX,
} from './score-page.ts';

/** Terms of one field; the buffer is reused for the next. */
const shared = createHashedTerms();

/** Visits the terms of the fields of a page; `visit` must not keep its arguments. Returns the number of terms of each field. */
export function visitFields(
  { title, headings, address, body, language }: PageTexts,
  visit: (field: PageField, terms: HashedTerms) => void,
): Record<PageField, number> {
  const lengths = { title: 0, headings: 0, address: 0, body: 0 };
  const read = (field: PageField, text: string): void => {
    hashTerms(text, language, shared);
    lengths[field] += limitTerms(shared);
    visit(field, shared);
  };
  read('title', title);
  read('address', address);
  for (const [number, heading] of headings.slice(0, HEADINGS_MAX).entries()) {
    hashTerms(heading, language, shared);
    for (let at = 0; at < shared.count; at += 1)
      shared.places[at] = number * HEADING_STRIDE + Math.min(shared.places[at] ?? 0, HEADING_STRIDE - 1);
    lengths.headings += limitTerms(shared);
    visit('headings', shared);
  }
  read('body', body);
  return lengths;
}

/** Drops the terms beyond BODY_TERMS_MAX; returns the number of terms left, without extras. */
function limitTerms(terms: HashedTerms): number {
  let count = 0;
  for (let at = 0; at < terms.count; at += 1) {
    if (terms.extra[at] === 1) continue;
    if (count === BODY_TERMS_MAX) {
      terms.count = at;
      return count;
    }
    count += 1;
  }
  return count;
}

/** Reads a page so that terms can be looked up in it. Depends on its argument only. */
export const readWords = (page: PageTexts): PageLookUp => createLookUp(encodeWords(page));

/**
 * Encodes the words of a page as numbers: the length of each field, the number of labels (words outside the body), the hashes of
 * the labels, their places with their fields, the hashes of the body's words, their places with a mark on extras (hash-terms.ts).
 */
export function encodeWords(page: PageTexts): Uint32Array {
  const labels = { count: 0, hashes: new Uint32Array(64), places: new Uint32Array(64) };
  let body: HashedWords = { hashes: new Uint32Array(0), places: new Uint32Array(0) };
  const { title, headings, address, ...rest } = visitFields(
    page,
    (field, { count, hashes, places, extra }) => {
      const read = { hashes: hashes.subarray(0, count), places: places.subarray(0, count) };
      if (field !== 'body') return addLabels(labels, read, FIELDS.indexOf(field));
      for (let at = 0; at < count; at += 1)
        if (extra[at] === 1) read.places[at] = EXTRA | (places[at] as number);
      // The body comes last, so that the shared buffer is not overwritten before the body is copied.
      body = read;
    },
  );
  const { count } = labels;
  const words = new Uint32Array(BEGIN + 2 * (count + body.hashes.length));
  words.set([title, headings, address, rest.body, count]);
  words.set(labels.hashes.subarray(0, count), BEGIN);
  words.set(labels.places.subarray(0, count), BEGIN + count);
  words.set(body.hashes, BEGIN + 2 * count);
  words.set(body.places, BEGIN + 2 * count + body.hashes.length);
  return words;
}

/** Offset of the hashes of labels. */
const BEGIN = FIELDS.length + 1;
/** Places are below 2^30, and there are four fields. */
const FIELD_SHIFT = 30;
const PLACE_MASK = 2 ** FIELD_SHIFT - 1;
const EXTRA = 1 << FIELD_SHIFT;

const sliceBody = (words: Uint32Array): HashedWords => {
  const start = BEGIN + 2 * (words[FIELDS.length] ?? 0);
  const end = start + (words.length - start) / 2;
  return { hashes: words.subarray(start, end), places: words.subarray(end) };
};

/** Returns the hashes of the body's words in text order, without extras, from the result of `encodeWords`. */
export function readBodyWords(words: Uint32Array): Uint32Array {
  const { hashes, places } = sliceBody(words);
  return hashes.filter((_, at) => ((places[at] as number) & EXTRA) === 0);
}

/** Looks up terms in the result of `encodeWords`. */
export function createLookUp(words: Uint32Array): PageLookUp {
  const [title = 0, headings = 0, address = 0, body = 0, labels = 0] = words;
  const { hashes, places } = sliceBody(words);
  return {
    lengths: { title, headings, address, body },
    find(hash) {
      let found: FieldOccurrences | null = null;
      for (let at = BEGIN; at < BEGIN + labels; at += 1) {
        if (words[at] !== hash) continue;
        found ??= createOccurrences();
        const place = words[at + labels] as number;
        addPlace(found, place >>> FIELD_SHIFT, place & PLACE_MASK);
      }
      for (let at = hashes.indexOf(hash); at >= 0; at = hashes.indexOf(hash, at + 1)) {
        found ??= createOccurrences();
        addPlace(found, BODY, (places[at] as number) & PLACE_MASK);
      }
      return found === null ? null : toOccurrences(found);
    },
  };
}

type HashedWords = { hashes: Uint32Array; places: Uint32Array };
const BODY = FIELDS.indexOf('body');

function addLabels(
  labels: HashedWords & { count: number },
  { hashes, places }: HashedWords,
  field: number,
): void {
  const needed = labels.count + hashes.length;
  if (needed > labels.hashes.length) {
    const [moreHashes, morePlaces] = [new Uint32Array(needed * 2), new Uint32Array(needed * 2)];
    moreHashes.set(labels.hashes);
    morePlaces.set(labels.places);
    Object.assign(labels, { hashes: moreHashes, places: morePlaces });
  }
  labels.hashes.set(hashes, labels.count);
  for (let at = 0; at < places.length; at += 1)
    labels.places[labels.count + at] = ((places[at] as number) | (field << FIELD_SHIFT)) >>> 0;
  labels.count = needed;
}

type FieldOccurrences = { count: number; places: number[] }[];

const createOccurrences = (): FieldOccurrences => FIELDS.map(() => ({ count: 0, places: [] }));

function addPlace(found: FieldOccurrences, field: number, place: number): void {
  const occurrence = found[field];
  if (occurrence === undefined) return;
  occurrence.count += 1;
  if (occurrence.places.length < PLACES_MAX) occurrence.places.push(place);
}

function toOccurrences([title, headings, address, body]: FieldOccurrences): Occurrences {
  const none = { count: 0, places: [] };
  return { title: title ?? none, headings: headings ?? none, address: address ?? none, body: body ?? none };
}
