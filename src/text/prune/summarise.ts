import type { ScoredChunk } from '../chunk/chunk-markdown.ts';
import { findSentenceEnds } from '../chunk/sentences.ts';
import { toPlainPage } from '../markup/visible-text.ts';
import { chooseHighlights } from './highlights.ts';

/** Number of passages in a summary, and its maximum length. */
const PASSAGES = 3;
const SUMMARY_CHARS_MAX = 900;

/**
 * Builds an extractive summary: the first sentences of the best passages, verbatim as plain text, in page order. Each passage gets
 * an equal share of the length.
 */
export function buildSummary(scored: ScoredChunk[]): string {
  const best = chooseHighlights(scored, { perUrl: PASSAGES, charsMax: null }).sort(
    (one, other) => one.start - other.start,
  );
  const share = Math.floor(SUMMARY_CHARS_MAX / Math.max(1, best.length));
  return best
    .map(({ markdown }) => takeFirstSentences(stripHeadings(markdown), share))
    .filter((text) => text !== '')
    .join(' ');
}

const stripHeadings = (markdown: string): string =>
  toPlainPage(markdown.replace(/^ {0,3}#{1,6} .*$/gm, ''))
    .replace(/\s+/g, ' ')
    .trim();

/** Returns the sentences that fit; if even the first is too long, it is cut at a word. */
function takeFirstSentences(text: string, charsMax: number): string {
  if (text.length <= charsMax) return text;
  const end = findSentenceEnds(text)
    .filter((at) => at <= charsMax)
    .at(-1);
  if (end !== undefined) return text.slice(0, end);
  const border = text.lastIndexOf(' ', charsMax - 1);
  return `${text.slice(0, border > 0 ? border : charsMax - 1).toWellFormed()}…`;
}
