import type { DatabaseSync } from 'node:sqlite';
import { createTextReader } from './page-texts.ts';
import { type Sample, trainDictionary } from './train-dictionary.ts';

/** Minimum pages for the first dictionary, and the growth of the index after which another one is made. */
const PAGES_MIN = 500;
const GROWTH = 20;
const SAMPLES = 300;
const SAMPLE_CHARS = 8_000;

/** Makes dictionaries for the texts of an index. */
type Dictionaries = {
  /** Returns whether the index has grown enough for a new dictionary. */
  isDue(): boolean;
  /** Makes a dictionary of what the pages of several hosts have in common; takes about 300 ms. Must be called within a transaction. */
  add(): void;
};

export function createDictionaryMaker(database: DatabaseSync): Dictionaries {
  const grown = database.prepare(
    'select pages, (select max(pages) from text_dictionary) as trained from total',
  );
  const insert = database.prepare('insert into text_dictionary (pages, data) values (?, ?)');
  const readSizes = (): { pages: number; trained: number | null } =>
    // The columns are those of the query.
    grown.get() as { pages: number; trained: number | null };
  return {
    isDue() {
      const { pages, trained } = readSizes();
      return pages >= (trained === null ? PAGES_MIN : trained * GROWTH);
    },
    add() {
      insert.run(readSizes().pages, trainDictionary(collectSamples(database)) ?? new Uint8Array(0));
    },
  };
}

/** Collects pages spread evenly over the index. */
function collectSamples(database: DatabaseSync): Sample[] {
  const texts = createTextReader(database);
  const ends = database.prepare('select min(id) as first, max(id) as last from page').get() ?? {};
  const [first, last] = [Number(ends.first), Number(ends.last)];
  const next = database.prepare('select id, host from page where id >= ? order by id limit 1');
  return Array.from({ length: SAMPLES }, (_, at) => {
    const { id, host } = next.get(first + Math.floor(((last - first) * at) / SAMPLES)) ?? {};
    return { host: String(host), text: texts.read(Number(id))?.markdown.slice(0, SAMPLE_CHARS) ?? '' };
  });
}
