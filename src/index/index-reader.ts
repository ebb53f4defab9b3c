import type { DatabaseSync } from 'node:sqlite';
import { LRUCache } from 'lru-cache';
import { openSqlite } from '../platform/store/open-sqlite.ts';
import { findEncoder } from '../text/embeddings/encoder-for.ts';
import { type Filters, isNarrow, listSetFilters, pickFilters } from '../text/query/filters.ts';
import { buildFilterMarks, PRIVATE_MARK } from '../text/query/library-filter.ts';
import type { TermFrequencies } from '../text/query/topic-terms.ts';
import type { PageEvidence } from '../text/scoring/page-evidence.ts';
import { hashTerm } from '../text/words/hashed/hash-terms.ts';
import { createPageNames, type PageName } from './anchors/page-anchors.ts';
import type { Standing } from './hosts/standing.ts';
import { createRankedHosts, createStandings, type RankedHosts } from './hosts/standing-table.ts';
import { type WeighedQuery, weighQuery } from './index-query.ts';
import { collectEvidence, type RankingParts, rankPages } from './index-ranking.ts';
import { type IndexTotals, readIndexedPage, scaleTotals } from './index-schema.ts';
import { buildDomainMarks, type MarkedDomain } from './index-tokens.ts';
import type { FoundPage, IndexedPage, IndexQuery } from './local-index-types.ts';
import { LIBRARY_COLUMNS, readLibrary } from './page-library.ts';
import { JOIN_METADATA, readMetadata } from './page-metadata.ts';
import { ADMITTED_FEW, findCandidates } from './postings/find-candidates.ts';
import { findPlace, type OpenSegment, type OpenSegments, openSegments } from './postings/open-segments.ts';
import { createPostings } from './postings/posting-format.ts';
import { toDayNumber } from './postings/segment-schema.ts';
import {
  createReadingsMemory,
  openReadings,
  type ReadingsMemory,
  type SharedReadings,
} from './results/page-readings.ts';
import { buildFoundPages, createQueryPages, type QueryPages } from './results/query-pages.ts';
import { createTextReader } from './texts/page-texts.ts';
import { createHoldings, type IndexHoldings } from './upkeep/index-holdings.ts';
import { ORIGIN_COLUMNS, readOrigin } from './upkeep/page-origin.ts';
import { createPageMeanings, type PageMeaning, readModelName } from './vectors/page-vectors.ts';
import { createPartCodes, type PartCodes } from './vectors/part-codes.ts';

/** Filters cached per segment, whose pages never change. */
const FILTERS_KEPT = 4;

/**
 * A token of more pages than this is assumed to be equally common among the admitted pages: counting would take more than a tenth
 * of a millisecond.
 */
const COUNTED_MAX = 50_000;

/** Rows read per database call, so that the first query of a large index does not load all rows at once. */
const ROWS_PER_READ = 20_000;
/** Replaced and removed pages stay among the codes; these are reloaded when they hold this many pages more than the index. */
const LEFT_BEHIND = { share: 0.25, least: 1_000 };

/** Counting is linear in the count: small counts are recomputed after every change, large ones after a tenth of all pages changed. */
const COUNT_SMALL = 256;
const STALE_SHARE = 0.1;
const TOKENS_MAX = 50_000;

type IndexReader = IndexHoldings &
  RankedHosts & {
    search(query: IndexQuery): FoundPage[];
    /** Ids of the pages that `search` would score, the most promising first; for measurements. */
    candidates(query: IndexQuery): number[];
    /** Features of the pages that `search` would judge, the best by their words first; for training. */
    evidence(query: IndexQuery): { url: string; evidence: PageEvidence }[];
    get(url: string): IndexedPage | null;
    frequencies(terms: string[]): TermFrequencies;
    version(): string;
    close(): void;
  };

/** The calls that a reader thread serves; a query crosses to it as text. */
export type ReaderCalls = Omit<IndexReader, 'search' | 'candidates' | 'evidence' | 'close'> & {
  search(query: Omit<IndexQuery, 'query'> & { query: string }): FoundPage[];
};

/** Maximum terms counted per call; a look-up costs about 20 microseconds. */
const TERMS_COUNTED_MAX = 3_000;

/** Maximum pages from vector recall, in addition to those found by their words. */
const MEANT_MAX = 50;

/** Opens the readings that readers share; a reader without them keeps its own. */
const openSharedReadings = (readings: ReadingsMemory = createReadingsMemory(0)): SharedReadings =>
  openReadings(readings);

/** `vectorRecall`: whether pages are also found by meaning; `readings`: memory that this reader shares with others. */
export type IndexReaderOptions = { path: string; vectorRecall?: boolean; readings?: ReadingsMemory };

/** Opens a reader of an index file; each call sees one snapshot, the newest committed. */
export function openIndexReader({ path, vectorRecall = false, readings }: IndexReaderOptions): IndexReader {
  const database = openSqlite(path, { readOnly: true });
  const statements = prepare(database);
  const segments = openSegments(database);
  const texts = createTextReader(database);
  const openPages = createQueryPages(database, { texts, shared: openSharedReadings(readings) });
  const admission = createAdmission(segments.read);
  const admittedFrequencies = createAdmittedFrequencies(segments.read);
  const meanings = createPageMeanings(database);
  const names = createPageNames(database);
  const standingOf = createStandings(database);
  const findMeant = vectorRecall ? createVectorRecall(database) : null;
  const frequencies = createFrequencies((term) => segments.frequency(hashTerm(term)));
  const withSnapshot = <T>(read: () => T): T => {
    database.exec('begin');
    try {
      return read();
    } finally {
      database.exec('commit');
    }
  };
  const prepareQuery = (query: IndexQuery): PreparedQuery => {
    const current = segments.current();
    const totals = statements.totals.get() as IndexTotals;
    const frequencyOf = frequencies.at(totals);
    const admitted = admission(query, current);
    const weighing = admittedFrequencies({ query, admitted, segments: current, totals, frequencyOf });
    const read = weighQuery(query.query, { languages: listLanguages(statements), ...weighing });
    const { text } = query.query;
    const topic = query.query.topic();
    const isAdmitted = (id: number): boolean => admitted === null || admitted.has(id);
    return {
      query,
      read,
      frequencyOf,
      totals,
      admitted,
      meaningOf: meanings(topic),
      nameOf: names(topic),
      standingOf,
      pages: openPages(),
      segments: current,
      readPostings: segments.read,
      meant: findMeant === null ? null : new Set(findMeant(text, { admits: isAdmitted, limit: MEANT_MAX })),
    };
  };
  const get = (url: string): IndexedPage | null => {
    const row = statements.page.get(url);
    return row === undefined
      ? null
      : readIndexedPage({ ...row, fetched_at: row.confirmed_at }, texts.textOf(row));
  };
  return {
    ...createHoldings(database, get),
    ...createRankedHosts(database),
    search: (query) => withSnapshot(() => search(statements, prepareQuery(query))),
    candidates: (query) => withSnapshot(() => findCandidateIds(prepareQuery(query))),
    evidence: (query) => withSnapshot(() => readEvidence(statements, prepareQuery(query))),
    frequencies: (terms) => withSnapshot(() => countTerms({ statements, segments, frequencies }, terms)),
    get,
    version: () => String((statements.totals.get() as IndexTotals).changes),
    close: () => database.close(),
  };
}

type FrequencySources = {
  statements: Statements;
  segments: OpenSegments;
  frequencies: ReturnType<typeof createFrequencies>;
};

function countTerms(
  { statements, segments, frequencies }: FrequencySources,
  terms: string[],
): TermFrequencies {
  segments.current();
  const totals = statements.totals.get() as IndexTotals;
  const frequencyOf = frequencies.at(totals);
  const counted = terms.slice(0, TERMS_COUNTED_MAX).map((term) => [term, frequencyOf(term)] as const);
  return { pages: totals.pages, frequencies: new Map(counted.filter(([, count]) => count > 0)) };
}

type Statements = ReturnType<typeof prepare>;

function prepare(database: DatabaseSync) {
  return {
    totals: database.prepare('select * from total'),
    languages: database.prepare('select name from language where pages > 0 order by pages desc limit 6'),
    head: database.prepare(
      `select url, title, published_day, page_metadata.*, ${ORIGIN_COLUMNS}, ${LIBRARY_COLUMNS}
       from page ${JOIN_METADATA} where page.id = ?`,
    ),
    page: database.prepare(
      `select page.*, page_metadata.*, ${ORIGIN_COLUMNS}, ${LIBRARY_COLUMNS}, page_text.dictionary, page_text.text,
         coalesce(page_life.fetched_at, page.fetched_at) as confirmed_at
       from page join page_text on page_text.page_id = page.id ${JOIN_METADATA}
       left join page_life on page_life.page_id = page.id where url = ?`,
    ),
  };
}

const listLanguages = ({ languages }: Statements): string[] =>
  languages.all().map(({ name }) => String(name));

type PreparedQuery = {
  query: IndexQuery;
  read: WeighedQuery;
  frequencyOf: (token: string) => number;
  totals: IndexTotals;
  /** Null: every page. */
  admitted: AdmittedPages | null;
  segments: readonly OpenSegment[];
  readPostings: OpenSegments['read'];
  pages: QueryPages;
  meaningOf: (id: number) => PageMeaning | null;
  nameOf: (id: number) => PageName | null;
  standingOf: (id: number) => Standing | null;
  /** Pages found by vector recall; null where it is off. */
  meant: ReadonlySet<number> | null;
};

function search(statements: Statements, asked: PreparedQuery): FoundPage[] {
  const scored = rankPages(listIdsToRank(asked), asked.read, {
    ...buildRankingParts(asked),
    limit: asked.query.limit,
    namesDomains: isNarrow(asked.query),
  });
  return buildResults(statements, scored, asked);
}

function readEvidence(
  statements: Statements,
  asked: PreparedQuery,
): { url: string; evidence: PageEvidence }[] {
  const parts = { ...buildRankingParts(asked), most: asked.query.limit };
  return collectEvidence(listIdsToRank(asked), asked.read, parts).map(({ id, evidence }) => ({
    url: String(statements.head.get(id)?.url),
    evidence,
  }));
}

const listIdsToRank = (asked: PreparedQuery): number[] => [
  ...new Set([...findCandidateIds(asked), ...(asked.meant ?? [])]),
];

const buildRankingParts = (asked: PreparedQuery): RankingParts => ({
  words: asked.pages.words,
  opening: asked.pages.opening,
  frequencyOf: asked.frequencyOf,
  pages: asked.totals.pages,
  meaningOf: asked.meaningOf,
  nameOf: asked.nameOf,
  standingOf: asked.standingOf,
  meant: asked.meant,
});

function findCandidateIds({ query, read, admitted, segments, readPostings }: PreparedQuery): number[] {
  if (read.present.length === 0) return [];
  if (admitted !== null && admitted.count <= ADMITTED_FEW) return admitted.ids();
  return findCandidates(
    read.present,
    { segments, read: readPostings },
    { admitted: admitted?.places ?? null, limit: query.limit },
  );
}

/** Builds the results: the best pages that are not near-duplicates of a better one, with their snippets. */
function buildResults(
  statements: Statements,
  scored: { id: number; score: number; isWeak: boolean }[],
  { query, read, pages }: PreparedQuery,
): FoundPage[] {
  return buildFoundPages(scored, query, {
    head(id) {
      const row = statements.head.get(id);
      if (row === undefined) return null;
      const { url, title, published_day: day } = row;
      const declared = readMetadata(row);
      const origin = readOrigin(row);
      const library = readLibrary(row);
      const page = {
        url: String(url),
        title: String(title),
        publishedDay: day === null ? null : String(day),
      };
      return {
        ...page,
        ...(declared === null ? {} : { declared }),
        ...(origin === null ? {} : { origin }),
        ...(library === null ? {} : { library }),
      };
    },
    sketch: pages.sketch,
    markdown: pages.markdown,
    snippetTerms: read.snippetTerms,
  });
}

type CountedToken = { count: number; changes: number; pages: number };

/** Caches the document frequency of each token for as long as it is approximately right. */
function createFrequencies(countPages: (token: string) => number): {
  at(totals: IndexTotals): (token: string) => number;
} {
  const known = new Map<string, CountedToken>();
  return {
    at:
      ({ changes, pages }) =>
      (token) => {
        const last = known.get(token);
        if (last !== undefined && isCurrent(last, { changes, pages })) return last.count;
        if (known.size >= TOKENS_MAX) known.clear();
        const count = countPages(token);
        known.set(token, { count, changes, pages });
        return count;
      },
  };
}

function isCurrent(last: CountedToken, now: { changes: number; pages: number }): boolean {
  if (last.changes === now.changes) return true;
  return last.count > COUNT_SMALL && Math.abs(now.pages - last.pages) < last.pages * STALE_SHARE;
}

/**
 * Finds pages by meaning: compares the code of the query with those of all parts of all pages, which are kept in memory (one bit per
 * dimension); the closest pages are then scored by their stored vectors. New and changed pages are read before each query; changed
 * pages have a new id, and removed ones no row.
 */
function createVectorRecall(
  database: DatabaseSync,
): (query: string, accept: { admits(id: number): boolean; limit: number }) => number[] {
  const after = database.prepare(
    'select seq, page_id as id, vectors from page_vector where seq > ? and model = ? order by seq limit ?',
  );
  const exists = database.prepare('select 1 from page_vector where page_id = ?');
  const held = database.prepare('select pages from total');
  let codes: PartCodes | null = null;
  let model = '';
  let last = 0;
  return (query, { admits, limit }) => {
    const encoder = findEncoder(null);
    const [asked] = encoder?.embed([query]) ?? [];
    if (encoder === null || asked === undefined || !asked.some((value) => value !== 0)) return [];
    const { pages } = held.get() ?? {};
    const mostPages = Number(pages) * (1 + LEFT_BEHIND.share) + LEFT_BEHIND.least;
    if (codes === null || model !== readModelName() || codes.pages() > mostPages) {
      [codes, model, last] = [createPartCodes(encoder.dimensions), readModelName(), 0];
    }
    for (let read = ROWS_PER_READ; read === ROWS_PER_READ; ) {
      const rows = after.all(last, model, ROWS_PER_READ) as {
        seq: number;
        id: number;
        vectors: Uint8Array;
      }[];
      for (const { id, vectors } of rows) codes.put(id, vectors);
      read = rows.length;
      last = rows.at(-1)?.seq ?? last;
    }
    return codes.closest(asked, { admits: (id) => admits(id) && exists.get(id) !== undefined, limit });
  };
}

/** The totals of some pages, and the document frequency of a token among them. */
type Frequencies = { totals: IndexTotals; frequencyOf: (token: string) => number };

/** The frequencies of the whole index, with the query and the pages that it admits. */
type CountingInput = Frequencies & {
  query: Filters;
  admitted: AdmittedPages | null;
  segments: readonly OpenSegment[];
};

/** Returns the frequencies that weigh a query's words: those of the admitted pages if the query is narrow, else of all pages. */
function createAdmittedFrequencies(read: OpenSegments['read']): (asked: CountingInput) => Frequencies {
  const postings = createPostings();
  return ({ query, admitted, segments, totals, frequencyOf }) => {
    if (admitted === null || !isNarrow(query)) return { totals, frequencyOf };
    const count = (token: string): number => {
      const hash = hashTerm(token);
      let counted = 0;
      for (const segment of segments) {
        if (!read(segment, hash, postings)) continue;
        const mask = admitted.places(segment);
        for (let at = 0; at < postings.count; at += 1) {
          const place = postings.places[at] as number;
          counted += (mask[place] as number) & (segment.alive[place] as number);
        }
      }
      return counted;
    };
    return {
      totals: scaleTotals(totals, admitted.count),
      frequencyOf(token) {
        const everywhere = frequencyOf(token);
        return everywhere > COUNTED_MAX
          ? Math.round((everywhere * admitted.count) / totals.pages)
          : count(token);
      },
    };
  };
}

/** The pages that the filters of a query admit. */
type AdmittedPages = {
  /** A mask over the places of a segment: 1 for each admitted page. */
  places(segment: OpenSegment): Uint8Array;
  has(id: number): boolean;
  count: number;
  ids(): number[];
};

/** Finds the pages that a query admits; null when it filters nothing. `segments`: all segments of the index. */
type Admission = (query: Filters, segments: readonly OpenSegment[]) => AdmittedPages | null;

function createAdmission(read: OpenSegments['read']): Admission {
  const kept = new WeakMap<OpenSegment, LRUCache<string, Uint8Array>>();
  const postings = createPostings();
  const holdsPrivate = createMarkFinder(read, PRIVATE_MARK);
  return (query, segments) => {
    if (listSetFilters(query).length === 0 && !segments.some(holdsPrivate)) return null;
    const key = JSON.stringify(pickFilters(query));
    const findPlaces = (segment: OpenSegment): Uint8Array => {
      const masks = kept.get(segment) ?? new LRUCache<string, Uint8Array>({ max: FILTERS_KEPT });
      kept.set(segment, masks);
      const known = masks.get(key);
      if (known !== undefined) return known;
      const mask = buildMask(query, segment, { read, postings });
      masks.set(key, mask);
      return mask;
    };
    return createAdmittedPages(findPlaces, segments);
  };
}

/** Creates a function that tells whether any page of a segment has a mark. */
function createMarkFinder(read: OpenSegments['read'], mark: string): (segment: OpenSegment) => boolean {
  const known = new WeakMap<OpenSegment, boolean>();
  const postings = createPostings();
  return (segment) => {
    const before = known.get(segment);
    if (before !== undefined) return before;
    const isMarked = read(segment, hashTerm(mark), postings);
    known.set(segment, isMarked);
    return isMarked;
  };
}

function createAdmittedPages(
  places: AdmittedPages['places'],
  segments: readonly OpenSegment[],
): AdmittedPages {
  let count = 0;
  for (const segment of segments) {
    const mask = places(segment);
    for (let place = 0; place < segment.count; place += 1)
      count += (mask[place] as number) & (segment.alive[place] as number);
  }
  return {
    places,
    count,
    has(id) {
      const segment = segments.find(({ firstId, lastId }) => firstId <= id && id <= lastId);
      if (segment === undefined) return false;
      const place = findPlace(segment, id);
      return place >= 0 && places(segment)[place] === 1 && segment.alive[place] === 1;
    },
    ids: () =>
      segments.flatMap((segment) => {
        const mask = places(segment);
        const ids: number[] = [];
        for (const [place, offset] of segment.offsets.entries())
          if (mask[place] === 1 && segment.alive[place] === 1) ids.push(segment.firstId + offset);
        return ids;
      }),
  };
}

type Reading = { read: OpenSegments['read']; postings: ReturnType<typeof createPostings> };

function buildMask(query: Filters, segment: OpenSegment, reading: Reading): Uint8Array {
  const { included, excluded } = buildDomainMarks(query);
  const mask =
    included === null ? new Uint8Array(segment.count).fill(1) : maskDomains(included, segment, reading);
  if (excluded.length > 0) clearPlaces(mask, maskDomains(excluded, segment, reading), 1);
  if (query.library === undefined) clearPlaces(mask, maskMarks([PRIVATE_MARK], segment, reading), 1);
  else
    for (const marks of buildFilterMarks(query.library))
      clearPlaces(mask, maskMarks(marks, segment, reading), 0);
  if (query.publishedFrom !== null || query.publishedTo !== null) {
    const from = Math.max(1, query.publishedFrom === null ? 1 : toDayNumber(query.publishedFrom));
    const to = query.publishedTo === null ? Number.POSITIVE_INFINITY : toDayNumber(query.publishedTo);
    for (let place = 0; place < mask.length; place += 1) {
      const day = segment.days[place] as number;
      if (day < from || day > to) mask[place] = 0;
    }
  }
  return mask;
}

/** Clears the places of a mask at which another has `value`. */
function clearPlaces(mask: Uint8Array, other: Uint8Array, value: 0 | 1): void {
  for (let place = 0; place < mask.length; place += 1) if (other[place] === value) mask[place] = 0;
}

/** Builds a mask with 1 at the places of the pages that have any of the marks. */
function maskMarks(marks: readonly string[], segment: OpenSegment, { read, postings }: Reading): Uint8Array {
  const mask = new Uint8Array(segment.count);
  for (const mark of marks) {
    if (!read(segment, hashTerm(mark), postings)) continue;
    for (let at = 0; at < postings.count; at += 1) mask[postings.places[at] as number] = 1;
  }
  return mask;
}

/** Builds a mask with 1 at the places of the pages in any of the domains. */
function maskDomains(domains: MarkedDomain[], segment: OpenSegment, { read, postings }: Reading): Uint8Array {
  const mask = new Uint8Array(segment.count);
  for (const { host, path } of domains) {
    if (!read(segment, hashTerm(host), postings)) continue;
    const ofHost = postings.places.slice(0, postings.count);
    if (path === null) {
      for (const place of ofHost) mask[place] = 1;
      continue;
    }
    if (!read(segment, hashTerm(path), postings)) continue;
    const ofPath = new Set(postings.places.subarray(0, postings.count));
    for (const place of ofHost) if (ofPath.has(place)) mask[place] = 1;
  }
  return mask;
}
