/**
 * Keeps one vector for each part of a page, made by the encoder in force, and finds pages by meaning among them. A page without vectors is
 * still found by its words; upkeep adds what is missing.
 */
import type { DatabaseSync } from 'node:sqlite';
import { findEncoder } from '../../text/embeddings/encoder-for.ts';
import type { Encoder } from '../../text/embeddings/static-encoder.ts';
import { toVisibleText } from '../../text/markup/visible-text.ts';
import type { IndexedPage } from '../local-index-types.ts';
import { createTextReader } from '../texts/page-texts.ts';
import { PACKED_AS, packVectors, unpackVectors } from './packed-vectors.ts';

/*
 * page_vector  one vector for each part of a page's text (packed-vectors.ts), and the model that made them. A page in a language that
 *              the model does not know has a row without vectors. Upkeep adds missing rows, and replaces those of another model,
 *              in steps. `seq` grows with every row written.
 *
 * The table is additional to the layout of index-schema.ts, as page_life is.
 */
export const VECTOR_SCHEMA = `
create table if not exists page_vector (
  seq integer primary key autoincrement,
  page_id integer not null unique references page (id) on delete cascade,
  model text not null,
  vectors blob not null
) strict;
`;

/** Maximum parts per page, and approximate characters per part; parts of very long pages are longer. */
const PARTS_MAX = 8;
const PART_CHARS = 2_000;
/** Range of ids examined by one call that looks for missing rows. */
const IDS_LOOKED_AT = 4_000;

type VectorOwner = Pick<IndexedPage, 'title' | 'markdown' | 'language'>;

/** Writes the rows of `page_vector`. */
type PageVectors = {
  /** Returns the number of bytes written. */
  put(id: number | bigint, made: { vectors: Uint8Array; model: string }): number;
  /**
   * Makes the rows that are missing or of another model, for at most `limit` pages after an id. Returns the id up to which none is
   * missing; null if there are no pages after the given id.
   */
  addMissing(range: { after: number; limit: number }): number | null;
};

export function createPageVectors(database: DatabaseSync): PageVectors {
  const insert = database.prepare(
    'insert or replace into page_vector (page_id, model, vectors) values (?, ?, ?)',
  );
  // Scans `page_life`, whose rows are small.
  const missing = database.prepare(
    `select page_id from page_life where page_id > ?1 and page_id <= ?1 + ?2
     and not exists (select 1 from page_vector as held where held.page_id = page_life.page_id and model = ?3)
     order by page_id limit ?4`,
  );
  const following = database.prepare('select 1 from page_life where page_id > ? limit 1');
  const read = database.prepare('select title, language from page where id = ?');
  const texts = createTextReader(database);
  const put: PageVectors['put'] = (id, { vectors, model }) => {
    insert.run(id, model, vectors);
    return vectors.byteLength;
  };
  return {
    put,
    addMissing({ after, limit }) {
      if (following.get(after) === undefined) return null;
      const ids = missing
        .all(after, IDS_LOOKED_AT, readModelName(), limit)
        .map(({ page_id: id }) => Number(id));
      for (const id of ids) {
        // The columns are those of `page`.
        const page = read.get(id) as Omit<VectorOwner, 'markdown'> | undefined;
        const text = texts.read(id);
        if (page !== undefined && text !== null)
          put(id, { vectors: embedPage({ ...page, markdown: text.markdown }), model: readModelName() });
      }
      return ids.length < limit ? after + IDS_LOOKED_AT : (ids.at(-1) ?? null);
    },
  };
}

/** Returns the name of the current model (that for an unknown language) with the format of its vectors; empty if there is none. */
export function readModelName(): string {
  const encoder = findEncoder(null);
  return encoder === null ? '' : formatModelName(encoder);
}

const formatModelName = ({ name }: Encoder): string => `${name}-${PACKED_AS}`;

/** Pure: computes the packed vectors of a page's parts; empty if the model does not know the language. `body`: its text without markup. */
export function embedPage(
  { title, markdown, language }: VectorOwner,
  body = toVisibleText(markdown),
): Uint8Array {
  const encoder = findEncoder(language);
  if (encoder === null) return new Uint8Array(0);
  const vectors = encoder.embed(splitParts(body).map((part) => `${title}. ${part}`));
  // A text without a known token has no direction.
  return packVectors(vectors.filter((vector) => vector.some((value) => value !== 0)));
}

/** Splits a text into parts of about the same length, at spaces. */
function splitParts(text: string): string[] {
  const count = Math.min(PARTS_MAX, Math.max(1, Math.round(text.length / PART_CHARS)));
  const parts: string[] = [];
  let start = 0;
  for (let part = 1; part <= count; part += 1) {
    const planned = Math.floor((text.length * part) / count);
    const space = part === count ? -1 : text.indexOf(' ', planned);
    const end = space === -1 ? (part === count ? text.length : planned) : space;
    parts.push(text.slice(start, end));
    start = Math.max(start, end);
  }
  return parts;
}

/** Similarity of a page to a query: `whole` is the cosine with the mean of its parts, `best` that with its closest part. */
export type PageMeaning = { whole: number; best: number };

/** Returns a function that compares stored vectors with a query; null for a page without vectors of the current model. */
export function createMeaningComparer(
  query: string,
): (vectors: Uint8Array | null, model: string) => PageMeaning | null {
  const encoder = findEncoder(null);
  const [asked] = encoder?.embed([query]) ?? [];
  if (encoder === null || asked === undefined) return () => null;
  return (vectors, model) =>
    vectors === null || vectors.length === 0 || model !== formatModelName(encoder)
      ? null
      : computeMeaning(vectors, asked, encoder);
}

/** Creates a reader of the similarity of pages to a query; null for a page without vectors of the current model. */
export function createPageMeanings(
  database: DatabaseSync,
): (query: string) => (id: number) => PageMeaning | null {
  const find = database.prepare('select vectors, model from page_vector where page_id = ?');
  find.setReturnArrays(true);
  return (query) => {
    const meaning = createMeaningComparer(query);
    return (id) => {
      const [vectors = null, model = ''] = (find.get(id) ?? []) as unknown as [Uint8Array?, string?];
      return meaning(vectors, model);
    };
  };
}

function computeMeaning(bytes: Uint8Array, asked: Float32Array, { dimensions }: Encoder): PageMeaning {
  const parts = unpackVectors(bytes);
  const sum = new Float64Array(dimensions);
  let best = -1;
  for (let start = 0; start < parts.length; start += dimensions) {
    const part = parts.subarray(start, start + dimensions);
    const { dot, length } = compareVectors(part, asked);
    best = Math.max(best, dot / (length || 1));
    for (let at = 0; at < dimensions; at += 1) sum[at] = (sum[at] ?? 0) + (part[at] ?? 0) / (length || 1);
  }
  const { dot, length } = compareVectors(sum, asked);
  return { whole: dot / (length || 1), best };
}

function compareVectors(vector: ArrayLike<number>, asked: Float32Array): { dot: number; length: number } {
  let dot = 0;
  let squares = 0;
  for (let at = 0; at < asked.length; at += 1) {
    const value = vector[at] ?? 0;
    dot += value * (asked[at] ?? 0);
    squares += value * value;
  }
  return { dot, length: Math.sqrt(squares) };
}
