import { type HashedTerms, hashTerms, noTerms } from '../words/hashed/hash-terms.ts';
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
} from './page-words.ts';

/** The terms of one field; used again for the next. */
const shared = noTerms();

/** Visits the terms of the fields of a page; `visit` must not keep what it is given. Returns how many terms each field has. */
export function visitFields(
  { title, headings, address, body, language }: PageTexts,
  visit: (field: PageField, terms: HashedTerms) => void,
): Record<PageField, number> {
  const lengths = { title: 0, headings: 0, address: 0, body: 0 };
  const read = (field: PageField, text: string): void => {
    hashTerms(text, language, shared);
    lengths[field] += bound(shared);
    visit(field, shared);
  };
  read('title', title);
  read('address', address);
  for (const [number, heading] of headings.slice(0, HEADINGS_MAX).entries()) {
    hashTerms(heading, language, shared);
    for (let at = 0; at < shared.count; at += 1)
      shared.places[at] = number * HEADING_STRIDE + Math.min(shared.places[at] ?? 0, HEADING_STRIDE - 1);
    lengths.headings += bound(shared);
    visit('headings', shared);
  }
  read('body', body);
  return lengths;
}

/** Leaves out what is beyond the bound; returns how many terms there are, without extras. */
function bound(terms: HashedTerms): number {
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

/** Pure: reads a page so that terms can be looked up in it. */
export function readWords(page: PageTexts): PageLookUp {
  const labels = {
    count: 0,
    hashes: new Uint32Array(64),
    places: new Uint32Array(64),
    fields: new Uint8Array(64),
  };
  let [body, places] = [new Uint32Array(0), new Uint32Array(0)];
  const lengths = visitFields(page, (field, terms) => {
    if (field === 'body') {
      body = terms.hashes.slice(0, terms.count);
      places = terms.places.slice(0, terms.count);
    } else addLabels(labels, terms, FIELDS.indexOf(field));
  });
  return {
    lengths,
    find(hash) {
      let found: Found | null = null;
      for (let at = 0; at < labels.count; at += 1) {
        if (labels.hashes[at] !== hash) continue;
        found ??= noOccurrences();
        addPlace(found, labels.fields[at] ?? 0, labels.places[at] ?? 0);
      }
      for (let at = body.indexOf(hash); at >= 0; at = body.indexOf(hash, at + 1)) {
        found ??= noOccurrences();
        addPlace(found, BODY, places[at] ?? 0);
      }
      return found === null ? null : occurrencesOf(found);
    },
  };
}

type Labels = { count: number; hashes: Uint32Array; places: Uint32Array; fields: Uint8Array };
const BODY = FIELDS.indexOf('body');

function addLabels(labels: Labels, { count, hashes, places }: HashedTerms, field: number): void {
  const needed = labels.count + count;
  if (needed > labels.hashes.length) {
    const length = needed * 2;
    const [moreHashes, morePlaces] = [new Uint32Array(length), new Uint32Array(length)];
    const moreFields = new Uint8Array(length);
    moreHashes.set(labels.hashes);
    morePlaces.set(labels.places);
    moreFields.set(labels.fields);
    Object.assign(labels, { hashes: moreHashes, places: morePlaces, fields: moreFields });
  }
  labels.hashes.set(hashes.subarray(0, count), labels.count);
  labels.places.set(places.subarray(0, count), labels.count);
  labels.fields.fill(field, labels.count, needed);
  labels.count = needed;
}

type Found = { count: number; places: number[] }[];

const noOccurrences = (): Found => FIELDS.map(() => ({ count: 0, places: [] }));

function addPlace(found: Found, field: number, place: number): void {
  const occurrence = found[field];
  if (occurrence === undefined) return;
  occurrence.count += 1;
  if (occurrence.places.length < PLACES_MAX) occurrence.places.push(place);
}

function occurrencesOf([title, headings, address, body]: Found): Occurrences {
  const none = { count: 0, places: [] };
  return { title: title ?? none, headings: headings ?? none, address: address ?? none, body: body ?? none };
}
