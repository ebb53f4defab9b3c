/**
 * A piece of a page: Markdown of 400 to 700 characters with the headings above it. `start` and `end` are offsets into the
 * page's Markdown; the slices of its chunks joined are the page.
 */
export type Chunk = {
  markdown: string;
  headingPath: string[];
  start: number;
  end: number;
  /** Offsets of the headings of `headingPath` in the page. */
  headings?: readonly { start: number; end: number }[];
  /** What a cut adds around its slice: a table's header, a fence, quote marks. Absent: nothing. */
  added?: { before: string; after: string };
};
export type ScoredChunk = Chunk & {
  score: number;
  /** Two other orders of the chunks of a page; absent: 0. Plain BM25 of the best paragraph, and how well it tells what a question asks how to do. */
  words?: number;
  does?: number;
};

/** A part of a page's Markdown and the headings above its start, outermost first. */
export type Place = { start: number; end: number; headingPath: string[] };
