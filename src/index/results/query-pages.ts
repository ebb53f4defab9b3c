import type { DatabaseSync } from 'node:sqlite';
import { LRUCache } from 'lru-cache';
import { sketchOfHashes } from '../../text/near-duplicates/near-duplicates.ts';
import { openWords } from '../../text/scoring/packed-words.ts';
import type { PageLookUp, PageTexts } from '../../text/scoring/page-words.ts';
import { readWords } from '../../text/scoring/read-words.ts';
import { hashTerms, noTerms } from '../../text/words/hashed/hash-terms.ts';
import { plainText } from '../../text/words/plain-text.ts';
import { textsOf } from '../index-tokens.ts';
import { openSketch, packSketch } from '../packed-sketch.ts';
import type { TextReader } from '../texts/page-texts.ts';

/**
 * What one query reads of the texts of pages. It decompresses each at most once, and keeps no text longer than the query takes; the hashes of
 * their words stay for the next queries, until something is forgotten.
 */
export type QueryPages = {
  /** Null when the page is gone. */
  words(id: number): PageLookUp | null;
  opening(id: number): { title: string; text: string; language: string | null };
  sketch(id: number): Uint32Array;
  markdown(id: number): string;
};

/** Enough Markdown for the beginning of a page's text, links and all. */
const OPENING_CHARS = 6_000;

/** Of words that were read lately, in each reader: those of some 6,000 pages of 600 words. */
const WORD_BYTES_KEPT = 32_000_000;
/** Sketches that were made lately. */
const SKETCHES_KEPT = 5_000;
const BYTES_PER_WORD = 8;
const BYTES_PER_PAGE = 1_000;

const bytesOf = ({ lengths }: PageLookUp): number =>
  BYTES_PER_PAGE + BYTES_PER_WORD * (lengths.title + lengths.headings + lengths.address + lengths.body);

type HeldPage = { title: string; language: string | null; markdown: string; texts: PageTexts };

/** As packed sketches are: two copies of a text may be kept in either way. */
function sketchOfText({ texts, language }: HeldPage): Uint32Array {
  hashTerms(texts.body, language, terms);
  const own = terms.hashes.subarray(0, terms.count).filter((_, at) => terms.extra[at] === 0);
  return openSketch(packSketch(sketchOfHashes(own)));
}

const terms = noTerms();

/** What was made of pages lately. Ids are never used twice, so that only what is forgotten has to go. */
function createMemory(database: DatabaseSync) {
  const epochOf = database.prepare('select epoch from forgetting');
  const known = new LRUCache<number, PageLookUp>({ maxSize: WORD_BYTES_KEPT, sizeCalculation: bytesOf });
  const sketches = new LRUCache<number, Uint32Array>({ max: SKETCHES_KEPT });
  let lastEpoch: unknown = null;
  return {
    ...{ known, sketches },
    dropForgotten() {
      const epoch = epochOf.get()?.epoch;
      if (epoch !== lastEpoch) for (const kept of [known, sketches]) kept.clear();
      lastEpoch = epoch;
    },
  };
}

export function createQueryPages(database: DatabaseSync, reader: TextReader): () => QueryPages {
  const find = database.prepare(
    'select url, title, language, dictionary, text from page join page_text on page_id = id where id = ?',
  );
  const findPacked = database.prepare('select words, sketch from page_words where page_id = ?');
  const packedOf = (id: number) =>
    findPacked.get(id) as { words: Uint8Array; sketch: Uint8Array } | undefined;
  const read = (id: number): HeldPage | null => {
    const row = find.get(id);
    if (row === undefined) return null;
    // The columns are those of `page`.
    const { url, title, language } = row as { url: string; title: string; language: string | null };
    const { headings, markdown } = reader.textOf(row);
    const texts = textsOf({ title, headings, markdown, language }, new URL(url));
    return { title, language, markdown, texts };
  };
  const { known, sketches, dropForgotten } = createMemory(database);
  return () => {
    const held = new Map<number, HeldPage | null>();
    dropForgotten();
    const pageOf = (id: number): HeldPage | null => {
      const known = held.get(id);
      if (known !== undefined) return known;
      const page = read(id);
      held.set(id, page);
      return page;
    };
    return {
      words(id) {
        const before = known.get(id);
        if (before !== undefined) return before;
        const packed = packedOf(id);
        if (packed !== undefined) return openWords(packed.words);
        const page = pageOf(id);
        if (page === null) return null;
        const words = readWords(page.texts);
        known.set(id, words);
        return words;
      },
      opening(id) {
        const { title = '', language = null, markdown = '' } = pageOf(id) ?? {};
        return { title, language, text: plainText(markdown.slice(0, OPENING_CHARS)) };
      },
      sketch(id) {
        const before = sketches.get(id);
        if (before !== undefined) return before;
        const packed = packedOf(id);
        if (packed !== undefined) return openSketch(packed.sketch);
        const page = pageOf(id);
        if (page === null) return new Uint32Array(0);
        const sketch = sketchOfText(page);
        sketches.set(id, sketch);
        return sketch;
      },
      markdown: (id) => pageOf(id)?.markdown ?? '',
    };
  };
}
