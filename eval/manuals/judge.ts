import type { Given } from './ask.ts';
import { shownText } from './shown-text.ts';

const CHARS_PER_TOKEN = 4;

export type Question = {
  id: string;
  manual: string;
  question: string;
  /** Paths within the manual of the pages that answer it. */
  pages: string[];
  /** A text that matches one of these holds the answer. */
  answers: RegExp[];
};

export type Judged = {
  /** Which of the pages are right, in their order. */
  pages: boolean[];
  /** Which of the first page's highlights hold the answer. */
  highlights: boolean[];
  quoted: boolean;
  quoteRight: boolean;
  /** The pruned context of the pages together holds the answer. */
  contextRight: boolean;
  contextTokens: number;
};

/** Judges what was given by the fixed pages and patterns of a question. */
export function judge(question: Question, { pages, quote }: Given): Judged {
  const isRightPage = (url: string) => question.pages.some((path) => url.endsWith(`/${path}`));
  const holdsAnswer = (text: string) => {
    const plain = shownText(text);
    return question.answers.some((answer) => answer.test(plain));
  };
  const contexts = pages.map(({ prunedContext }) => prunedContext);
  return {
    pages: pages.map(({ url }) => isRightPage(url)),
    highlights: (pages[0]?.highlights ?? []).map(holdsAnswer),
    quoted: quote !== null,
    quoteRight: quote !== null && holdsAnswer(quote),
    contextRight: contexts.some(holdsAnswer),
    contextTokens: Math.round(contexts.join('').length / CHARS_PER_TOKEN),
  };
}
