import assert from 'node:assert/strict';
import type { DatabaseSync } from 'node:sqlite';
import { createAnchorWriter } from './anchors/page-anchors.ts';
import type { StandingsPart } from './hosts/host-types.ts';
import { createStandingWriter } from './hosts/standing-table.ts';
import { openIndexFile } from './index-schema.ts';
import { createSums } from './index-sums.ts';
import type { IndexedPage } from './local-index-types.ts';
import { createMetadataWriter } from './page-metadata.ts';
import { createFreshSegment } from './postings/fresh-segment.ts';
import { findPostingProblems } from './postings/posting-problems.ts';
import { type PreparedPage, preparePage } from './prepare/prepare-page.ts';
import { createTakeOver, type TakeOver } from './rebuild/take-over.ts';
import { createTextWriter } from './texts/page-texts.ts';
import { createUpkeep, type UpkeepStep } from './upkeep/index-upkeep.ts';
import { createPageLives } from './upkeep/page-life.ts';
import { createOriginWriter } from './upkeep/page-origin.ts';
import { createSamePage } from './upkeep/same-page.ts';
import { createPageVectors } from './vectors/page-vectors.ts';

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
    problems: () => findProblems(database),
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
  statements.putAnchors(id, page);
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

function findProblems(database: DatabaseSync): string[] {
  const problems: string[] = [];
  for (const row of database.prepare('pragma integrity_check(10)').all()) {
    if (row.integrity_check !== 'ok') problems.push(String(row.integrity_check));
  }
  problems.push(...findPostingProblems(database));
  for (const [what, sql] of Object.entries(DISAGREEMENTS)) {
    const count = Number(database.prepare(sql).get()?.n);
    if (count !== 0) problems.push(`${what}: ${count}`);
  }
  return problems;
}
