import { createHash } from 'node:crypto';
import { encoderFor } from '../../../text/embeddings/encoder-for.ts';
import { plainText } from '../../../text/words/plain-text.ts';
import { stemLanguage } from '../../../text/words/stems.ts';
import { wordsOf } from '../../../text/words/words.ts';
import { hostMarks, pathMarks } from '../../index-marks.ts';
import { addressWords, tokensOf } from '../../index-tokens.ts';
import type { IndexedPage } from '../../local-index-types.ts';
import { dueAt, type Observed, observed } from '../../upkeep/revisit.ts';
import { vectorsOf } from '../../vectors/page-vectors.ts';

/** A page as the cluster keeps it: as it was given, and what it is found and ranked by. */
export type PageDocument = { id: string; bytes: number; textHash: string; source: Record<string, unknown> };

/** What is known of a page beside its text; small, because it changes more often than the page. */
export type LifeDocument = Observed & {
  url: string;
  title: string;
  bytes: number;
  fetchedAt: number;
  usedAt: number;
  dueAt: number;
  /** Tells which of two pages came first. */
  number: number;
  textHash: string;
};

/** BM25F by repetition: a term of the title counts as often as one of the body times this. */
const TITLE_REPEATED = 3;

/** The id of a page: addresses may be longer than ids. */
export const pageId = (url: string): string => createHash('sha256').update(url).digest('base64url');

/** Pure: what is written for a page. Throws if its address is none. */
export function pageDocument(page: IndexedPage): PageDocument {
  const address = new URL(page.url);
  const { words, sketch, lengths } = tokensOf(page);
  const termsIn = (text: string): string[] => wordsOf(text, page.language);
  const [title, path, headings, body] = [
    termsIn(page.title),
    termsIn(addressWords(address)),
    termsIn(page.headings.join('\n')),
    termsIn(plainText(page.markdown)),
  ];
  const vectors = vectorsOf(page);
  const packed = base64(words);
  const source = {
    ...{ page, url: page.url, host: address.host },
    ...{ day: page.publishedDay, language: stemLanguage(page.language) },
    marks: [...hostMarks(address.hostname), ...pathMarks(address.pathname)],
    words: weighedText(title, [...headings, ...path, ...body]),
    ...{ title: title.join(' '), headings: headings.join(' ') },
    ...{ packed, packedBytes: words.byteLength, sketch: base64(sketch) },
    ...(vectors.byteLength === 0 ? {} : { vectors: base64(vectors), model: encoderFor(null)?.name ?? '' }),
    titleLength: lengths.title,
    headingsLength: lengths.headings,
    addressLength: lengths.address,
    bodyLength: lengths.body,
    revision: hashOf(packed + page.title),
  };
  return {
    id: pageId(page.url),
    bytes: page.markdown.length + words.byteLength + sketch.byteLength + vectors.byteLength,
    textHash: hashOf(page.markdown),
    source,
  };
}

/** Pure: what is known of a page that is written at a time. */
export function lifeDocument(
  page: IndexedPage,
  { bytes, textHash }: Pick<PageDocument, 'bytes' | 'textHash'>,
  { earlier, at, number }: { earlier: LifeDocument | null; at: number; number: number },
): LifeDocument {
  const { url, title, fetchedAt } = page;
  const seen = observed(earlier, { fetchedAt, isChanged: earlier?.textHash !== textHash });
  return {
    ...{ url, title, bytes, fetchedAt, textHash },
    usedAt: earlier?.usedAt ?? at,
    number: earlier?.number ?? number,
    ...seen,
    dueAt: dueAt({ url, fetchedAt }, seen),
  };
}

/** A query of a single character of Han must find the words that it is part of. */
const HAN_PAIR = /^\p{Script=Han}{2}$/u;

function weighedText(title: string[], others: string[]): string {
  const all = [...Array.from({ length: TITLE_REPEATED }, () => title).flat(), ...others];
  const characters = new Set(all.filter((term) => HAN_PAIR.test(term)).flatMap((term) => [...term]));
  return [...all, ...characters].join(' ');
}

const base64 = (bytes: Uint8Array): string =>
  Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('base64');

const hashOf = (text: string): string => createHash('sha256').update(text).digest('base64url').slice(0, 22);
