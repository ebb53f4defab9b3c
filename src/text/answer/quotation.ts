/** A page that may be quoted; `language` picks the stemmer, null when unknown. */
export type AnswerPage = { url: string; title: string; markdown: string; language: string | null };

/** A quotation with its proof: the name of the text that it was taken from, and a link that opens the page where it stands. */
export type QuotedAnswer = Quotation & { contentHash: string; link: string };

/**
 * What a page says in answer to a question, in its own words: `markdown.slice(start, end)`. A table row has the header of
 * its table set above it, code that is cut has its fence closed.
 */
export type Quotation = {
  text: string;
  url: string;
  title: string;
  /** Texts of the headings above it, outermost first. */
  headingPath: string[];
  start: number;
  end: number;
  /** How sure it is that the answer stands in it, from 0 to 1. */
  score: number;
};
