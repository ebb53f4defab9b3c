import { LRUCache } from 'lru-cache';
import { toVisibleText } from '../../../text/markup/visible-text.ts';
import { isNarrow } from '../../../text/query/filters.ts';
import { readQuery } from '../../../text/query/read-query.ts';
import { openWords } from '../../../text/scoring/packed-words.ts';
import { createNameComparer, hashTarget, type PageName, SOURCES_MAX } from '../../anchors/page-anchors.ts';
import { type WeighedQuery, weighQuery } from '../../index-query.ts';
import { rankPages } from '../../index-ranking.ts';
import { scaleTotals } from '../../index-schema.ts';
import type { FoundPage, IndexedPage, IndexQuery } from '../../local-index-types.ts';
import { buildFoundPages } from '../../results/query-pages.ts';
import { createMeaningComparer } from '../../vectors/page-vectors.ts';
import { type Cluster, runInCall } from '../connect/cluster.ts';
import type { IndexNames } from '../layout/layout.ts';
import { type RankingFields, type StoredPage, unpackPage } from '../layout/packed-page.ts';
import { toTermToken } from '../layout/term-token.ts';
import { type AnswerSnapshot, hasAffectingPage, parseState } from './answer-snapshot.ts';
import { buildAdmittedQuery, findCandidates } from './candidates.ts';
import { createPageWords, type FoundCandidate, NOT_STORED, type PageWords } from './page-words.ts';
import { createStandings, parseHost, type Standings } from './standings.ts';
import { createTermCounts, type TermCount, type TermCounts } from './term-counts.ts';
import { type ClusterTotals, createTotals } from './totals.ts';

const PAGES_KEPT_MAX = 20_000;
/** Short staleness is harmless, because only the order of results depends on link texts. */
const KEPT_MS = 1_000;
const TEXTS_MAX = 4_000;

/** A query, sent to a thread as text; `changed`: the number of changes that this process has made. */
type ClusterQuery = Omit<IndexQuery, 'query'> & { query: string; changed: number };

export type ClusterSearch = {
  /** Its requests end when the signal fires. */
  search(query: ClusterQuery, signal?: AbortSignal): Promise<FoundPage[]>;
  /** Returns whether the changes between two states of the index may affect an answer. */
  concerns(query: AnswerSnapshot & { now: string; changed: number }): Promise<boolean>;
  frequencies(query: { terms: string[]; changed: number }): Promise<{
    pages: number;
    frequencies: Map<string, number>;
  }>;
};

const TERMS_COUNTED_MAX = 3_000;
/** Characters of Markdown that contain the opening of a page's text, links included. */
const OPENING_CHARS = 6_000;
/** Maximum runs of ranking: after a run, missing data is fetched, first the openings of pages, then the counts of their terms. */
const RUNS_MAX = 3;

type Parts = {
  cluster: Cluster;
  names: IndexNames;
  totals: (changed: number) => Promise<ClusterTotals>;
  counts: TermCounts;
  pageWords: PageWords;
  linkNames: ReturnType<typeof createLinkNames>;
  standings: Standings;
};

/** Searches with candidates from the cluster and the ranking that all engines share. */
export function createClusterSearch(cluster: Cluster, names: IndexNames): ClusterSearch {
  const parts: Parts = {
    cluster,
    names,
    totals: createTotals(cluster, names),
    counts: createTermCounts(cluster, names),
    pageWords: createPageWords(cluster, names),
    linkNames: createLinkNames(cluster, names),
    standings: createStandings(cluster, names),
  };
  return {
    search: (asked, signal) => runInCall(signal, () => search(parts, asked)),
    async concerns({ since, now, changed, ...asked }) {
      const [before, after] = [parseState(since), parseState(now)];
      // The words of removed pages are no longer known.
      if (before === null || after === null || before.removals !== after.removals) return true;
      const { languages } = await parts.totals(changed);
      return hasAffectingPage(cluster, names, { ...asked, since: before.at, languages });
    },
    async frequencies({ terms, changed }) {
      const { totals, hasDeleted } = await parts.totals(changed);
      const counts = await parts.counts(terms.slice(0, TERMS_COUNTED_MAX), { changed, hasDeleted });
      return { pages: totals.pages, frequencies: selectPresent(counts) };
    },
  };
}

function selectPresent(counts: ReadonlyMap<string, TermCount>): Map<string, number> {
  return new Map([...counts].flatMap(([term, { count }]) => (count > 0 ? [[term, count]] : [])));
}

async function search(parts: Parts, { changed, ...asked }: ClusterQuery): Promise<FoundPage[]> {
  const query: IndexQuery = { ...asked, query: readQuery(asked.query) };
  const { totals, languages, hasDeleted } = await parts.totals(changed);
  const forms = query.query.forIndex(languages).flatMap((term) => term.forms);
  const [known, admitted] = await Promise.all([
    parts.counts(forms, { changed, hasDeleted }),
    isNarrow(query) ? countAdmitted(parts, query, forms) : null,
  ]);
  const counts = new Map(known);
  const read = weighQuery(query.query, {
    languages,
    totals: admitted === null ? totals : scaleTotals(totals, admitted.pages),
    frequencyOf: admitted?.frequencyOf ?? ((token) => counts.get(token)?.count ?? 0),
  });
  if (read.present.length === 0) return [];
  const candidates = await findCandidates(parts, query, {
    terms: read.present,
    weightOf: (form) => counts.get(form)?.weight ?? null,
  });
  const words = await parts.pageWords(candidates);
  const urls = [...words.values()].map(({ url }) => url);
  const [names, standings] = await Promise.all([
    parts.linkNames(urls, changed),
    parts.standings(urls, changed),
  ]);
  const ranked = await rank({
    parts,
    query,
    read,
    candidates,
    words,
    counts,
    names,
    standings,
    count: (terms: string[]) => parts.counts(terms, { changed, hasDeleted }),
    pages: totals.pages,
  });
  return buildResults(parts, query, { read, ranked, candidates, words });
}

type Opening = { title: string; text: string; language: string | null };
type RankedPages = ReturnType<typeof rankPages>;

type RankingInput = {
  parts: Parts;
  query: IndexQuery;
  read: WeighedQuery;
  candidates: FoundCandidate[];
  words: ReadonlyMap<string, RankingFields>;
  counts: Map<string, TermCount>;
  /** Texts of the links to each page, by address. */
  names: ReadonlyMap<string, readonly string[]>;
  standings: Awaited<ReturnType<Standings>>;
  count(terms: string[]): Promise<ReadonlyMap<string, TermCount>>;
  pages: number;
};

/** Ranks the candidates. Ranking itself is pure: when it needs data that is missing, the data is fetched and ranking runs again. */
async function rank({
  parts,
  query,
  read,
  candidates,
  words,
  counts,
  names,
  standings,
  count,
  pages,
}: RankingInput): Promise<RankedPages> {
  const topic = query.query.topic();
  const meaning = createMeaningComparer(topic);
  const nameOf = createNameLookup(topic, names);
  const openings = new Map<string, Opening>();
  const findRankedFields = (place: number): RankingFields | undefined =>
    words.get(candidates[place]?.id ?? '');
  for (let run = 1; ; run += 1) {
    const wanted = { openings: new Set<string>(), terms: new Set<string>() };
    const ranked = rankPages([...candidates.keys()], read, {
      words(place) {
        const page = findRankedFields(place);
        return page === undefined ? null : openWords(page.words);
      },
      opening(place) {
        const id = candidates[place]?.id ?? '';
        const known = openings.get(id);
        if (known === undefined) wanted.openings.add(id);
        return known ?? { title: '', text: '', language: null };
      },
      frequencyOf(token) {
        const known = counts.get(token);
        if (known === undefined) wanted.terms.add(token);
        return known?.count ?? 0;
      },
      pages,
      meaningOf(place) {
        const page = findRankedFields(place);
        return page === undefined ? null : meaning(page.vectors, page.model);
      },
      nameOf: (place) => nameOf(findRankedFields(place)),
      standingOf: (place) => standings.get(parseHost(findRankedFields(place)?.url ?? null) ?? '') ?? null,
      meant: null,
      limit: query.limit,
      namesDomains: isNarrow(query),
    });
    if (run === RUNS_MAX || wanted.openings.size + wanted.terms.size === 0) return ranked;
    if (wanted.openings.size > 0) {
      const pagesOf = await readPages(parts, [...wanted.openings]);
      for (const id of wanted.openings) openings.set(id, buildOpening(pagesOf.get(id)));
    }
    for (const [term, known] of await count([...wanted.terms])) counts.set(term, known);
  }
}

/** Compares the names of pages with a query, once for all runs. */
function createNameLookup(
  query: string,
  names: ReadonlyMap<string, readonly string[]>,
): (page: RankingFields | undefined) => PageName | null {
  const compare = createNameComparer(query);
  const known = new Map<string, PageName | null>();
  return (page) => {
    if (page === undefined) return null;
    const { url, title, language } = page;
    const held = known.get(url);
    if (held !== undefined) return held;
    const name = compare({ url, title, language, texts: names.get(url) ?? [] });
    known.set(url, name);
    return name;
  };
}

function buildOpening(page: IndexedPage | undefined): Opening {
  if (page === undefined) return { title: '', text: '', language: null };
  const { title, language, markdown } = page;
  return { title, language, text: toVisibleText(markdown.slice(0, OPENING_CHARS)) };
}

type RankedCandidates = {
  read: WeighedQuery;
  ranked: RankedPages;
  candidates: FoundCandidate[];
  words: ReadonlyMap<string, RankingFields>;
};

/** Pages fetched beyond the number of results, because some are copies of others. */
const SPARE = 10;

async function buildResults(
  parts: Parts,
  query: IndexQuery,
  { read, ranked, candidates, words }: RankedCandidates,
): Promise<FoundPage[]> {
  const readId = (place: number): string => candidates[place]?.id ?? '';
  const pages = new Map<string, IndexedPage>();
  for (let reach = query.limit + SPARE; ; reach *= 2) {
    const wanted = ranked
      .slice(0, reach)
      .map(({ id }) => readId(id))
      .filter((id) => !pages.has(id));
    for (const [id, page] of await readPages(parts, wanted)) pages.set(id, page);
    const found = buildFoundPages(ranked.slice(0, reach), query, {
      head: (place) => buildHead(pages.get(readId(place))),
      sketch: (place) => words.get(readId(place))?.sketch ?? new Uint32Array(0),
      markdown: (place) => pages.get(readId(place))?.markdown ?? '',
      snippetTerms: read.snippetTerms,
    });
    if (found.length >= query.limit || reach >= ranked.length) return found;
  }
}

function buildHead(page: IndexedPage | undefined) {
  if (page === undefined) return null;
  const { url, title, publishedDay, declared, origin, library } = page;
  return {
    url,
    title,
    publishedDay,
    ...(declared && { declared }),
    ...(origin && { origin }),
    ...(library && { library }),
  };
}

/** Reads the current versions of pages; those that no longer exist are left out. */
async function readPages(
  { cluster, names }: Pick<Parts, 'cluster' | 'names'>,
  ids: readonly string[],
): Promise<Map<string, IndexedPage>> {
  if (ids.length === 0) return new Map();
  const { docs } = await cluster.request<{ docs: ({ _id: string } & StoredPage)[] }>({
    method: 'POST',
    path: `/${names.pages}/_mget`,
    query: { stored_fields: 'whole' },
    body: { ids },
  });
  return new Map(
    docs.flatMap((doc) => {
      const page = unpackPage(doc);
      return page === null ? [] : [[doc._id, page] as const];
    }),
  );
}

/** The number of pages that the filters admit, and the document frequency of a term among them. */
type AdmittedCounts = { pages: number; frequencyOf: (term: string) => number };

type CountResponse = {
  hits: { total: { value: number } };
  aggregations: { counts: { buckets: Record<string, { doc_count: number }> } };
};

async function countAdmitted(
  { cluster, names }: { cluster: Cluster; names: IndexNames },
  query: IndexQuery,
  asked: readonly string[],
): Promise<AdmittedCounts> {
  const terms = [...new Set(asked)];
  const filters = Object.fromEntries(
    terms.map((term, place) => [place, { term: { words: toTermToken(term) } }]),
  );
  const { hits, aggregations } = await cluster.request<CountResponse>({
    method: 'POST',
    path: `/${names.pages}/_search`,
    query: { allow_partial_search_results: false },
    body: {
      size: 0,
      track_total_hits: true,
      query: buildAdmittedQuery(query),
      ...(terms.length === 0 ? {} : { aggs: { counts: { filters: { filters } } } }),
    },
  });
  const counts = new Map(
    terms.map((term, place) => [term, aggregations.counts.buckets[place]?.doc_count ?? 0]),
  );
  return { pages: hits.total.value, frequencyOf: (term) => counts.get(term) ?? 0 };
}

/** Reads the texts of links to each page from other pages of its host; `changed`: the number of changes that this process has made. */
type LinkNames = (
  urls: readonly string[],
  changed: number,
) => Promise<ReadonlyMap<string, readonly string[]>>;

type Hit = { fields?: { target?: number[]; text?: string[] } };

/** Creates a cached reader of the link texts that `write/links.ts` writes. */
function createLinkNames(cluster: Cluster, { links }: IndexNames): LinkNames {
  const kept = new LRUCache<string, string[]>({ max: PAGES_KEPT_MAX, ttl: KEPT_MS });
  let keptAt = 0;
  return async (urls, changed) => {
    if (changed !== keptAt) kept.clear();
    keptAt = changed;
    const names = new Map<string, readonly string[]>();
    const asked: string[] = [];
    for (const url of urls) {
      const known = kept.get(url);
      if (known === undefined) asked.push(url);
      else names.set(url, known);
    }
    if (asked.length === 0) return names;
    const texts = new Map<number, string[]>(asked.map((url) => [hashTarget(url), []]));
    const { hits } = await cluster.request<{ hits: { hits: Hit[] } }>({
      method: 'POST',
      path: `/${links}/_search`,
      body: {
        size: TEXTS_MAX,
        track_total_hits: false,
        sort: ['_doc'],
        ...NOT_STORED,
        query: { terms: { target: [...texts.keys()] } },
        docvalue_fields: ['target', 'text'],
      },
    });
    for (const { fields } of hits.hits) {
      const [target, text] = [fields?.target?.[0], fields?.text?.[0]];
      const held = target === undefined ? undefined : texts.get(target);
      if (held !== undefined && text !== undefined && held.length < SOURCES_MAX * 2) held.push(text);
    }
    for (const url of asked) {
      const found = texts.get(hashTarget(url)) ?? [];
      kept.set(url, found);
      names.set(url, found);
    }
    return names;
  };
}
