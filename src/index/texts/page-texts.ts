import type { DatabaseSync } from 'node:sqlite';
import { constants, zstdCompressSync, zstdDecompressSync } from 'node:zlib';

/*
 * page_text         the headings and the Markdown of a page, compressed (Zstandard); `dictionary`: the row of text_dictionary used, 0: none
 * text_dictionary   strings that are frequent in the texts of this index; `pages`: the size of the index when it was trained; later
 *                   pages use the newest. Empty data: the texts had too little in common
 */
export const TEXT_SCHEMA = `
create table page_text (
  page_id integer primary key references page (id) on delete cascade,
  dictionary integer not null,
  text blob not null
) strict;
create table text_dictionary (id integer primary key, pages integer not null, data blob not null) strict;
`;

/** The stored text of a page. */
export type KeptText = { headings: string[]; markdown: string };

const LEVEL = 6;
const OPTIONS = { params: { [constants.ZSTD_c_compressionLevel]: LEVEL } };

/** Reads and decompresses page texts. */
export type TextReader = {
  /** Returns null if there is no such page. */
  read(id: number | bigint): KeptText | null;
  /** Decodes the text of a row with the columns of `page_text`. */
  textOf(row: Record<string, unknown>): KeptText;
};

export function createTextReader(database: DatabaseSync): TextReader {
  const find = database.prepare('select dictionary, text from page_text where page_id = ?');
  const dictionaryOf = createDictionaries(database);
  const decodeText = (row: Record<string, unknown>): KeptText => {
    const dictionary = dictionaryOf(Number(row.dictionary));
    const text = zstdDecompressSync(
      row.text as Uint8Array,
      dictionary === null ? {} : { dictionary },
    ).toString();
    const end = text.indexOf('\n');
    return { headings: JSON.parse(text.slice(0, end)), markdown: text.slice(end + 1) };
  };
  return {
    textOf: decodeText,
    read(id) {
      const row = find.get(id);
      return row === undefined ? null : decodeText(row);
    },
  };
}

/** Writes texts; the returned function returns the number of bytes written. */
export function createTextWriter(database: DatabaseSync): (id: number | bigint, text: KeptText) => number {
  const insert = database.prepare('insert into page_text (page_id, dictionary, text) values (?, ?, ?)');
  const newest = database.prepare('select coalesce(max(id), 0) as id from text_dictionary');
  const dictionaryOf = createDictionaries(database);
  return (id, { headings, markdown }) => {
    const number = Number(newest.get()?.id);
    const dictionary = dictionaryOf(number);
    const options = dictionary === null ? OPTIONS : { ...OPTIONS, dictionary };
    const text = zstdCompressSync(`${JSON.stringify(headings)}\n${markdown}`, options);
    insert.run(id, number, text);
    return text.length;
  };
}

/** Reads dictionaries by id and caches them; they never change. */
function createDictionaries(database: DatabaseSync): (id: number) => Uint8Array | null {
  const find = database.prepare('select data from text_dictionary where id = ?');
  const known = new Map<number, Uint8Array>();
  return (id) => {
    if (id === 0) return null;
    const found = known.get(id) ?? (find.get(id)?.data as Uint8Array | undefined);
    if (found === undefined) throw new Error(`the index has lost dictionary ${id} of its texts`);
    known.set(id, found);
    return found.length === 0 ? null : found;
  };
}
