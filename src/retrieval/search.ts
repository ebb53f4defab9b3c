import { Failure } from '../errors.ts';
import { CHARS_PER_TOKEN } from '../limits.ts';
import type { OpenPage } from './open/open-page-types.ts';
import type { CacheState, Candidate, Page } from './page.ts';
import type { PruneOffThread } from './prune-off-thread.ts';
import { type AskedSources, askSources } from './recall/ask-sources.ts';
import { passFilters } from './recall/filters.ts';
import { foldSameAddress } from './recall/fold.ts';
import type { DomainFilters, Recall } from './recall/recall.ts';
import type { SearchCache } from './search-cache.ts';
import { type Stopwatch, startStopwatch } from './stopwatch.ts';

/** What of each page is wanted beside its address and title. A part that is null was not asked for. */
export type ContentsWanted = {
  text: { charsMax: number | null } | null;
  highlights: { query: string | null; perUrl: number; charsMax: number | null } | null;
  pruned: { query: string | null } | null;
};

export type SearchRequest = DomainFilters & {
  query: string;
  numResults: number;
  /** YYYY-MM-DD, inclusive. */
  publishedFrom: string | null;
  publishedTo: string | null;
  contents: ContentsWanted | null;
  signal: AbortSignal;
};

/** The parts of a page that were asked for; a part that was not asked for is absent. */
export type PageParts = {
  text?: string;
  highlights?: string[];
  highlightScores?: number[];
  prunedContext?: string;
};

export type SearchResult = PageParts & {
  url: string;
  title: string;
  score: number;
  publishedDay: string | null;
};

export type SourceReport =
  | { ok: true; results: number; ms: number }
  | { ok: false; error: string; ms: number };

export type SearchAnswer = {
  results: SearchResult[];
  cache: CacheState;
  /** Whole milliseconds per stage, and `total`. */
  timingsMs: Record<string, number>;
  /** By ceil(chars / 4): of the sources of the opened pages, and of what the answer carries. */
  tokens: { raw: number; output: number };
  sources: Record<string, SourceReport>;
};

/** Throws `Failure('recall_unavailable')` when every source fails. */
export type Search = (request: SearchRequest) => Promise<SearchAnswer>;

/** Milliseconds that the sources of recall, and then each page of the results, may take. */
const RECALL_TIMEOUT_MS = 4_000;
const OPEN_TIMEOUT_MS = 3_000;
/** Asked beyond what is wanted, because addresses that turn out to be one page are folded. */
const SPARE_CANDIDATES = 10;

export type SearchParts = {
  sources: Recall[];
  openPage: OpenPage;
  prune: PruneOffThread;
  cache: SearchCache;
};

/** Query -> candidates of all sources -> filtered and folded results -> with the wanted parts of their pages. */
export function createSearch(parts: SearchParts): Search {
  return async (request) => {
    const watch = startStopwatch();
    const place = await parts.cache.look(request);
    if (place.answer !== null) return { ...place.answer, cache: 'hit', timingsMs: watch.stop() };
    const asked = await watch.stage('recall', () => recall(parts.sources, request));
    const chosen = await watch.stage('rank', async () => choose(asked.candidates, request));
    const answer = await dress(parts, request, { chosen, asked, watch });
    place.keep(answer);
    return answer;
  };
}

async function recall(sources: Recall[], request: SearchRequest): Promise<AskedSources> {
  const { query, includeDomains, excludeDomains, publishedFrom, publishedTo } = request;
  const signal = AbortSignal.any([request.signal, AbortSignal.timeout(RECALL_TIMEOUT_MS)]);
  const limit = request.numResults + SPARE_CANDIDATES;
  const asked = await askSources(sources, {
    query,
    limit,
    includeDomains,
    excludeDomains,
    publishedFrom,
    publishedTo,
    signal,
  });
  if (Object.values(asked.reports).every((report) => !report.ok)) {
    throw new Failure('recall_unavailable', 'No search source answered; try again in a moment.');
  }
  return asked;
}

function choose(candidates: Candidate[], request: SearchRequest): Candidate[] {
  const passing = candidates.filter(passFilters(request)).sort((left, right) => right.score - left.score);
  return foldSameAddress(passing).slice(0, request.numResults);
}

type Found = { chosen: Candidate[]; asked: AskedSources; watch: Stopwatch };

async function dress(
  parts: SearchParts,
  request: SearchRequest,
  { chosen, asked, watch }: Found,
): Promise<SearchAnswer> {
  const bare = chosen.map(({ url, title, score, publishedDay }) => ({ url, title, score, publishedDay }));
  if (request.contents === null || chosen.length === 0) {
    return {
      results: bare,
      cache: 'miss',
      timingsMs: watch.stop(),
      tokens: { raw: 0, output: 0 },
      sources: asked.reports,
    };
  }
  const wanted = request.contents;
  const pages = await watch.stage('open', () =>
    Promise.all(chosen.map(({ url }) => openOrNull(parts.openPage, url, request.signal))),
  );
  const articles = pages.map(
    (page, place) => page?.article ?? { markdown: chosen[place]?.snippet ?? '', language: null },
  );
  const dressed = await watch.stage('prune', () =>
    parts.prune(articles, { wanted, query: request.query }, request.signal),
  );
  const results = bare.map((result, place) => ({
    ...result,
    publishedDay: result.publishedDay ?? pages[place]?.article.published?.day ?? null,
    ...dressed[place],
  }));
  return {
    results,
    cache: 'miss',
    timingsMs: watch.stop(),
    tokens: tokensOf(pages, dressed),
    sources: asked.reports,
  };
}

/** A page that cannot be opened loses only its text: its result then carries the source's passage. */
async function openOrNull(openPage: OpenPage, url: string, signal: AbortSignal): Promise<Page | null> {
  try {
    return await openPage(url, { signal, timeoutMs: OPEN_TIMEOUT_MS });
  } catch (error) {
    if (error instanceof Failure) return null;
    throw error;
  }
}

function tokensOf(pages: (Page | null)[], dressed: PageParts[]): SearchAnswer['tokens'] {
  let raw = 0;
  let output = 0;
  for (const page of pages) raw += Math.ceil((page?.article.rawChars ?? 0) / CHARS_PER_TOKEN);
  for (const { text, highlights, prunedContext } of dressed) {
    for (const part of [text, prunedContext, ...(highlights ?? [])])
      output += Math.ceil((part?.length ?? 0) / CHARS_PER_TOKEN);
  }
  return { raw, output };
}
