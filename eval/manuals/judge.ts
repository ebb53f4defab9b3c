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
  pageFirst: boolean;
  pageInThree: boolean;
  /** The first highlight of the first page holds the answer. */
  highlightFirst: boolean;
  /** One of the first page's highlights does. */
  highlightInThree: boolean;
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
  const highlights = pages[0]?.highlights ?? [];
  const contexts = pages.map(({ prunedContext }) => prunedContext);
  return {
    pageFirst: isRightPage(pages[0]?.url ?? ''),
    pageInThree: pages.some(({ url }) => isRightPage(url)),
    highlightFirst: holdsAnswer(highlights[0] ?? ''),
    highlightInThree: highlights.some(holdsAnswer),
    quoted: quote !== null,
    quoteRight: quote !== null && holdsAnswer(quote),
    contextRight: contexts.some(holdsAnswer),
    contextTokens: Math.round(contexts.join('').length / CHARS_PER_TOKEN),
  };
}
