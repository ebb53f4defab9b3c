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
  const read = readTerms(page);
  return { terms: postedTerms(read.terms, read.marks), ...packedTerms(read.terms) };
}

/** A page as terms with their occurrences; `marks`: what filters find it by; `body`: its text without markup. */
type ReadTerms = { terms: PageTerms; marks: string[]; body: string };

/** Pure: reads a page into terms. Throws if its address is none. */
export function readTerms({ url, title, headings, markdown, language }: IndexedPage): ReadTerms {
  const body = plainText(markdown);
  const address = new URL(url);
  return {
    terms: pageTerms({ title, headings, address: addressWords(address), body, language }),
    marks: [...hostMarks(address.hostname), ...pathMarks(address.pathname)],
    body,
  };
}

/** Pure: what a page is ranked and compared by. */
export function packedTerms(read: PageTerms): Omit<PageTokens, 'terms'> {
  return { words: packWords(read), sketch: packSketch(sketchOf(read.body)), lengths: read.lengths };
}

/** The words that people put into addresses: those of the path, without the extension. */
function addressWords({ pathname }: URL): string {
  let path = pathname;
  try {
    path = decodeURIComponent(pathname);
  } catch {
    // A path with a stray percent sign is read as it stands.
  }
  return path.replace(/\.[a-z0-9]{1,5}$/i, '').replace(/[/_-]+/g, ' ');
}

function postedTerms(read: PageTerms, marks: string[]): PostedTerms {
  const hashes = new Uint32Array(read.terms.size + marks.length);
  const levels = new Uint8Array(hashes.length);
  let at = 0;
  for (const [term, level] of levelsOf(read)) {
    hashes[at] = hashOf(term);
    levels[at] = level;
    at += 1;
  }
  for (const mark of marks) hashes[at++] = hashOf(mark);
  return { hashes, levels };
}

/** The terms of a page, each with what it tells about the page: from 1 to LEVEL_MAX. */
export function* levelsOf({ terms, lengths }: PageTerms): Generator<[term: string, level: number]> {
  const norm = 1 - WORTH.b + (WORTH.b * lengths.body) / WORTH.bodyLength;
  for (const [term, occurrences] of terms) yield [term, levelOf(occurrences, norm)];
}

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
