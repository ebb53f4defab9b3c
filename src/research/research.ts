/**
 * Research: answers a question with quotations from web pages, and with the values on which their sources agree and disagree. It keeps to
 * the bounds of the request (searches, pages, seconds, tokens) and quotes pages verbatim; it writes no prose and calls no language model.
 */

import { Failure, type FailureCode } from '../contract/errors.ts';
import { CHARS_PER_TOKEN } from '../contract/limits.ts';
import type { OpenPage } from '../pages/open-page-types.ts';
import type { Tenant } from '../platform/fairness/fair-queue.ts';
import type { Search } from '../search/search.ts';
import type { SearchRequest, SearchResult } from '../search/search-types.ts';
import { type Stopwatch, startStopwatch } from '../search/stopwatch.ts';
import { type Filters, pickFilters } from '../text/query/filters.ts';
import { toCanonicalUrl } from '../text/urls/url-spelling.ts';
import { selectPagesToOpen } from './evidence/pages-to-open.ts';
import { extractFacets } from './evidence/question-facets.ts';
import { hasPageAbout } from './evidence/related-facets.ts';
import type { Evidence, Facet, FacetKind, Passage, PlacedFacet } from './evidence/relevance.ts';
import type { EvidencePack } from './evidence-pack.ts';
import {
  addHashes,
  type CitedEvidence,
  type PageWithPassages,
  readAgain,
  readPages,
} from './research-pages.ts';
import type { ResearchWorker } from './research-worker.ts';

/** Maximum concurrent searches; more would exceed what a source allows per second. */
const SEARCHES_AT_ONCE = 3;
const SEARCH_MS = 8_000;
const RESULTS_PER_SEARCH = 12;
/** Share of the searches reserved for names that the first pages bring up. */
const FOLLOW_SHARE = 1 / 3;
/** Clauses and sides come first: they are more specific than the whole question. */
const ORDER: FacetKind[] = ['clause', 'comparison', 'side', 'question', 'name', 'related'];
/** Computes the number of searches reserved for names that the first pages bring up. */
const countFollowUps = (maxSearches: number): number => Math.floor(maxSearches * FOLLOW_SHARE);

/** Evidence for a clause is evidence for the question. */
const isPartOf = (part: Facet | undefined, whole: Facet): boolean =>
  whole.kind === 'question' && part?.kind === 'clause';
const LEFT_OUT =
  'Passages on it were found, but they say too little about the question, or the token budget left them out.';

/** Progress of a research call: `done` of `of` searches or pages. */
export type ResearchProgress = { stage: 'search' | 'open' | 'choose'; done: number; of: number };

export type ResearchRequest = Filters & {
  question: string;
  maxSearches: number;
  maxPages: number;
  maxSeconds: number;
  /** Maximum tokens of all quotations. */
  maxTokens: number;
  signal: AbortSignal;
  /** The caller, for fair shares of the threads. */
  tenant?: Tenant;
  /** Whether pages read may be kept and shared with other callers; absent: yes. */
  keep?: boolean | undefined;
  onProgress?: (progress: ResearchProgress) => void;
};

export type ResearchAnswer = Pick<EvidencePack, 'agreements' | 'disagreements'> & {
  facets: FacetReport[];
  evidence: CitedEvidence[];
  searches: FacetSearch[];
  pages: { opened: number; failed: number };
  /** Tokens of all quotations. */
  tokens: number;
  /** Time ran out before everything planned was done. */
  cutShort: boolean;
  /** Every page that the searches found is unlikely to be relevant, so the quotations hardly answer the question. */
  isWeak: boolean;
  /** Whole milliseconds per stage, and `total`. */
  timingsMs: Record<string, number>;
};

/** Throws `Failure('recall_unavailable')` when every search fails. When time is up, answers from what has arrived. */
export type Research = (request: ResearchRequest) => Promise<ResearchAnswer>;

type ResearchDeps = { search: Search; openPage: OpenPage; threads: ResearchWorker };

/** Time reserved for choosing and comparing: a share of the whole, up to a maximum. */
const CHOOSE_SHARE = 0.2;
const CHOOSE_MS_MAX = 1_000;
/** Share of the remaining time that one round of searches may take; the rest is for reading. */
const SEARCH_SHARE = 0.5;
/** Minimum share of the pages opened in the first round, if searches are reserved for follow-ups. */
const FIRST_PAGES_SHARE = 0.4;

/** Maximum follow-up steps, each from names on one page to the next, and the number of steps among which searches are divided. */
const STEPS_MAX = 6;
const STEPS_EXPECTED = 3;

/** The state of one run. */
type Run = {
  deps: ResearchDeps;
  request: ResearchRequest;
  signal: AbortSignal;
  watch: Stopwatch;
  facets: Facet[];
  searches: FacetSearch[];
  read: PageWithPassages[];
  opened: Set<string>;
  failed: number;
};

/** Question -> facets -> searches -> pages -> names on them -> searches -> pages -> passages, chosen and compared. */
export function createResearch(deps: ResearchDeps): Research {
  return async (request) => {
    const run = startRun(deps, request);
    const first = selectFirstSearches(run.facets, request.maxSearches);
    await searchAndRead(run, first, countFirstPages(request, first.length));
    if (run.searches.length > 0 && run.searches.every(({ ok }) => !ok)) throw createUnavailable();
    await followUp(run);
    const passages = run.read.flatMap((page) => page.passages);
    request.onProgress?.({ stage: 'choose', done: 0, of: 1 });
    const bounds = { facets: run.facets, tokens: request.maxTokens };
    const pack = await run.watch.stage('choose', () =>
      deps.threads.pack(passages, bounds, { tenant: request.tenant }),
    );
    request.onProgress?.({ stage: 'choose', done: 1, of: 1 });
    const { searches, facets, failed, signal } = run;
    if (searches.length === 0) throw createUnavailable();
    return {
      facets: buildFacetReports({ facets, searches, passages, evidence: pack.evidence }),
      ...pack,
      evidence: addHashes(pack.evidence, run.read),
      searches,
      pages: { opened: run.read.length, failed },
      tokens: pack.evidence.reduce((sum, { quote }) => sum + Math.ceil(quote.length / CHARS_PER_TOKEN), 0),
      cutShort: signal.aborted,
      isWeak:
        pack.evidence.length > 0 &&
        !isAnyLikely(run.searches.filter(({ place }) => isAsked(run.facets[place]))),
      timingsMs: run.watch.stop(),
    };
  };
}

const createUnavailable = (): Failure =>
  new Failure('recall_unavailable', 'No search source answered; try again in a moment.');

function startRun(deps: ResearchDeps, request: ResearchRequest): Run {
  const watch = startStopwatch();
  const ms = computeGatherMs(request);
  return {
    deps,
    request,
    signal: AbortSignal.any([request.signal, AbortSignal.timeout(ms)]),
    watch,
    facets: extractFacets(request.question),
    searches: [],
    read: [],
    opened: new Set(),
    failed: 0,
  };
}

/** Computes the milliseconds from the start until gathering stops. */
function computeGatherMs({ maxSeconds }: ResearchRequest): number {
  const ms = maxSeconds * 1_000;
  return Math.round(ms - Math.min(CHOOSE_MS_MAX, ms * CHOOSE_SHARE));
}

/** Creates a signal that fires when the time of one round of searches is up. */
function createSearchSignal({ request, watch, signal }: Run): AbortSignal {
  const left = Math.max(0, computeGatherMs(request) - (watch.stop().total ?? 0));
  return AbortSignal.any([signal, AbortSignal.timeout(Math.round(left * SEARCH_SHARE))]);
}

function countFirstPages({ maxPages, maxSearches }: ResearchRequest, searches: number): number {
  if (countFollowUps(maxSearches) === 0) return maxPages;
  return Math.ceil(maxPages * Math.max(FIRST_PAGES_SHARE, searches / maxSearches));
}

/** Searches for facets and opens at most `most` of the pages found. */
async function searchAndRead(run: Run, wanted: readonly PlacedFacet[], most: number): Promise<void> {
  const { deps, request, signal, facets } = run;
  const { tenant, keep: mayKeep } = request;
  const filters = { ...pickFilters(request), tenant, keep: mayKeep };
  let done = run.searches.length;
  const of = done + wanted.length;
  const onSearch = (): void => request.onProgress?.({ stage: 'search', done: ++done, of });
  const searches = await run.watch.stage(run.searches.length === 0 ? 'search' : 'searchAgain', () =>
    searchFacets(deps.search, wanted, { filters, signal: createSearchSignal(run), onDone: onSearch }),
  );
  run.searches.push(...searches);
  const isStrict = isAnyLikely(run.searches);
  const found = searches.flatMap((one) =>
    one.ok
      ? [
          {
            facet: one.place,
            results: moveTitledFirst(facets[one.place], isStrict ? selectLikely(one.results) : one.results),
          },
        ]
      : [],
  );
  const pages = selectPagesToOpen(found, { opened: run.opened, most });
  let read = 0;
  const onPage = (): void => request.onProgress?.({ stage: 'open', done: ++read, of: pages.length });
  for (const { url } of pages) run.opened.add(toCanonicalUrl(url));
  const reading = { facets, signal, tenant, keep: mayKeep, onDone: onPage };
  const stage = run.read.length === 0 ? 'open' : 'openAgain';
  for (const one of await run.watch.stage(stage, () => readPages(deps, pages, reading))) recordPage(run, one);
}

const selectLikely = (results: readonly SearchResult[]): SearchResult[] =>
  results.filter(({ isWeak }) => isWeak !== true);

/** A page about a name need not say anything about the question. */
const isAsked = (facet: Facet | undefined): boolean => facet?.kind !== 'name' && facet?.kind !== 'related';

/** Returns whether any of the searches found a page that is likely to be relevant; weak pages are read only if none did. */
const isAnyLikely = (searches: readonly FacetSearch[]): boolean =>
  searches.some((one) => one.ok && selectLikely(one.results).length > 0);

/** Moves pages about the name first in the results of a search for one, because its other words find pages about other things. */
function moveTitledFirst(facet: Facet | undefined, results: readonly SearchResult[]): SearchResult[] {
  if (facet?.kind !== 'related' && facet?.kind !== 'name') return [...results];
  const isAbout = ({ title }: SearchResult): boolean => hasPageAbout(facet, [title]);
  return [...results.filter(isAbout), ...results.filter((result) => !isAbout(result))];
}

/** Records an opened page, once even if two addresses led to it; null counts as failed. */
function recordPage(run: Run, one: PageWithPassages | null): void {
  if (one === null) run.failed += 1;
  else if (run.read.every(({ page }) => page.url !== one.page.url)) run.read.push(one);
}

/**
 * Searches for names that the pages bring up, step by step, because each page may bring up the next name; then for facets not yet
 * searched, within the remaining bounds.
 */
async function followUp(run: Run): Promise<void> {
  const { request, signal, facets } = run;
  const asked = facets.length;
  for (let step = 0; step < STEPS_MAX && !signal.aborted; step += 1) {
    const searches = request.maxSearches - run.searches.length;
    const pages = request.maxPages - run.opened.size;
    if (searches <= 0 || pages <= 0) return;
    const from = facets.length;
    const found = await addRelatedFacets(run, Math.ceil(searches / STEPS_EXPECTED));
    if (found.length === 0) break;
    const titles = run.read.map(({ page }) => page.title);
    const wanted = found
      .map((facet, place) => ({ facet, place: from + place }))
      .filter(({ facet }) => !hasPageAbout(facet, titles));
    if (wanted.length > 0) await searchAndRead(run, wanted, Math.ceil((pages * wanted.length) / searches));
  }
  await searchRest(run, facets.slice(0, asked));
}

/** Adds the facets for names that the pages bring up, with their passages. */
async function addRelatedFacets(run: Run, most: number): Promise<Facet[]> {
  const { request, signal, deps, facets } = run;
  const passages = run.read.flatMap((page) => page.passages);
  const reading = { question: request.question, facets, passages, most };
  const related = await run.watch.stage('related', () =>
    deps.threads.related(reading, { signal, tenant: request.tenant }),
  );
  const from = facets.length;
  facets.push(...related);
  if (related.length > 0)
    run.read = await run.watch.stage('readAgain', () =>
      readAgain(deps.threads, run.read, { facets, from, signal, tenant: request.tenant }),
    );
  return related;
}

async function searchRest(run: Run, asked: readonly Facet[]): Promise<void> {
  const { request, signal } = run;
  const searches = request.maxSearches - run.searches.length;
  const pages = request.maxPages - run.opened.size;
  if (searches <= 0 || pages <= 0 || signal.aborted) return;
  const searched = new Set(run.searches.map(({ place }) => place));
  const titles = run.read.map(({ page }) => page.title);
  const rest = orderFacets(asked).filter(
    ({ place, facet }) => !searched.has(place) && !(facet.kind === 'name' && hasPageAbout(facet, titles)),
  );
  if (rest.length > 0) await searchAndRead(run, rest.slice(0, searches), pages);
}

/** A facet with the evidence found for it; `why` explains why there is none, and is null if there is some. */
type FacetReport = Facet & { found: string[]; searches: number; why: string | null };

type SearchOutcome = { place: number } & (
  | { ok: true; results: readonly unknown[] }
  | { ok: false; error: string }
);

type Outcome = {
  facets: readonly Facet[];
  searches: readonly SearchOutcome[];
  passages: readonly Passage[];
  evidence: readonly Evidence[];
};

/** Builds a report for each facet. */
export function buildFacetReports({ facets, searches, passages, evidence }: Outcome): FacetReport[] {
  return facets.map((facet, place) => {
    const isFor = (one: Evidence): boolean =>
      one.facets.some((other) => other === place || isPartOf(facets[other], facet));
    const found = evidence.filter(isFor).map(({ id }) => id);
    const own = searches.filter((search) => search.place === place);
    const hasPassages = passages.some(({ fits }) => fits[place] !== undefined);
    const why = found.length > 0 ? null : hasPassages ? LEFT_OUT : explainMissing(own[0]);
    return { ...facet, found, searches: own.length, why };
  });
}

function explainMissing(search: SearchOutcome | undefined): string {
  if (search === undefined)
    return 'No search of its own was left in the budget, and no opened page says enough about it.';
  if (!search.ok) return `Its search failed (${search.error}), and no opened page says enough about it.`;
  if (search.results.length === 0) return 'Its search found no page.';
  return 'Its search found pages, but no opened page says enough about it.';
}

/** The outcome of the search for one facet. */
type FacetSearch = { place: number; query: string; ms: number } & (
  | { ok: true; results: SearchResult[] }
  | { ok: false; error: FailureCode | 'timeout' }
);

type SearchOptions = Omit<SearchRequest, 'query' | 'numResults' | 'contents' | 'answer' | 'signal'>;

/** Searches for facets, a few at once; a failed search yields an entry. Searches not begun when `signal` aborts are left out. */
async function searchFacets(
  search: Search,
  facets: readonly PlacedFacet[],
  { filters, signal, onDone }: { filters: SearchOptions; signal: AbortSignal; onDone(): void },
): Promise<FacetSearch[]> {
  const done: FacetSearch[] = [];
  const waiting = [...facets];
  const searchWaiting = async (): Promise<void> => {
    for (let next = waiting.shift(); next !== undefined && !signal.aborted; next = waiting.shift()) {
      done.push(await searchFacet(search, next, { filters, signal }));
      onDone();
    }
  };
  await Promise.all(Array.from({ length: SEARCHES_AT_ONCE }, searchWaiting));
  return done.sort((one, other) => one.place - other.place);
}

async function searchFacet(
  search: Search,
  { place, facet }: PlacedFacet,
  { filters, signal }: { filters: SearchOptions; signal: AbortSignal },
): Promise<FacetSearch> {
  const begun = performance.now();
  const deadline = AbortSignal.any([signal, AbortSignal.timeout(SEARCH_MS)]);
  const request = {
    ...filters,
    query: facet.query,
    numResults: RESULTS_PER_SEARCH,
    contents: null,
    answer: false,
    signal: deadline,
  };
  const describeSearch = () => ({ place, query: facet.query, ms: Math.round(performance.now() - begun) });
  try {
    const { results } = await waitUntilAborted(search(request), deadline);
    return { ...describeSearch(), ok: true, results };
  } catch (error) {
    if (deadline.aborted) return { ...describeSearch(), ok: false, error: 'timeout' };
    if (error instanceof Failure) return { ...describeSearch(), ok: false, error: error.code };
    throw error;
  }
}

/** Waits for work that ignores `signal` only until it aborts; a later failure of that work is ignored. */
async function waitUntilAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  signal.throwIfAborted();
  const aborted = Promise.withResolvers<never>();
  const abort = (): void => aborted.reject(signal.reason);
  signal.addEventListener('abort', abort, { once: true });
  try {
    return await Promise.race([work, aborted.promise]);
  } finally {
    signal.removeEventListener('abort', abort);
    work.catch(() => {});
  }
}

/** Orders facets as they are searched. */
function orderFacets(facets: readonly Facet[]): PlacedFacet[] {
  return facets
    .map((facet, place) => ({ facet, place }))
    .sort(
      (one, other) =>
        ORDER.indexOf(one.facet.kind) - ORDER.indexOf(other.facet.kind) || one.place - other.place,
    );
}

/** Selects the searches before any page is read: every part of the question if possible, reserving some searches for follow-ups. */
export function selectFirstSearches(facets: readonly Facet[], maxSearches: number): PlacedFacet[] {
  const ordered = orderFacets(facets);
  const parts = ordered.filter(({ facet }) => facet.kind === 'clause' || facet.kind === 'side').length;
  // With too few searches for all parts, the whole question comes first.
  if (parts > maxSearches) ordered.sort((one, other) => one.place - other.place);
  return ordered.slice(
    0,
    Math.min(maxSearches, Math.max(1, parts, maxSearches - countFollowUps(maxSearches))),
  );
}
