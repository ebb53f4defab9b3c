import { Failure } from '../contract/errors.ts';
import type { Article } from '../pages/article.ts';
import type { OpenPage } from '../pages/open-page-types.ts';
import type { Clock } from '../platform/clock.ts';
import { toUtcDay } from '../platform/clock.ts';
import { rankSimilar } from '../recall/fusion/rank-similar.ts';
import type { RecallAll, RecallResult } from '../recall/recall.ts';
import { pickFilters } from '../text/query/filters.ts';
import { readQuery } from '../text/query/read-query.ts';
import {
  buildTopicQuery,
  computeTopic,
  readTopicWords,
  type TermFrequencies,
  type TopicPage,
} from '../text/query/topic-terms.ts';
import { findSite } from '../text/urls/sites.ts';
import { addContents } from './add-contents.ts';
import { type Choice, chooseResults } from './choosing/choose-results.ts';
import { createLateness, listLateParts } from './late-parts.ts';
import type { PruneWorker } from './prune-worker.ts';
import type { SearchAnswer, SearchRequest } from './search-types.ts';
import { startStopwatch } from './stopwatch.ts';

/** A search request with the address of a page instead of a query. */
export type SimilarRequest = Omit<SearchRequest, 'query'> & { url: string };

/** Throws `Failure('url_not_allowed')`, `Failure('fetch_failed')` or, when every source fails, `Failure('recall_unavailable')`. */
export type Similar = (request: SimilarRequest) => Promise<SearchAnswer>;

export type SimilarDeps = {
  openPage: OpenPage;
  prune: PruneWorker;
  recall: RecallAll;
  clock: Clock;
  /** Returns how common terms are in the local index. */
  frequencies(terms: string[]): Promise<TermFrequencies>;
};

/** Extra candidates requested, because copies of the page and of each other are dropped. */
const SPARE_CANDIDATES = 15;
/** The result for a page without a topic. */
const NOTHING: RecallResult = { lists: [], reports: {}, cache: 'miss', mayBeKept: false, isIndexLate: false };

/**
 * Creates the operation: URL -> its page -> topic -> candidates outside the page's own domain -> the most similar, with the requested
 * parts of their pages.
 */
export function createSimilar(parts: SimilarDeps): Similar {
  return async (request) => {
    const watch = startStopwatch();
    const lateness = createLateness();
    const { article, privacy } = await watch.stage('fetch', () =>
      parts.openPage(request.url, { signal: request.signal, tenant: request.tenant, keep: request.keep }),
    );
    if (privacy?.reason === 'own_headers')
      throw new Failure(
        'validation_error',
        'url: pages behind a sign-in have no similar pages, because their words would be sent to search engines',
      );
    const page = toTopicPage(article);
    const words = readTopicWords(page);
    const background = await parts.frequencies([...words.tallies.keys()]);
    const topic = computeTopic(words, background);
    const search = { ...excludeOwnSites(request, article), query: buildTopicQuery(topic) };
    const recalled = await watch.stage('recall', () => recallSimilar(parts, search));
    if (recalled.isIndexLate) lateness.parts.add('results');
    const today = toUtcDay(parts.clock.now());
    const { passing, filters } = chooseResults(recalled.lists, search, {
      query: readQuery(search.query),
      today,
    });
    const ranked = await watch.stage('rank', async () => rankSimilar(passing, { page, topic, background }));
    const chosen: Choice[] = ranked.slice(0, request.numResults);
    // Results are ordered by similarity of the pages; passages that match the topic's words must not change that order.
    const choice = { chosen, reorder: null, watch, lateness };
    const withContents = await addContents({ ...parts, quote: null, reranker: null }, search, choice);
    const { cache, reports: sources } = recalled;
    const incomplete = listLateParts(lateness);
    return { ...withContents, cache, timingsMs: watch.stop(), sources, filters, incomplete };
  };
}

const toTopicPage = ({ title, markdown, language }: Article): TopicPage => ({ title, markdown, language });

/** Excludes the page's own domains: those of the requested address, of its redirect and of its canonical address. */
function excludeOwnSites(request: SimilarRequest, article: Article): SimilarRequest {
  const own = [request.url, article.url, article.canonicalUrl].map(findSite);
  return { ...request, excludeDomains: [...new Set([...request.excludeDomains, ...own])] };
}

async function recallSimilar(parts: SimilarDeps, request: SearchRequest): Promise<RecallResult> {
  const { query, signal, tenant, keep } = request;
  if (query === '') return NOTHING;
  const limit = request.numResults + SPARE_CANDIDATES;
  return parts.recall({ query: readQuery(query), limit, ...pickFilters(request), signal, tenant, keep });
}
