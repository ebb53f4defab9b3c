import assert from 'node:assert/strict';
import type { DatabaseSync } from 'node:sqlite';
import { isDeepStrictEqual } from 'node:util';
import { findDamage, type NameRows } from '../platform/store/row-sums.ts';
import { resolveStemLanguage } from '../text/words/stems.ts';
import { createAnchorWriter } from './anchors/page-anchors.ts';
import type { StandingsPart } from './hosts/host-ranker.ts';
import { createStandingWriter } from './hosts/standing-table.ts';
import { openIndexFile, readIndexedPage } from './index-schema.ts';
import type { PageTokens } from './index-tokens.ts';
import type { IndexedPage } from './local-index-types.ts';
import { createLibraryTest, createLibraryWriter, LIBRARY_COLUMNS } from './page-library.ts';
import { createMetadataWriter, JOIN_METADATA } from './page-metadata.ts';
import { createFreshSegment } from './postings/fresh-segment.ts';
import { createPostings, openChunk, readHash, readPostings } from './postings/posting-format.ts';
import { CHUNKS_MAX, unpackFirsts, unpackPages } from './postings/segment-schema.ts';
import { type PreparedPage, preparePage } from './prepare/prepare-page.ts';
import { createTakeOver, type TakeOver } from './rebuild/take-over.ts';
import { createTextReader, createTextWriter } from './texts/page-texts.ts';
import { createUpkeep, type UpkeepStep } from './upkeep/index-upkeep.ts';
import { createPageLives, type PageLives } from './upkeep/page-life.ts';
import { createOriginWriter, ORIGIN_COLUMNS } from './upkeep/page-origin.ts';
import { createPageVectors } from './vectors/page-vectors.ts';

const FIELDS = ['title', 'headings', 'address', 'body'] as const;
const createEmptySums = () => ({
  isEmpty: true,
  pages: 0,
  hosts: new Map<string, number>(),
  languages: new Map<string, number>(),
  lengths: { title: 0, headings: 0, address: 0, body: 0 },
});

/**
 * A requested change; it takes effect as a whole or not at all. `forget` removes pages too, and makes every process drop what it
 * keeps in memory; `confirm`, `use` and `postpone` leave the pages as they are.
 */
export type IndexChange =
  | { put: IndexedPage[]; prepared?: PreparedPage[] }
  | { remove: string[] }
  | { forget: string[] }
  | { confirm: { url: string; fetchedAt: number }[] }
  | { use: string[] }
  | { postpone: string[]; until: number };

/** `at`: when the change was requested, in milliseconds since the epoch. */
export type TimedChange = IndexChange & { at: number };
/** The number of pages that a change wrote or removed, or why it failed. */
type ChangeOutcome = { ok: true; count: number } | { ok: false; error: string };

type IndexWriter = {
  /** Makes all changes in one transaction, each with its own outcome; committed when this returns. */
  apply(changes: TimedChange[]): ChangeOutcome[];
  /** Runs one bounded step of upkeep, which keeps the file small and complete. */
  upkeep(bytesMax: number | null): UpkeepStep;
  problems(): string[];
  size(): { pages: number; hosts: number };
  putStandings(part: StandingsPart): void;
  /** Takes the pages of older index files over. */
  takeOver: Pick<TakeOver, 'report' | 'step' | 'get' | 'urls'>;
  close(): void;
};

/** Approximate bytes per posting. */
const POSTING_BYTES = 2;

/** Opens the one writer of an index file. */
export function openIndexWriter(path: string): IndexWriter {
  const database = openIndexFile(path);
  const statements = openStatements(database);
  const { fresh, vectors } = statements;
  const flush = (): void => {
    statements.sums.flush();
    fresh.flush();
  };
  const put = (page: IndexedPage): void =>
    void putPage(statements, page, { prepared: undefined, at: page.fetchedAt });
  const takeOver = createTakeOver(path, { database, put, flush });
  const upkeep = createUpkeep(database, {
    remove(url) {
      const isRemoved = removePage(statements, url) !== null;
      statements.sums.flush();
      return isRemoved;
    },
    addMissingVectors: vectors.addMissing,
  });
  return {
    apply(changes) {
      const isForgetting = changes.some((change) => 'forget' in change);
      database.exec('begin immediate');
      try {
        const outcomes = changes.map((change) => applyOne({ database, statements, takeOver }, change));
        fresh.flush();
        statements.count.run(computeCounterIncrement(changes));
        if (isForgetting) database.exec('update forgetting set epoch = epoch + 1');
        database.exec('commit');
        if (isForgetting) upkeep.scrub();
        return outcomes;
      } catch (error) {
        database.exec('rollback');
        fresh.undo(0);
        throw error;
      }
    },
    upkeep: upkeep.step,
    problems: () => [...findDamage(database, createRowNamer(database)), ...findProblems(database)],
    size() {
      const { pages, hosts } = statements.size.get() ?? {};
      return { pages: Number(pages), hosts: Number(hosts) };
    },
    takeOver,
    putStandings: statements.standings.put,
    close() {
      takeOver.close();
      database.exec('pragma wal_checkpoint(truncate)');
      database.close();
    },
  };
}

type Statements = ReturnType<typeof openStatements>;

/** Prepares the statements and the readers and writers of each part of a page. */
function openStatements(database: DatabaseSync) {
  const lives = createPageLives(database);
  return {
    ...prepare(database),
    lives,
    isSame: createSamePage(database, lives),
    vectors: createPageVectors(database),
    putMetadata: createMetadataWriter(database),
    putOrigin: createOriginWriter(database),
    putLibrary: createLibraryWriter(database),
    isOfLibrary: createLibraryTest(database),
    putAnchors: createAnchorWriter(database),
    putText: createTextWriter(database),
    standings: createStandingWriter(database),
    fresh: createFreshSegment(database),
    sums: createSums(database),
  };
}

/** Computes the step of the change counter: one per page put, so that a process can tell its own changes from those of others. */
function computeCounterIncrement(changes: readonly IndexChange[]): number {
  return changes.reduce(
    (sum, change) =>
      sum + ('put' in change ? change.put.length : 'remove' in change || 'forget' in change ? 1 : 0),
    0,
  );
}

function prepare(database: DatabaseSync) {
  return {
    count: database.prepare('update total set changes = changes + ?1 where ?1 > 0'),
    find: database.prepare(
      'select id, host, language, title_terms, heading_terms, address_terms, body_terms from page where url = ?',
    ),
    insertPage: database.prepare(
      `insert into page (url, host, title, published_day, language, site, author, raw_chars, fetched_at,
       title_terms, heading_terms, address_terms, body_terms) values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    ),
    insertWords: database.prepare('insert into page_words (page_id, words, sketch) values (?, ?, ?)'),
    deletePage: database.prepare('delete from page where id = ?'),
    size: database.prepare('select pages, (select count(*) from host) as hosts from total'),
  };
}

type OpenedIndex = { database: DatabaseSync; statements: Statements; takeOver: TakeOver };

function applyOne(opened: OpenedIndex, change: TimedChange): ChangeOutcome {
  const { database, statements } = opened;
  const before = statements.fresh.mark();
  database.exec('savepoint change');
  try {
    const count = applyChange(opened, change);
    statements.sums.flush();
    database.exec('release change');
    return { ok: true, count };
  } catch (error) {
    database.exec('rollback to change; release change');
    statements.fresh.undo(before);
    statements.sums.undo();
    return { ok: false, error: error instanceof Error ? error.message : String(error) };
  }
}

/** Applies a change and returns the number of pages that it affected. */
function applyChange({ statements, takeOver }: OpenedIndex, change: TimedChange): number {
  const { lives } = statements;
  const sum = <Item>(items: Item[], make: (item: Item, place: number) => number): number =>
    items.reduce((count, item, place) => count + make(item, place), 0);
  if ('put' in change)
    return sum(change.put, (page, place) =>
      putPage(statements, page, {
        prepared: change.prepared?.[place],
        at: change.at,
      }),
    );
  if ('confirm' in change) return sum(change.confirm, ({ url, fetchedAt }) => lives.confirm(url, fetchedAt));
  if ('use' in change) return sum(change.use, (url) => lives.used(url, change.at));
  if ('postpone' in change) return sum(change.postpone, (url) => lives.postpone(url, change.until));
  const leaving = 'forget' in change ? change.forget : change.remove;
  if ('forget' in change) statements.standings.forget(leaving);
  return sum(leaving, (url) => {
    // First from the older index, from which it could otherwise return.
    const wasLeft = takeOver.remove(url);
    return removePage(statements, url) !== null || wasLeft ? 1 : 0;
  });
}

function putPage(
  statements: Statements,
  page: IndexedPage,
  { prepared: given, at }: { prepared: PreparedPage | undefined; at: number },
): number {
  if (statements.isSame(page)) return 1;
  // Whoever reads or crawls the address later may get the text of another version.
  if (page.library === undefined && statements.isOfLibrary(page.url)) return 0;
  const prepared = given ?? preparePage(page);
  const { tokens } = prepared;
  const earlier = statements.lives.earlier(findPageId(statements, page.url));
  removePage(statements, page.url);
  const { host } = new URL(page.url);
  const { lastInsertRowid } = statements.insertPage.run(
    page.url,
    host,
    page.title,
    page.publishedDay,
    page.language,
    page.site,
    page.author,
    page.rawChars,
    page.fetchedAt,
    tokens.lengths.title,
    tokens.lengths.headings,
    tokens.lengths.address,
    tokens.lengths.body,
  );
  const id = Number(lastInsertRowid);
  const textBytes = statements.putText(id, page);
  statements.sums.add({ host, language: page.language, lengths: tokens.lengths, sign: 1 });
  const vectorBytes = statements.vectors.put(id, prepared);
  const metadataChars = statements.putMetadata(id, page.declared);
  statements.putOrigin(id, page.origin);
  statements.putLibrary(id, page.library);
  // Texts of links count for the pages they lead to, which others find.
  if (page.library?.isPrivate !== true) statements.putAnchors(id, page);
  const { packed } = tokens;
  if (packed !== null) statements.insertWords.run(id, packed.words, packed.sketch);
  const packedBytes = packed === null ? 0 : packed.words.byteLength + packed.sketch.byteLength;
  const bytes =
    textBytes + metadataChars + packedBytes + POSTING_BYTES * tokens.terms.hashes.length + vectorBytes;
  statements.lives.put(id, page, { earlier, bytes, at });
  // Last, so that an earlier failure leaves nothing to undo.
  statements.fresh.put(id, { ...tokens.terms, publishedDay: page.publishedDay });
  return 1;
}

function findPageId(statements: Statements, url: string): number | null {
  const id = statements.find.get(url)?.id;
  return id === undefined ? null : Number(id);
}

/** The columns of `page` that are read when it leaves. */
type PageRow = { id: number; host: string; language: string | null } & Record<
  'title_terms' | 'heading_terms' | 'address_terms' | 'body_terms',
  number
>;

/** Removes a page and returns its id, or null if there was none. */
function removePage(statements: Statements, url: string): number | null {
  const row = statements.find.get(url) as PageRow | undefined;
  if (row === undefined) return null;
  const lengths = {
    title: row.title_terms,
    headings: row.heading_terms,
    address: row.address_terms,
    body: row.body_terms,
  };
  statements.sums.add({ host: row.host, language: row.language, lengths, sign: -1 });
  statements.fresh.remove(row.id);
  const { changes } = statements.deletePage.run(row.id);
  assert(Number(changes) === 1, 'an address has one page in the index');
  return row.id;
}

/** Consistency checks: each query counts disagreements between tables. */
const DISAGREEMENTS: Record<string, string> = {
  'words without a page': 'select count(*) as n from page_words where page_id not in (select id from page)',
  'pages without a text': 'select count(*) as n from page where id not in (select page_id from page_text)',
  'texts without a page': 'select count(*) as n from page_text where page_id not in (select id from page)',
  'pages more or less than counted': 'select abs((select count(*) from page) - pages) as n from total',
  'vectors without a page':
    'select count(*) as n from page_vector where page_id not in (select id from page)',
  'anchors without a page': 'select count(*) as n from page_anchor where source not in (select id from page)',
  'metadata without a page':
    'select count(*) as n from page_metadata where page_id not in (select id from page)',
  'lives without a page': 'select count(*) as n from page_life where page_id not in (select id from page)',
  'hosts with another number of pages than counted': `select count(*) as n from host full join
    (select host, count(*) as pages from page group by host) as held on held.host = host.name
    where host.pages is not held.pages`,
};

/** Tables of which a row belongs to one page, whose id is the row's. */
const OF_PAGES: ReadonlySet<string> = new Set([
  ...[
    'page',
    'page_text',
    'page_words',
    'page_life',
    'page_metadata',
    'page_origin',
    'page_library',
    'page_vector',
  ],
]);
const PAGES_NAMED_MAX = 16;

/** Returns a function that says to which pages, or to which segment, some rows of a table belong. */
function createRowNamer(database: DatabaseSync): NameRows {
  const pages = database.prepare('select url from page where id between ? and ? order by id limit ?');
  return (table, first, last) => {
    if (table === 'posting')
      return `segment ${Math.floor(first / CHUNKS_MAX)} to ${Math.floor(last / CHUNKS_MAX)}`;
    if (!OF_PAGES.has(table)) return null;
    return pages
      .all(first, last, PAGES_NAMED_MAX)
      .map(({ url }) => String(url))
      .join(', ');
  };
}

function findProblems(database: DatabaseSync): string[] {
  const problems: string[] = [];
  try {
    problems.push(...findPostingProblems(database));
  } catch (error) {
    problems.push(`the postings cannot be read: ${error instanceof Error ? error.message : String(error)}`);
  }
  for (const [what, sql] of Object.entries(DISAGREEMENTS)) {
    const count = Number(database.prepare(sql).get()?.n);
    if (count !== 0) problems.push(`${what}: ${count}`);
  }
  return problems;
}

/**
 * Returns whether the index has a page in exactly the same form, and if so records that it was read again. False if the page is new or
 * has changed, so that it must be written.
 */
function createSamePage(
  database: DatabaseSync,
  lives: Pick<PageLives, 'seenAgain'>,
): (page: IndexedPage) => boolean {
  // Inner joins, because a page that lacks a part must be written again.
  const find = database.prepare(
    `select page.*, page_metadata.*, ${ORIGIN_COLUMNS}, ${LIBRARY_COLUMNS}, page_text.dictionary, page_text.text
     from page join page_text on page_text.page_id = page.id
     join page_life on page_life.page_id = page.id ${JOIN_METADATA} where url = ?`,
  );
  const texts = createTextReader(database);
  return (page) => {
    const row = find.get(page.url);
    // The title and the length of the source reveal most changed pages before their text is decompressed.
    if (row === undefined || row.title !== page.title || row.raw_chars !== page.rawChars) return false;
    const kept = readIndexedPage({ ...row, fetched_at: page.fetchedAt }, texts.textOf(row));
    if (!isDeepStrictEqual(kept, page)) return false;
    lives.seenAgain(Number(row.id), page);
    return true;
  };
}

/** Checks the postings for consistency, with each other and with the pages; empty when all agree. */
export function findPostingProblems(database: DatabaseSync): string[] {
  const problems: string[] = [];
  const gone = new Set(
    database
      .prepare('select page_id from gone')
      .all()
      .map((row) => Number(row.page_id)),
  );
  const isPage = database.prepare('select 1 from page where id = ?');
  const chunk = database.prepare('select data from posting where id = ?');
  let posted = 0;
  let lastId = 0;
  for (const row of database.prepare('select * from segment where is_whole = 1 order by first_id').all()) {
    const [id, count, firstId] = [Number(row.id), Number(row.count), Number(row.first_id)];
    if (firstId <= lastId) problems.push(`segment ${id} overlaps with the one before it`);
    lastId = Number(row.last_id);
    for (const offset of unpackPages(row.pages as Uint8Array, count).offsets) {
      const isHeld = isPage.get(firstId + offset) !== undefined;
      if (isHeld) posted += 1;
      if (isHeld === gone.has(firstId + offset))
        problems.push(
          `segment ${id} has page ${firstId + offset}, which ${isHeld ? 'counts as gone' : 'does not exist'}`,
        );
    }
    for (const [number, first] of unpackFirsts(row.chunks as Uint8Array).entries()) {
      const data = chunk.get(id * CHUNKS_MAX + number)?.data as Uint8Array | undefined;
      if (data === undefined || !isSound(data, { first, count }))
        problems.push(`chunk ${number} of segment ${id} is damaged`);
    }
  }
  const pages = Number(database.prepare('select count(*) as n from page').get()?.n);
  if (pages !== posted) problems.push(`pages without postings: ${pages - posted}`);
  return problems;
}

/** Returns whether a chunk begins with the hash `first`, has its hashes in order, and contains only places of its segment, in order. */
function isSound(data: Uint8Array, { first, count }: { first: number; count: number }): boolean {
  const chunk = openChunk(data);
  const postings = createPostings();
  let last = -1;
  for (let term = 0; term < chunk.terms; term += 1) {
    const hash = readHash(chunk, term);
    if (hash <= last || (term === 0 && hash !== first)) return false;
    last = hash;
    readPostings(chunk, term, postings);
    const places = postings.places.subarray(0, postings.count);
    if (places.some((place, at) => place >= count || (at > 0 && place < (places[at - 1] ?? 0)))) return false;
  }
  return true;
}

/** A page that is added or removed. */
type PageDelta = { host: string; language: string | null; lengths: PageTokens['lengths']; sign: 1 | -1 };

/** Keeps the sums over all pages. Writes them once for many pages, because each write costs as much as a small page. */
type IndexSums = {
  add(page: PageDelta): void;
  /** Writes what was added; to be called before the savepoint or transaction ends. */
  flush(): void;
  /** Drops what was added since the last flush. */
  undo(): void;
};

function createSums(database: DatabaseSync): IndexSums {
  const addHost = database.prepare(
    'insert into host values (?, ?) on conflict do update set pages = pages + excluded.pages',
  );
  const emptyHost = database.prepare('delete from host where name = ? and pages <= 0');
  const addLanguage = database.prepare(
    'insert into language values (?, ?) on conflict do update set pages = pages + excluded.pages',
  );
  const addTotal = database.prepare(
    `update total set pages = pages + ?, title = title + ?, headings = headings + ?, address = address + ?, body = body + ?`,
  );
  let sums = createEmptySums();
  return {
    add({ host, language, lengths, sign }) {
      const spoken = resolveStemLanguage(language);
      sums.hosts.set(host, (sums.hosts.get(host) ?? 0) + sign);
      sums.languages.set(spoken, (sums.languages.get(spoken) ?? 0) + sign);
      sums.pages += sign;
      for (const field of FIELDS) sums.lengths[field] += sign * lengths[field];
      sums.isEmpty = false;
    },
    flush() {
      if (sums.isEmpty) return;
      for (const [host, pages] of sums.hosts) {
        addHost.run(host, pages);
        if (pages <= 0) emptyHost.run(host);
      }
      for (const [language, pages] of sums.languages) addLanguage.run(language, pages);
      addTotal.run(sums.pages, ...FIELDS.map((field) => sums.lengths[field]));
      sums = createEmptySums();
    },
    undo() {
      sums = createEmptySums();
    },
  };
}
