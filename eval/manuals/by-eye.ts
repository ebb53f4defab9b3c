import { readFileSync } from 'node:fs';
import type { Given } from './ask.ts';
import type { Judged } from './judge.ts';
import { shownText } from './shown-text.ts';

/** What is judged of a question: its first page, the first highlight of that, and the quoted answer. */
const PARTS = ['page', 'highlight', 'quotation'] as const;
type Part = (typeof PARTS)[number];

/** What someone who read it said of what was given; `why` where the fixed pattern says otherwise. */
export type Verdict = { id: string; what: Part; given: string; right: boolean; why?: string };
/** `isRead`: false where nobody has read what is given now, and the pattern decides. */
export type SeenByEye = { what: Part; given: string; right: boolean; isRead: boolean };

/** Characters of a text that tell it from others: of its beginning and of its end. */
const EXCERPT = { begin: 100, end: 60 };

/** Reads verdicts, a line of JSON each. */
export function readVerdicts(path: string): Verdict[] {
  return readFileSync(path, 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Verdict);
}

/** Each part of what was given for a question, judged by eye, or by the pattern where nobody has read it; what is not given is left out. */
export function judgeByEye(
  id: string,
  { pages, quote }: Given,
  { judged, verdicts }: { judged: Judged; verdicts: readonly Verdict[] },
): SeenByEye[] {
  const [first] = pages;
  const parts: Record<Part, { text: string | undefined; right: boolean }> = {
    page: { text: first && pathOf(first.url), right: judged.pageFirst },
    highlight: { text: first?.highlights[0], right: judged.highlightFirst },
    quotation: { text: quote ?? undefined, right: judged.quoteRight },
  };
  return PARTS.flatMap((what) => {
    const { text, right } = parts[what];
    if (text === undefined) return [];
    const given = excerptOf(text);
    const verdict = verdicts.find((one) => one.id === id && one.what === what && one.given === given);
    return [{ what, given, right: verdict?.right ?? right, isRead: verdict !== undefined }];
  });
}

const pathOf = (url: string): string => new URL(url).pathname.slice(1);

/** A text as its verdict names it. */
function excerptOf(text: string): string {
  const shown = shownText(text).trim();
  const { begin, end } = EXCERPT;
  return shown.length <= begin + end ? shown : `${shown.slice(0, begin)} … ${shown.slice(-end)}`;
}
