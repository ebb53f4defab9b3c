import { createHash } from 'node:crypto';
import type { PageTerms } from '../../../text/scoring/page-terms.ts';
import { resolveStemLanguage } from '../../../text/words/stems.ts';
import { computeLevels, packTerms, readTerms } from '../../index-tokens.ts';
import type { IndexedPage } from '../../local-index-types.ts';
import { computeDueAt, recordVisit, type VisitHistory } from '../../upkeep/revisit.ts';
import { embedPage, readModelName } from '../../vectors/page-vectors.ts';
import { packHead, packPage, packRanked } from '../layout/packed-page.ts';
import { toToken } from '../layout/term-token.ts';

/** The document of a page: the whole page, and the fields that it is found and ranked by. `json` gets its times when it is written. */
export type PageDocument = { id: string; bytes: number; textHash: string; json: string };

/** The life of a page: visits, use and the next visit. Kept apart from the page and small, because it changes more often. */
export type LifeDocument = VisitHistory & {
  url: string;
  title: string;
  bytes: number;
  fetchedAt: number;
  usedAt: number;
  dueAt: number;
  /** Orders pages by when they were first added. */
  number: number;
  textHash: string;
};

/** Characters of a digest that distinguish two revisions of a page. */
const REVISION_CHARS = 16;

/** Hashes an address to the id of its page, because addresses may be longer than ids. */
export const buildPageId = (url: string): string => createHash('sha256').update(url).digest('base64url');

/** Hashes a host name to its id. */
export const buildHostId = (host: string): string =>
  createHash('sha256').update(`host ${host}`).digest('base64url');

/** Pure: builds the document of a page. Throws if the page's address is invalid. */
export function buildPageDocument(page: IndexedPage): PageDocument {
  const { terms, marks, body } = readTerms(page);
  const { words, sketch, lengths } = packTerms(terms);
  const vectors = embedPage(page, body);
  const id = buildPageId(page.url);
  const language = resolveStemLanguage(page.language);
  const { url, title } = page;
  const model = vectors.byteLength === 0 ? '' : readModelName();
  const ranked = packRanked({ url, title, language, model, words, sketch, vectors });
  const head = {
    id,
    revision: computeDigest(words, title).slice(0, REVISION_CHARS),
    packedBytes: ranked.byteLength,
  };
  const source = {
    whole: packPage(page),
    head: packHead(head),
    ranked: ranked.toString('base64'),
    host: new URL(url).host,
    day: page.publishedDay,
    language,
    marks,
    words: formatLevels(terms),
    titleLength: lengths.title,
    headingsLength: lengths.headings,
    addressLength: lengths.address,
    bodyLength: lengths.body,
  };
  return {
    id,
    bytes: page.markdown.length + words.byteLength + sketch.byteLength + vectors.byteLength,
    textHash: computeDigest(page.markdown),
    json: JSON.stringify(source),
  };
}

/** Adds the page's number and the time of writing to the JSON of its document. */
export const addTimes = ({ json }: PageDocument, number: number, writtenAt: number): string =>
  `${json.slice(0, -1)},"number":${number},"writtenAt":${writtenAt}}`;

/** Pure: builds the life of a page that is written at `at`. */
export function buildLifeDocument(
  page: IndexedPage,
  { bytes, textHash }: Pick<PageDocument, 'bytes' | 'textHash'>,
  { earlier, at, number }: { earlier: LifeDocument | null; at: number; number: number },
): LifeDocument {
  const { url, title, fetchedAt, library } = page;
  const seen = recordVisit(earlier, { fetchedAt, isChanged: earlier?.textHash !== textHash });
  return {
    url,
    title,
    bytes,
    fetchedAt,
    textHash,
    usedAt: earlier?.usedAt ?? at,
    number: earlier?.number ?? number,
    ...seen,
    dueAt: computeDueAt({ url, fetchedAt, ...(library && { library }) }, seen),
  };
}

/** Formats each term once as `token|level`; `layout/pages.json` splits it at the vertical bar, so that the level counts as frequency. */
function formatLevels(terms: PageTerms): string {
  const levels = computeLevels(terms);
  let text = '';
  for (const [at, hash] of terms.hashes.entries()) text += `${toToken(hash)}|${levels[at]} `;
  return text;
}

function computeDigest(...parts: (string | Uint8Array)[]): string {
  const hash = createHash('sha256');
  for (const part of parts) hash.update(part);
  return hash.digest('base64url').slice(0, 22);
}
