import { sketchOf } from '../text/near-duplicates/near-duplicates.ts';
import { hashOf, packWords } from '../text/scoring/packed-words.ts';
import { type Occurrences, type PageTerms, pageTerms } from '../text/scoring/page-words.ts';
import { plainText } from '../text/words/plain-text.ts';
import { hostMarks, pathMarks } from './index-marks.ts';
import type { IndexedPage } from './local-index-types.ts';
import { packSketch } from './packed-sketch.ts';
import type { PostedTerms } from './postings/fresh-segment.ts';
import { LEVEL_MAX } from './postings/posting-format.ts';

/** What is written for a page beside the page itself. */
export type PageTokens = {
  terms: PostedTerms;
  words: Uint8Array;
  sketch: Uint8Array;
  lengths: PageTerms['lengths'];
};

/**
 * What a term tells about a page that has it: BM25F's saturation of its occurrences, and shares for a heading, the title and the address. It only
 * proposes candidates (index-ranking.ts orders them), so that a usual length of bodies does, and the other fields count as one.
 */
const WORTH = {
  k1: 1.2,
  b: 0.7,
  bodyLength: 500,
  counts: { title: 2, headings: 1, address: 1 },
  shares: { headings: 0.5, title: 0.45, address: 0.2 },
  most: 2.15,
};

/** Pure: a page as terms and packed words. */
export function tokensOf(page: IndexedPage): PageTokens {
  const body = plainText(page.markdown);
  const address = new URL(page.url);
  const read = pageTerms({
    title: page.title,
    headings: page.headings,
    address: addressWords(address),
    body,
    language: page.language,
  });
  const marks = [...hostMarks(address.hostname), ...pathMarks(address.pathname)];
  return {
    terms: postedTerms(read, marks),
    words: packWords(read),
    sketch: packSketch(sketchOf(read.body)),
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

function postedTerms({ terms, lengths }: PageTerms, marks: string[]): PostedTerms {
  const hashes = new Uint32Array(terms.size + marks.length);
  const levels = new Uint8Array(hashes.length);
  const norm = 1 - WORTH.b + (WORTH.b * lengths.body) / WORTH.bodyLength;
  let at = 0;
  for (const [term, occurrences] of terms) {
    hashes[at] = hashOf(term);
    levels[at] = levelOf(occurrences, norm);
    at += 1;
  }
  for (const mark of marks) hashes[at++] = hashOf(mark);
  return { hashes, levels };
}

/** From 1 to LEVEL_MAX. */
function levelOf({ title, headings, address, body }: Partial<Occurrences>, norm: number): number {
  const { k1, counts, shares, most } = WORTH;
  let count = (body?.count ?? 0) / norm;
  let worth = 0;
  if (title !== undefined) {
    count += counts.title;
    worth += shares.title;
  }
  if (headings !== undefined) {
    count += counts.headings;
    worth += shares.headings;
  }
  if (address !== undefined) {
    count += counts.address;
    worth += shares.address;
  }
  worth += count / (count + k1);
  return Math.min(LEVEL_MAX, 1 + Math.round(((LEVEL_MAX - 1) * worth) / most));
}
