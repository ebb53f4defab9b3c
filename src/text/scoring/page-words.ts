import { type Term, termsOf } from '../words/words.ts';

/** The fields of a page that are scored separately. */
export const FIELDS = ['title', 'headings', 'address', 'body'] as const;
export type PageField = (typeof FIELDS)[number];

/** The texts of a page that terms are read from. */
export type PageTexts = {
  title: string;
  headings: string[];
  address: string;
  body: string;
  language: string | null;
};

/** The occurrences of a term in a field: how many, and the first places. */
type Occurrence = { count: number; places: number[] };
export type Occurrences = Record<PageField, Occurrence>;

/** The words of a page, for looking terms up by their hashes. */
export type PageLookUp = { lengths: Record<PageField, number>; find(hash: number): Occurrences | null };

/** The distinct terms of a page with their occurrences, the number of terms in each field, and the terms of the body in order. */
export type PageTerms = {
  terms: Map<string, Partial<Occurrences>>;
  lengths: Record<PageField, number>;
  body: readonly string[];
};

/** Heading number n starts at place n * HEADING_STRIDE, so that two places show whether they share a heading. */
export const HEADING_STRIDE = 64;

/** Terms of a text, and headings, that are read. */
export const BODY_TERMS_MAX = 200_000;
export const HEADINGS_MAX = 2_000;
/** Places that are kept of a term in a field. */
export const PLACES_MAX = 32;
const HAN_PAIR = /^\p{Script=Han}{2}$/u;

/** Reads a page into its terms. */
export function pageTerms(page: PageTexts): PageTerms {
  const body = termsOf(page.body, page.language);
  const found: PageTerms = {
    terms: new Map(),
    lengths: { title: 0, headings: 0, address: 0, body: 0 },
    body: body.map(({ text }) => text),
  };
  addField(found, 'title', termsOf(page.title, page.language));
  addField(found, 'address', termsOf(page.address, page.language));
  for (const [number, heading] of page.headings.slice(0, HEADINGS_MAX).entries()) {
    const terms = termsOf(heading, page.language);
    addField(
      found,
      'headings',
      terms,
      (place) => number * HEADING_STRIDE + Math.min(place, HEADING_STRIDE - 1),
    );
  }
  addField(found, 'body', body.slice(0, BODY_TERMS_MAX));
  return found;
}

function addField(
  found: PageTerms,
  field: PageField,
  terms: Term[],
  placed: (place: number) => number = (place) => place,
): void {
  for (const { text, place } of terms) {
    add(found.terms, text, { field, place: placed(place) });
    // A query of a single character must find the words that it is part of.
    if (HAN_PAIR.test(text))
      for (const character of text) add(found.terms, character, { field, place: placed(place) });
  }
  found.lengths[field] += terms.length;
}

function add(
  terms: PageTerms['terms'],
  text: string,
  { field, place }: { field: PageField; place: number },
): void {
  let occurrences = terms.get(text);
  if (occurrences === undefined) {
    occurrences = {};
    terms.set(text, occurrences);
  }
  const occurrence = occurrences[field];
  if (occurrence === undefined) occurrences[field] = { count: 1, places: [place] };
  else {
    occurrence.count += 1;
    if (occurrence.places.length < PLACES_MAX) occurrence.places.push(place);
  }
}
