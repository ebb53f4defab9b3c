import { canonicalUrl } from '../../src/text/urls/url-spelling.ts';
import { plainText } from '../../src/text/words/plain-text.ts';

/** A question with its answer, and the addresses of the pages that it was taken from. */
export type OpenQuestion = { question: string; answer: string; urls: string[] };

/** The places, from 1, of the first source and of the first page that says the answer; null: none was found. */
export type Found = { question: OpenQuestion; source: number | null; answer: number | null };

/** Pure: judges the pages that were found for a question, the best first. */
export function judgeFound(question: OpenQuestion, pages: readonly { url: string; text: string }[]): Found {
  const sources = new Set(question.urls.map(keyOf));
  const answer = spoken(question.answer);
  const placeOf = (holds: (page: { url: string; text: string }) => boolean): number | null => {
    const place = pages.findIndex(holds);
    return place === -1 ? null : place + 1;
  };
  return {
    question,
    source: placeOf(({ url }) => sources.has(keyOf(url))),
    answer: answer.trim() === '' ? null : placeOf(({ text }) => spoken(plainText(text)).includes(answer)),
  };
}

/** The share of the questions for which something was found at a place up to `rank`. */
export function shareWithin(found: readonly Found[], what: 'source' | 'answer', rank: number): number {
  const within = found.filter((one) => (one[what] ?? Number.POSITIVE_INFINITY) <= rank);
  return found.length === 0 ? 0 : within.length / found.length;
}

/** One key for the spellings of an address, mobile hosts and escapes included. */
function keyOf(url: string): string {
  const address = URL.parse(canonicalUrl(url));
  if (address === null) return url;
  const host = address.hostname.replace(/^www\./, '').replace(/\.m\./, '.');
  let path = address.pathname;
  try {
    path = decodeURIComponent(path);
  } catch {
    // A stray percent sign stays as it is.
  }
  return `${host}${path.replaceAll('_', ' ')}`;
}

/** Words alone, with a space on each side, so that `7` is not found in `1970`. */
const spoken = (text: string): string =>
  ` ${text
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, ' ')
    .trim()} `;
