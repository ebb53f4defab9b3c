import type { DatabaseSync } from 'node:sqlite';
import { LRUCache } from 'lru-cache';
import { toVisibleText } from '../../text/markup/visible-text.ts';
import {
  buildSketchFromHashes,
  isNearDuplicate,
  isVersionOfSameText,
} from '../../text/near-duplicates/near-duplicates.ts';
import { createPageFilter } from '../../text/query/filters.ts';
import { isOtherVersion, type PageLibrary } from '../../text/query/library-filter.ts';
import { openWords } from '../../text/scoring/packed-words.ts';
import { createLookUp, encodeWords, readBodyWords } from '../../text/scoring/read-words.ts';
import type { PageLookUp } from '../../text/scoring/score-page.ts';
import { buildSnippet, type SnippetTerm } from '../../text/scoring/snippet.ts';
import {
  containsVersion,
  findVersionPair,
  isPreferredVersion,
  parseUrlParts,
  type UrlParts,
} from '../../text/urls/page-version.ts';
import { buildPageTexts, packSketch, unpackSketch } from '../index-tokens.ts';
import type { FoundPage, IndexQuery } from '../local-index-types.ts';
import type { KeptText, TextReader } from '../texts/page-texts.ts';
import type { SharedReadings } from './page-readings.ts';

/** Returns whether two pages are copies or versions of one page (`/docs/15/` and `/docs/16/`), of which one result is enough. */
const isSamePage = (one: PageIdentity, other: PageIdentity): boolean =>
  isNearDuplicate(one.sketch, other.sketch) ||
  (findVersionPair(one.address, other.address) !== null && isVersionOfSameText(one.sketch, other.sketch));

/**
 * Reads page texts for one query. It decompresses each text at most once and drops it after the query; the hashes of its words stay
 * cached for further queries until something is forgotten.
 */
export type QueryPages = {
  /** Null when the page is gone. */
  words(id: number): PageLookUp | null;
  opening(id: number): { title: string; text: string; language: string | null };
  sketch(id: number): Uint32Array;
  markdown(id: number): string;
};

/** Characters of Markdown that contain the opening of a page's text, links included. */
const OPENING_CHARS = 6_000;

/** Maximum bytes of cached words per reader: those of about 5,000 pages of 600 words. */
const WORD_BYTES_KEPT = 24_000_000;
/** Maximum sketches cached. */
const SKETCHES_KEPT = 5_000;
const BYTES_PER_PAGE = 500;

/** The words of a page's text, as `encodeWords` gives them, with a look-up. */
type ReadPage = { words: Uint32Array; lookUp: PageLookUp };

type PageWithText = KeptText & { url: string; title: string; language: string | null };

/** Builds a sketch with the precision of packed ones, because of two copies of a text only one may be packed. */
const buildSketch = (words: Uint32Array): Uint32Array =>
  unpackSketch(packSketch(buildSketchFromHashes(readBodyWords(words))));

/** Caches the words and sketches of recently read pages. Ids are never reused, so only forgotten pages must be dropped. */
function createMemory(database: DatabaseSync, shared: SharedReadings) {
  const epochOf = database.prepare('select epoch from forgetting');
  const known = new LRUCache<number, ReadPage>({
    maxSize: WORD_BYTES_KEPT,
    sizeCalculation: ({ words }) => BYTES_PER_PAGE + words.byteLength,
  });
  const sketches = new LRUCache<number, Uint32Array>({ max: SKETCHES_KEPT });
  let lastEpoch: number | null = null;
  return {
    known,
    sketches,
    dropForgotten() {
      const epoch = Number(epochOf.get()?.epoch);
      if (epoch === lastEpoch) return;
      for (const kept of [known, sketches]) kept.clear();
      shared.enter(epoch);
      lastEpoch = epoch;
    },
  };
}

type PackedPage = { words: Uint8Array; sketch: Uint8Array };

function readWords(id: number, page: PageWithText | null, shared: SharedReadings): Uint32Array | null {
  if (page === null) return null;
  const words = encodeWords(buildPageTexts(page, new URL(page.url)));
  shared.put(id, words);
  return words;
}

/** `shared`: words that the readers of one index share. */
export function createQueryPages(
  database: DatabaseSync,
  { texts, shared }: { texts: TextReader; shared: SharedReadings },
): () => QueryPages {
  const find = database.prepare(
    'select url, title, language, dictionary, text from page join page_text on page_id = id where id = ?',
  );
  const findPacked = database.prepare('select words, sketch from page_words where page_id = ?');
  const readPacked = (id: number) => findPacked.get(id) as PackedPage | undefined;
  const read = (id: number): PageWithText | null => {
    const row = find.get(id);
    if (row === undefined) return null;
    // The columns are those of `page`.
    const { url, title, language } = row as { url: string; title: string; language: string | null };
    return { url, title, language, ...texts.textOf(row) };
  };
  const { known, sketches, dropForgotten } = createMemory(database, shared);
  return () => {
    const held = new Map<number, PageWithText | null>();
    dropForgotten();
    const findPage = (id: number): PageWithText | null => {
      const before = held.get(id);
      if (before !== undefined) return before;
      const page = read(id);
      held.set(id, page);
      return page;
    };
    const readPage = (id: number): ReadPage | null => {
      const words = shared.get(id) ?? readWords(id, findPage(id), shared);
      if (words === null) return null;
      const page = { words, lookUp: createLookUp(words) };
      known.set(id, page);
      return page;
    };
    return {
      words(id) {
        const before = known.get(id);
        if (before !== undefined) return before.lookUp;
        const packed = readPacked(id);
        return packed === undefined ? (readPage(id)?.lookUp ?? null) : openWords(packed.words);
      },
      opening(id) {
        const { title = '', language = null, markdown = '' } = findPage(id) ?? {};
        return { title, language, text: toVisibleText(markdown.slice(0, OPENING_CHARS)) };
      },
      sketch(id) {
        const before = sketches.get(id);
        if (before !== undefined) return before;
        const packed = readPacked(id);
        if (packed !== undefined) return unpackSketch(packed.sketch);
        const page = known.get(id) ?? readPage(id);
        if (page === null) return new Uint32Array(0);
        const sketch = buildSketch(page.words);
        sketches.set(id, sketch);
        return sketch;
      },
      markdown: (id) => findPage(id)?.markdown ?? '',
    };
  };
}

/** The fields of a page that a result shows. */
type FoundHead = Omit<FoundPage, 'score' | 'isWeak' | 'snippet'>;

/** The reads that building results needs; every engine provides them. */
type FoundParts = {
  /** Null when the page is gone. */
  head(id: number): FoundHead | null;
  sketch(id: number): Uint32Array;
  markdown(id: number): string;
  snippetTerms: SnippetTerm[];
};

type PageIdentity = { address: UrlParts; sketch: Uint32Array; library: PageLibrary | undefined };

/** A result with what identifies copies and versions of its page. */
type KeptResult = PageIdentity & { found: FoundPage };

/**
 * Selects the best ranked pages that pass the filters, with their snippets. Keeps the best of near-duplicates; of the versions of one
 * page it keeps the one that the query names, else the newest released one, in the place of the best.
 */
export function buildFoundPages(
  ranked: readonly { id: number; score: number; isWeak: boolean }[],
  query: IndexQuery,
  { head, sketch, markdown, snippetTerms }: FoundParts,
): FoundPage[] {
  const passes = createPageFilter(query);
  const kept: KeptResult[] = [];
  for (const { id, score, isWeak } of ranked) {
    const isFull = kept.length >= query.limit;
    // Further pages matter only as other versions of pages already kept.
    if (isFull && !kept.some(({ address }) => containsVersion(address))) break;
    const page = head(id);
    if (page === null || !passes(page)) continue;
    const address = parseUrlParts(page.url);
    if (isFull && !containsVersion(address)) continue;
    const shown = { address, sketch: sketch(id), library: page.library };
    // Whoever names two versions of a library wants to see how they differ.
    const areAsked = (other: PageIdentity): boolean =>
      query.library !== undefined && isOtherVersion(other.library, shown.library);
    const same = kept.findIndex((other) => isSamePage(other, shown) && !areAsked(other));
    const found = { ...page, score, isWeak, snippet: '' };
    if (same === -1 && !isFull)
      kept.push({ ...shown, found: { ...found, snippet: buildSnippet(markdown(id), snippetTerms) } });
    const held = kept[same];
    const versions = held === undefined ? null : findVersionPair(shown.address, held.address);
    if (held === undefined || versions === null || !isPreferredVersion(versions, query.query.text)) continue;
    const { score: best, isWeak: isBestWeak } = held.found;
    const snippet = buildSnippet(markdown(id), snippetTerms);
    kept[same] = { ...shown, found: { ...found, score: best, isWeak: isBestWeak, snippet } };
  }
  return kept.map(({ found }) => found);
}
