import type { DatabaseSync } from 'node:sqlite';
import { LRUCache } from 'lru-cache';
import { findEncoder } from '../../text/embeddings/encoder-for.ts';
import { computeCosine, type Encoder } from '../../text/embeddings/static-encoder.ts';
import { isSidePage } from '../../text/scoring/side-page.ts';
import { listSiteLabels } from '../../text/scoring/site-name.ts';
import { hashTerm } from '../../text/words/hashed/hash-terms.ts';
import type { IndexedPage } from '../local-index-types.ts';
import { extractLinkTexts } from './link-texts.ts';

/*
 * page_anchor  the texts of links to a page from other pages of its host: the vocabulary of a manual's own index, tables of contents
 *              and cross references. `target` is a hash of the canonical address, so that links may be stored before their target;
 *              `texts` has one per line. Rows are deleted with the linking page.
 *
 * The table is additional to the layout of index-schema.ts, as page_life is.
 */
export const ANCHOR_SCHEMA = `
create table if not exists page_anchor (
  target integer not null,
  source integer not null references page (id) on delete cascade,
  texts text not null,
  primary key (target, source)
) strict, without rowid;
create index if not exists page_anchor_source on page_anchor (source);
`;

/** Maximum linking pages stored per page; further ones seldom add a new text. */
export const SOURCES_MAX = 16;
const HIGH_BITS = 0xfffff;
const WORD_VALUES = 2 ** 32;

/** Hashes a canonical address to 52 bits: with a million addresses, about one in ten thousand indexes has a collision. */
export const hashTarget = (address: string): number =>
  (hashTerm(`#${address}`) & HIGH_BITS) * WORD_VALUES + hashTerm(address);

/** Writes the link texts of a page. A text that the index already has for a target is not stored again. */
export function createAnchorWriter(
  database: DatabaseSync,
): (pageId: number | bigint, page: Pick<IndexedPage, 'url' | 'markdown' | 'language'>) => void {
  const held = database.prepare('select texts from page_anchor where target = ?');
  held.setReturnArrays(true);
  const insert = database.prepare('insert or replace into page_anchor values (?, ?, ?)');
  return (pageId, page) => {
    // Names are compared by meaning, so languages that the model does not know are skipped.
    if (findEncoder(page.language) === null) return;
    for (const [address, texts] of extractLinkTexts(page)) {
      const target = hashTarget(address);
      const rows = held.all(target) as unknown as [string][];
      if (rows.length >= SOURCES_MAX) continue;
      const known = new Set(rows.flatMap(([lines]) => lines.split('\n')));
      const fresh = texts.filter((text) => !known.has(text));
      if (fresh.length > 0) insert.run(target, pageId, fresh.join('\n'));
    }
  };
}

/** The cosine of the page's closest name with a query, whether it is a side page of its site, and the words that name the site. */
export type PageName = { closest: number; isSide: boolean; site: readonly string[] };

/** Maximum texts per page that are compared with a query. */
const TEXTS_COMPARED = 32;

/** A page whose names are compared with a query; the link `texts` may repeat. */
type NamedPage = { url: string; title: string; language: string | null; texts: readonly string[] };

/** The part of a page's names that does not depend on the query; `encoder` made the vector of the title. */
type KnownName = {
  encoder: Encoder;
  title: string;
  vector: Float32Array | undefined;
  isSide: boolean;
  site: readonly string[];
};

/** Returns a function that compares the names of pages with a query; null for a page whose language the model does not know. */
export function createNameComparer(query: string): (page: NamedPage) => PageName | null {
  const compare = createComparer(query);
  return ({ texts, ...page }) => {
    const known = buildKnownName(page);
    return known && compare(known, texts);
  };
}

function buildKnownName({ url, title, language }: Omit<NamedPage, 'texts'>): KnownName | null {
  const encoder = findEncoder(language);
  if (encoder === null) return null;
  const [vector] = encoder.embed([title]);
  return { encoder, title, vector, isSide: isSidePage(url, title), site: listSiteLabels(url) };
}

function createComparer(query: string): (page: KnownName, texts: readonly string[]) => PageName | null {
  const [asked] = findEncoder(null)?.embed([query]) ?? [];
  return ({ encoder, title, vector, isSide, site }, texts) => {
    if (asked === undefined || vector === undefined) return null;
    const [, ...others] = [...new Set([title, ...texts])].slice(0, TEXTS_COMPARED);
    const byTitle = Math.max(0, computeCosine(asked, vector));
    const closest = encoder
      .embed(others)
      .reduce((best, text) => Math.max(best, computeCosine(asked, text)), byTitle);
    return { closest, isSide, site };
  };
}

/** Maximum names that a reader caches; each vector takes a kilobyte. */
const NAMES_KEPT = 5_000;

/** Caches the names of recently judged pages by id (ids are never reused); `null`: a language that the model does not know. */
function createKnownNames(database: DatabaseSync) {
  const find = database.prepare('select url, title, language from page where id = ?');
  const epochOf = database.prepare('select epoch from forgetting');
  const known = new LRUCache<number, { target: number; name: KnownName | null }>({ max: NAMES_KEPT });
  let lastEpoch: unknown = null;
  return {
    dropForgotten() {
      const epoch = epochOf.get()?.epoch;
      if (epoch !== lastEpoch) known.clear();
      lastEpoch = epoch;
    },
    nameOf(id: number) {
      const before = known.get(id);
      if (before !== undefined) return before;
      // The columns are those of `page`.
      const page = find.get(id) as Omit<NamedPage, 'texts'> | undefined;
      if (page === undefined) return null;
      const read = { target: hashTarget(page.url), name: buildKnownName(page) };
      known.set(id, read);
      return read;
    },
  };
}

/** Finds how close the best title or link text of a page is to a query; null for a page whose language the model does not know. */
export function createPageNames(database: DatabaseSync): (query: string) => (id: number) => PageName | null {
  const held = database.prepare(`select texts from page_anchor where target = ? limit ${SOURCES_MAX}`);
  held.setReturnArrays(true);
  const { nameOf, dropForgotten } = createKnownNames(database);
  return (query) => {
    dropForgotten();
    const compare = createComparer(query);
    return (id) => {
      const known = nameOf(id);
      if (known === null || known.name === null) return null;
      const rows = held.all(known.target) as unknown as [string][];
      return compare(
        known.name,
        rows.flatMap(([lines]) => lines.split('\n')),
      );
    };
  };
}
