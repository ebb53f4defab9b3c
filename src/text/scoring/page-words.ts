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

/** The occurrences of a term in a field: their count, and the first places. */
type Occurrence = { count: number; places: number[] };
export type Occurrences = Record<PageField, Occurrence>;

/** The words of a page, for looking up terms by their hashes. */
export type PageLookUp = { lengths: Record<PageField, number>; find(hash: number): Occurrences | null };

/** Heading number n starts at place n * HEADING_STRIDE, so places show whether two terms share a heading. */
export const HEADING_STRIDE = 64;

/** Maximum terms of a text, and maximum headings, that are read. */
export const BODY_TERMS_MAX = 200_000;
export const HEADINGS_MAX = 2_000;
/** Maximum places kept per term and field. */
export const PLACES_MAX = 32;
