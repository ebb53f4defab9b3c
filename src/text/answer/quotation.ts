/** A page that may be quoted; `language` selects the stemmer, null when unknown. */
export type AnswerPage = { url: string; title: string; markdown: string; language: string | null };

/** A quotation with its citation: the hash of the source text, and a link that opens the page there. */
export type QuotedAnswer = Quotation & { contentHash: string; link: string };

/**
 * A page's answer to a question, verbatim: `markdown.slice(start, end)`. A table row is preceded by the header of its table, and
 * cut code has its fence closed.
 */
export type Quotation = {
  text: string;
  url: string;
  title: string;
  /** Texts of the headings above it, outermost first. */
  headingPath: string[];
  start: number;
  end: number;
  /** The confidence that it contains the answer, from 0 to 1. */
  score: number;
};
