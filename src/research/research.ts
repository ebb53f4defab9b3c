import { Failure } from '../contract/errors.ts';
import { CHARS_PER_TOKEN } from '../contract/limits.ts';
import type { OpenPage } from '../pages/open-page-types.ts';
import type { Tenant } from '../platform/sharing/fair-shares.ts';
import type { Search } from '../search/search.ts';
import { type Stopwatch, startStopwatch } from '../search/stopwatch.ts';
import { type Filters, filtersOf } from '../text/query/filters.ts';
import { canonicalUrl } from '../text/urls/url-spelling.ts';
import { type FacetReport, facetReports } from './evidence/facet-reports.ts';
import { pagesToOpen } from './evidence/pages-to-open.ts';
import { questionFacets } from './evidence/question-facets.ts';
import type { Facet, PlacedFacet } from './evidence/research-types.ts';
import type { EvidencePack } from './evidence-pack.ts';
import {
  type CitedEvidence,
  type PageWithPassages,
  readAgain,
  readPages,
  withHashes,
} from './research-pages.ts';
import {
  type FacetSearch,
  firstSearches,
  followUps,
  searchFacets,
  searchOrder,
} from './research-searches.ts';
import type { ResearchWorker } from './research-worker.ts';

/** How far research has come: `done` of `of` searches or pages. */
export type ResearchProgress = { stage: 'search' | 'open' | 'choose'; done: number; of: number };

export type ResearchRequest = Filters & {
  question: string;
  maxSearches: number;
  maxPages: number;
  maxSeconds: number;
  /** Of all quotations together. */
  maxTokens: number;
  signal: AbortSignal;
  /** Whose research it is, for fair shares. */
  tenant?: Tenant;
  onProgress?: (progress: ResearchProgress) => void;
};

export type ResearchAnswer = Pick<EvidencePack, 'agreements' | 'disagreements'> & {
  facets: FacetReport[];
  evidence: CitedEvidence[];
  searches: FacetSearch[];
  pages: { opened: number; failed: number };
  /** Of the quotations. */
  tokens: number;
  /** Whether time ran out before everything planned was done. */
  cutShort: boolean;
  /** Whole milliseconds per stage, and `total`. */
  timingsMs: Record<string, number>;
};

/** Throws `Failure('recall_unavailable')` when every search fails. When time is up, what is in counts. */
export type Research = (request: ResearchRequest) => Promise<ResearchAnswer>;

type ResearchDeps = { search: Search; openPage: OpenPage; threads: ResearchWorker };

/** Kept of the time for choosing and comparing: a share of little time, so much of plenty. */
const CHOOSE_SHARE = 0.2;
const CHOOSE_MS_MAX = 1_000;
/** What is left of the time is for reading: the searches of one round may take so much of it. */
const SEARCH_SHARE = 0.5;
/** Of the pages so many at least are opened first, where some searches follow on what they bring up. */
const FIRST_PAGES_SHARE = 0.4;

/** What one run has gathered so far. */
type Run = {
  parts: ResearchDeps;
  request: ResearchRequest;
  signal: AbortSignal;
  watch: Stopwatch;
  facets: Facet[];
  searches: FacetSearch[];
  read: PageWithPassages[];
  opened: Set<string>;
  failed: number;
};

/** Question -> facets -> searches -> pages -> what they bring up -> searches -> pages -> passages, chosen and compared. */
export function createResearch(parts: ResearchDeps): Research {
  return async (request) => {
    const run = startRun(parts, request);
    const first = firstSearches(run.facets, request.maxSearches);
    await searchAndRead(run, first, firstPages(request, first.length));
    if (run.searches.length > 0 && run.searches.every(({ ok }) => !ok)) throw unavailable();
    await followUp(run);
    const passages = run.read.flatMap((page) => page.passages);
    request.onProgress?.({ stage: 'choose', done: 0, of: 1 });
    const bounds = { facets: run.facets.length, tokens: request.maxTokens };
    const pack = await run.watch.stage('choose', () =>
      parts.threads.pack(passages, bounds, { tenant: request.tenant }),
    );
    request.onProgress?.({ stage: 'choose', done: 1, of: 1 });
    const { searches, facets, failed, signal } = run;
    if (searches.length === 0) throw unavailable();
    return {
      facets: facetReports({ facets, searches, passages, evidence: pack.evidence }),
      ...pack,
      evidence: withHashes(pack.evidence, run.read),
      searches,
      pages: { opened: run.read.length, failed },
      tokens: pack.evidence.reduce((sum, { quote }) => sum + Math.ceil(quote.length / CHARS_PER_TOKEN), 0),
      cutShort: signal.aborted,
      timingsMs: run.watch.stop(),
    };
  };
}

const unavailable = (): Failure =>
  new Failure('recall_unavailable', 'No search source answered; try again in a moment.');

function startRun(parts: ResearchDeps, request: ResearchRequest): Run {
  const watch = startStopwatch();
  const ms = gatherMs(request);
  return {
    parts,
    request,
    signal: AbortSignal.any([request.signal, AbortSignal.timeout(ms)]),
    watch,
    facets: questionFacets(request.question),
    searches: [],
    read: [],
    opened: new Set(),
    failed: 0,
  };
}

/** Milliseconds from the start until everything must be in. */
function gatherMs({ maxSeconds }: ResearchRequest): number {
  const ms = maxSeconds * 1_000;
  return Math.round(ms - Math.min(CHOOSE_MS_MAX, ms * CHOOSE_SHARE));
}

/** Ends with the time that one round of searches may take. */
function searchSignal({ request, watch, signal }: Run): AbortSignal {
  const left = Math.max(0, gatherMs(request) - (watch.stop().total ?? 0));
  return AbortSignal.any([signal, AbortSignal.timeout(Math.round(left * SEARCH_SHARE))]);
}

function firstPages({ maxPages, maxSearches }: ResearchRequest, searches: number): number {
  if (followUps(maxSearches) === 0) return maxPages;
  return Math.ceil(maxPages * Math.max(FIRST_PAGES_SHARE, searches / maxSearches));
}

/** Searches for facets and opens at most `most` of the pages found. */
async function searchAndRead(run: Run, wanted: readonly PlacedFacet[], most: number): Promise<void> {
  const { parts, request, signal, facets } = run;
  const filters = { ...filtersOf(request), tenant: request.tenant };
  let done = run.searches.length;
  const of = done + wanted.length;
  const onSearch = (): void => request.onProgress?.({ stage: 'search', done: ++done, of });
  const searches = await run.watch.stage(run.searches.length === 0 ? 'search' : 'searchAgain', () =>
    searchFacets(parts.search, wanted, { filters, signal: searchSignal(run), onDone: onSearch }),
  );
  run.searches.push(...searches);
  const found = searches.flatMap((one) => (one.ok ? [{ facet: one.place, results: one.results }] : []));
  const pages = pagesToOpen(found, { opened: run.opened, most });
  let read = 0;
  const onPage = (): void => request.onProgress?.({ stage: 'open', done: ++read, of: pages.length });
  for (const { url } of pages) run.opened.add(canonicalUrl(url));
  const reading = { facets, signal, tenant: request.tenant, onDone: onPage };
  const stage = run.read.length === 0 ? 'open' : 'openAgain';
  for (const one of await run.watch.stage(stage, () => readPages(parts, pages, reading))) keep(run, one);
}

/** A page that was led to by two addresses is read once. */
function keep(run: Run, one: PageWithPassages | null): void {
  if (one === null) run.failed += 1;
  else if (run.read.every(({ page }) => page.url !== one.page.url)) run.read.push(one);
}

/** What the first pages bring up is searched for, and own facets that no search was left for, within what is left. */
async function followUp(run: Run): Promise<void> {
  const { request, signal, parts, facets } = run;
  const searches = request.maxSearches - run.searches.length;
  const pages = request.maxPages - run.opened.size;
  if (searches <= 0 || pages <= 0 || signal.aborted) return;
  const passages = run.read.flatMap((page) => page.passages);
  const reading = { question: request.question, facets, passages, most: searches };
  const related = await run.watch.stage('related', () =>
    parts.threads.related(reading, { signal, tenant: request.tenant }),
  );
  const from = facets.length;
  facets.push(...related);
  run.read = await run.watch.stage('readAgain', () =>
    readAgain(parts.threads, run.read, { facets, from, signal, tenant: request.tenant }),
  );
  const searched = new Set(run.searches.map(({ place }) => place));
  const unsearched = searchOrder(facets.slice(0, from)).filter(({ place }) => !searched.has(place));
  const brought = related.map((facet, place) => ({ facet, place: from + place }));
  const wanted = [...brought, ...unsearched].slice(0, searches);
  await searchAndRead(run, wanted, pages);
}
