import { createHash } from 'node:crypto';
import type { PageTerms } from '../../../text/scoring/page-words.ts';
import { stemLanguage } from '../../../text/words/stems.ts';
import { levelsOf, packedTerms, readTerms } from '../../index-tokens.ts';
import type { IndexedPage } from '../../local-index-types.ts';
import { dueAt, type Observed, observed } from '../../upkeep/revisit.ts';
import { modelName, vectorsOf } from '../../vectors/page-vectors.ts';

/** A page as the cluster keeps it: as it was given, and what it is found and ranked by; `json`: an object, whose times are added when it is written. */
export type PageDocument = { id: string; bytes: number; textHash: string; json: string };

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

/** The id of a page: addresses may be longer than ids. */
export const pageId = (url: string): string => createHash('sha256').update(url).digest('base64url');

/** The id of a host. */
export const hostId = (host: string): string =>
  createHash('sha256').update(`host ${host}`).digest('base64url');

/** Pure: what is written for a page. Throws if its address is none. */
export function pageDocument(page: IndexedPage): PageDocument {
  const { terms, marks, body } = readTerms(page);
  const { words, sketch, lengths } = packedTerms(terms);
  const vectors = vectorsOf(page, body);
  const id = pageId(page.url);
  const source = {
    ...{ key: id, page, url: page.url, title: page.title, host: new URL(page.url).host },
    ...{ day: page.publishedDay, language: stemLanguage(page.language) },
    ...{ marks, words: levelledText(terms) },
    ...{ packed: base64(words), packedBytes: words.byteLength, sketch: base64(sketch) },
    ...(vectors.byteLength === 0 ? {} : { vectors: base64(vectors), model: modelName() }),
    titleLength: lengths.title,
    headingsLength: lengths.headings,
    addressLength: lengths.address,
    bodyLength: lengths.body,
    revision: digestOf(words, page.title),
  };
  return {
    id,
    bytes: page.markdown.length + words.byteLength + sketch.byteLength + vectors.byteLength,
    textHash: digestOf(page.markdown),
    json: JSON.stringify(source),
  };
}

/** The JSON of a page's document with the number that tells when it came, and when it is written. */
export const dated = ({ json }: PageDocument, number: number, writtenAt: number): string =>
  `${json.slice(0, -1)},"number":${number},"writtenAt":${writtenAt}}`;

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

/** Each term once, with its level as its count: `layout/pages.json` splits them at the line. */
function levelledText(terms: PageTerms): string {
  let text = '';
  for (const [term, level] of levelsOf(terms)) text += `${term}|${level} `;
  return text;
}

const base64 = (bytes: Uint8Array): string =>
  Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('base64');

function digestOf(...parts: (string | Uint8Array)[]): string {
  const hash = createHash('sha256');
  for (const part of parts) hash.update(part);
  return hash.digest('base64url').slice(0, 22);
}
