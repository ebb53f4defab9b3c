import { sketchOf } from '../text/near-duplicates/near-duplicates.ts';
import { packWords } from '../text/scoring/packed-words.ts';
import { type PageTerms, pageTerms } from '../text/scoring/page-words.ts';
import { plainText } from '../text/words/plain-text.ts';
import { wordsOf } from '../text/words/words.ts';
import { hostMarks, pathMarks } from './index-marks.ts';
import type { IndexedPage } from './local-index-types.ts';

/** Before a term: in the title, in a heading, often in the body for its length, very often. */
export const TIERS = { title: '=', heading: '#', strong: '^', dominant: '^^' } as const;

/** Share of the most that BM25 can give for a term, from which on the page counts as strong or dominant in it. */
/** BM25's usual saturation and length weight, by which that share is taken. */
const IMPACT = { k1: 1.2, b: 0.75 };
const STRONG_MIN = 0.6;
const DOMINANT_MIN = 0.75;

/** What is written for a page beside the page itself. */
export type PageTokens = {
  /** Distinct tokens, for FTS5. */
  tokens: string;
  words: Uint8Array;
  sketch: Uint8Array;
  lengths: PageTerms['lengths'];
};

/** Pure: a page as tokens and packed words. `bodyLengthMean` in terms, over the index so far. */
export function tokensOf(page: IndexedPage, bodyLengthMean: number): PageTokens {
  const body = plainText(page.markdown);
  const address = new URL(page.url);
  const read = pageTerms({
    title: page.title,
    headings: page.headings,
    address: addressWords(address),
    body,
    language: page.language,
  });
  const sketch = sketchOf(wordsOf(body, page.language));
  const tokens = [
    ...termTokens(read, bodyLengthMean),
    ...hostMarks(address.hostname),
    ...pathMarks(address.pathname),
  ];
  return {
    tokens: tokens.join(' '),
    words: packWords(read),
    sketch: new Uint8Array(sketch.buffer, sketch.byteOffset, sketch.byteLength),
    lengths: read.lengths,
  };
}

/** The words that people put into addresses: those of the path, without the extension. */
export function addressWords({ pathname }: URL): string {
  let path = pathname;
  try {
    path = decodeURIComponent(pathname);
  } catch {
    // A path with a stray percent sign is read as it stands.
  }
  return path.replace(/\.[a-z0-9]{1,5}$/i, '').replace(/[/_-]+/g, ' ');
}

function termTokens({ terms, lengths }: PageTerms, bodyLengthMean: number): string[] {
  const { k1, b } = IMPACT;
  const norm = k1 * (1 - b + (b * lengths.body) / Math.max(1, bodyLengthMean));
  const tokens: string[] = [];
  for (const [term, { title, headings, body }] of terms) {
    tokens.push(term);
    if (title !== undefined) tokens.push(TIERS.title + term);
    if (headings !== undefined || title !== undefined) tokens.push(TIERS.heading + term);
    const count = (body?.count ?? 0) + (title?.count ?? 0);
    const impact = count / (count + norm);
    if (impact >= STRONG_MIN) tokens.push(TIERS.strong + term);
    if (impact >= DOMINANT_MIN) tokens.push(TIERS.dominant + term);
  }
  return tokens;
}
