import { DAY_MS } from '../../../platform/clock.ts';
import type { OutlinesStep } from '../../hosts/host-ranker.ts';
import { buildOutline } from '../../hosts/page-outline.ts';
import type {
  HeldPage,
  HoldingsQuery,
  IndexedPage,
  IndexStats,
  PageSelector,
} from '../../local-index-types.ts';
import { createSelectorMatcher, listRanges } from '../../upkeep/page-selector.ts';
import type { Cluster } from '../connect/cluster.ts';
import type { IndexNames } from '../layout/layout.ts';
import { type StoredPage, unpackPage } from '../layout/packed-page.ts';
import { buildPageId, type LifeDocument } from '../write/page-document.ts';

/** Reads the contents of the cluster for the operator, like IndexHoldings of SQLite. */
export type ClusterHoldings = {
  get(url: string): Promise<IndexedPage | null>;
  list(query: HoldingsQuery): Promise<HeldPage[]>;
  recent(limit: number): Promise<HeldPage[]>;
  pages(query: HoldingsQuery): Promise<IndexedPage[]>;
  outlines(query: HoldingsQuery): Promise<OutlinesStep>;
  due(query: { at: number; limit: number }): Promise<string[]>;
  stats(query: { at: number }): Promise<IndexStats>;
  size(): Promise<{ pages: number; hosts: number }>;
  problems(): Promise<string[]>;
};

const AGE_DAYS = [1, 7, 30, 90, 365];
const HOSTS_SHOWN = 20;
const LANGUAGES_SHOWN = 100;
const PRECISION = 40_000;
const PER_REQUEST_MAX = 1_000;

type Hit<Source> = { _id: string; _source: Source };
type SearchResponse<Source> = {
  hits: { total: { value: number }; hits: Hit<Source>[] };
  aggregations: Record<string, { value: number; buckets: { key: string; doc_count: number }[] }>;
};
type Search = <Source>(index: string, body: object) => Promise<SearchResponse<Source>>;

export function createClusterHoldings(cluster: Cluster, names: IndexNames): ClusterHoldings {
  const search: Search = (index, body) =>
    cluster.request({
      method: 'POST',
      path: `/${index}/_search`,
      body,
      query: { allow_partial_search_results: false },
    });
  const listLives = (query: HoldingsQuery) => listSelectedLives(search, names.lives, query);
  return {
    get: async (url) => (await readWhole(cluster, names, [url]))[0] ?? null,
    list: async (query) => (await listLives(query)).map(toHeldPage),
    async recent(limit) {
      const { hits } = await search<LifeDocument>(names.lives, {
        size: Math.min(limit, PER_REQUEST_MAX),
        query: { match_all: {} },
        sort: [{ fetchedAt: 'desc' }, { url: 'asc' }],
      });
      return hits.hits.map(({ _source: life }) => toHeldPage(life));
    },
    pages: async (query) =>
      readWhole(
        cluster,
        names,
        (await listLives(query)).map(({ url }) => url),
      ),
    async outlines(query) {
      const urls = (await listLives(query)).map(({ url }) => url);
      const pages = await readWhole(cluster, names, urls);
      return { outlines: pages.map(buildOutline), last: urls.at(-1) ?? null };
    },
    async due({ at, limit }) {
      const { hits } = await search<LifeDocument>(names.lives, {
        size: Math.min(limit, PER_REQUEST_MAX),
        query: { range: { dueAt: { lte: at } } },
        sort: [{ dueAt: 'asc' }, { url: 'asc' }],
      });
      return hits.hits.map(({ _source: { url } }) => url);
    },
    stats: ({ at }) => readStats(cluster, search, { names, at }),
    size: () => readSize(search, names),
    problems: () => findProblems(cluster, search, names),
  };
}

const toHeldPage = ({ url, title, fetchedAt, usedAt, bytes }: LifeDocument): HeldPage => ({
  url,
  title,
  fetchedAt,
  usedAt,
  bytes,
});

/** Lists the selected pages in the order of their addresses. */
async function listSelectedLives(
  search: Search,
  index: string,
  { selector, after, limit }: HoldingsQuery,
): Promise<LifeDocument[]> {
  const isSelected = selector === null ? () => true : createSelectorMatcher(selector);
  const found: LifeDocument[] = [];
  let last = after;
  while (found.length < limit) {
    const size = Math.min(PER_REQUEST_MAX, limit);
    const { hits } = await search<LifeDocument>(index, {
      size,
      track_total_hits: false,
      query: buildSelectorQuery(selector),
      sort: [{ url: 'asc' }],
      ...(last === null ? {} : { search_after: [last] }),
    });
    const page = hits.hits.map(({ _source }) => _source);
    found.push(...page.filter(({ url }) => isSelected(url)));
    last = page.at(-1)?.url ?? last;
    if (page.length < size) break;
  }
  return found.slice(0, limit);
}

/** Builds a query that matches every selected page, and possibly others. */
function buildSelectorQuery(selector: PageSelector | null): object {
  if (selector === null) return { match_all: {} };
  if ('host' in selector) {
    const name = selector.host.replace(/:\d+$/, '').replace(/[.\\+*?[\](){}|^$#@&<>~"]/g, '\\$&');
    return { regexp: { url: { value: `https?://(.*\\.)?${name}(:[0-9]+)?/.*` } } };
  }
  const ranges = listRanges(selector, () => []);
  const should = ranges.map(({ from, to }) => ({ range: { url: { gte: from, lte: to } } }));
  return { bool: { should, minimum_should_match: 1 } };
}

/** Reads whole pages, with the time of their last visit. */
async function readWhole(
  cluster: Cluster,
  names: IndexNames,
  urls: readonly string[],
): Promise<IndexedPage[]> {
  if (urls.length === 0) return [];
  type Life = { found?: boolean; _source: LifeDocument };
  const ids = urls.map(buildPageId);
  const { docs } = await cluster.request<{ docs: (StoredPage | Life)[] }>({
    method: 'POST',
    path: '/_mget',
    body: {
      docs: [
        // The previous layout kept the page in the source.
        ...ids.map((_id) => ({ _index: names.pages, _id, stored_fields: ['whole'], _source: ['page'] })),
        ...ids.map((_id) => ({ _index: names.lives, _id })),
      ],
    },
  });
  return ids.flatMap((_, place) => {
    const page = unpackPage((docs[place] ?? {}) as StoredPage);
    if (page === null) return [];
    const life = docs[ids.length + place] as Life;
    return [{ ...page, ...(life.found === true ? { fetchedAt: life._source.fetchedAt } : {}) }];
  });
}

async function readSize(search: Search, { pages }: IndexNames): Promise<{ pages: number; hosts: number }> {
  const { hits, aggregations } = await search(pages, {
    size: 0,
    track_total_hits: true,
    aggs: { hosts: { cardinality: { field: 'host', precision_threshold: PRECISION } } },
  });
  return { pages: hits.total.value, hosts: aggregations.hosts?.value ?? 0 };
}

type AgeCounts = { aggregations: Record<string, { doc_count: number }> };

async function readStats(
  cluster: Cluster,
  search: Search,
  { names, at }: { names: IndexNames; at: number },
): Promise<IndexStats> {
  const buildAgeFilter = (days: number) => ({
    filter: { range: { fetchedAt: { gte: at - days * DAY_MS } } },
  });
  const buildTermsAggregation = (field: string, size: number) => ({
    terms: { field, size, order: [{ _count: 'desc' }, { _key: 'asc' }] },
  });
  const [size, byPage, byLife, stored] = await Promise.all([
    readSize(search, names),
    search(names.pages, {
      size: 0,
      aggs: {
        languages: buildTermsAggregation('language', LANGUAGES_SHOWN),
        hosts: buildTermsAggregation('host', HOSTS_SHOWN),
      },
    }),
    search(names.lives, {
      size: 0,
      aggs: {
        bytes: { sum: { field: 'bytes' } },
        ...Object.fromEntries(AGE_DAYS.map((days) => [`days${days}`, buildAgeFilter(days)])),
      },
    }),
    cluster.request<{ _all: { primaries: { store: { size_in_bytes: number } } } }>({
      method: 'GET',
      path: `/${names.pages},${names.lives}/_stats/store`,
    }),
  ]);
  const countYounger = (days: number): number =>
    (byLife as unknown as AgeCounts).aggregations[`days${days}`]?.doc_count ?? 0;
  const counts = AGE_DAYS.map(countYounger);
  const textBytes = byLife.aggregations.bytes?.value ?? 0;
  const ages = [...AGE_DAYS, null].map((daysMax, place) => ({
    daysMax,
    pages: (counts[place] ?? size.pages) - (counts[place - 1] ?? 0),
  }));
  return {
    ...size,
    // Shards report their size with a delay of some seconds.
    bytes: Math.max(stored._all.primaries.store.size_in_bytes, textBytes + 1),
    textBytes,
    ages,
    languages: readBuckets(byPage, 'languages').map(([language, pages]) => ({ language, pages })),
    largestHosts: readBuckets(byPage, 'hosts').map(([host, pages]) => ({ host, pages })),
  };
}

const readBuckets = ({ aggregations }: SearchResponse<unknown>, name: string): [string, number][] =>
  (aggregations[name]?.buckets ?? []).map(({ key, doc_count: count }) => [key, count]);

/** Checks that every page has its life, and that all shards answer. */
async function findProblems(cluster: Cluster, search: Search, names: IndexNames): Promise<string[]> {
  const whole = { size: 0, track_total_hits: true };
  await cluster.request({ method: 'POST', path: `/${names.pages},${names.lives}/_refresh` });
  const [pages, lives, health] = await Promise.all([
    search(names.pages, whole),
    search(names.lives, whole),
    cluster.request<{ status: string; unassigned_shards: number }>({
      method: 'GET',
      path: `/_cluster/health/${names.pages},${names.lives}`,
    }),
  ]);
  const difference = pages.hits.total.value - lives.hits.total.value;
  return [
    ...(difference === 0 ? [] : [`pages more or less than what is known of them: ${difference}`]),
    ...(health.status === 'red' ? ['shards without a copy that answers'] : []),
  ];
}
