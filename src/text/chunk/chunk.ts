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
  /** Text that a cut adds around its slice: a table's header, a fence, quote marks. Absent: nothing. */
  added?: { before: string; after: string };
};
export type ScoredChunk = Chunk & {
  score: number;
  /**
   * Two other scores of the chunks of a page; absent: 0. `words`: plain BM25 of the best paragraph; `does`: how well it answers a
   * how-to question.
   */
  words?: number;
  does?: number;
};

/** A part of a page's Markdown and the headings above its start, outermost first. */
export type Place = { start: number; end: number; headingPath: string[] };
