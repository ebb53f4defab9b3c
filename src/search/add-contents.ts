import { CHARS_PER_TOKEN } from '../contract/limits.ts';
import { type Page, textOfArticle } from '../pages/article.ts';
import type { OpenPage } from '../pages/open-page-types.ts';
import { putWeakLast, type rerankByPassages } from '../recall/fusion/mix-scores.ts';
import type { PageParts, WantedParts } from '../text/prune/page-parts.ts';
import type { Choice } from './choosing/choose-results.ts';
import { withCitations } from './cite-parts.ts';
import { incompleteOf, type Lateness, noLateness } from './late-parts.ts';
import { openInTime } from './open-in-time.ts';
import { detailsOf, NO_DETAILS } from './pages/page-details.ts';
import { openSubpages, type Subpage } from './pages/subpages.ts';
import type { PruneWorker, TakenParts } from './prune-worker.ts';
import { ANSWER_PAGES, quoteFromResults } from './quote-from-results.ts';
import type { QuoteWorker } from './quote-worker.ts';
import type { SearchAnswer, SearchRequest, SearchResult } from './search-types.ts';
import type { Stopwatch } from './stopwatch.ts';

/** Scores are shown with four decimals, and one that is shown as the least passes. */
const ROUNDED = 0.000_05;

/** Results in the order that the passages of their pages tell; `opened`: which pages were. */
export type Reorder = typeof rerankByPassages;

type Dressing = {
  chosen: Choice[];
  /** How the passages of the pages may change the order; null: not at all. */
  reorder: Reorder | null;
  watch: Stopwatch;
  lateness: Lateness;
};

type Composition = {
  openPage: OpenPage;
  prune: PruneWorker;
  /** Null if this operation never quotes an answer. */
  quote: QuoteWorker | null;
};

/**
 * The chosen results with the requested parts of their pages, and a quoted answer if requested. Opens all pages at once; a
 * page that fails or is late is replaced by the source's passage. `lateness` tells what there was no time for.
 */
export async function addContents(
  parts: Composition,
  request: SearchRequest,
  { chosen, reorder, watch, lateness }: Dressing,
): Promise<Pick<SearchAnswer, 'results' | 'tokens' | 'answer'>> {
  const wanted = request.contents;
  const quote = request.answer ? parts.quote : null;
  const toOpen = wanted !== null ? chosen : quote !== null ? chosen.slice(0, ANSWER_PAGES) : [];
  const none = quote === null ? {} : { answer: null };
  const { minScore = 0 } = request;
  const likely = (results: SearchResult[]): SearchResult[] =>
    results.filter(({ score }) => score + ROUNDED >= minScore);
  if (toOpen.length === 0)
    return { results: likely(chosen.map(bare)), tokens: { raw: 0, output: 0 }, ...none };
  const urls = toOpen.map(({ url }) => url);
  const open = opener(parts.openPage, request, lateness);
  const pages = await watch.stage('open', () => open(urls));
  const opened = toOpen.map((choice, place) => ({ choice, page: pages[place] ?? null }));
  const [contents, answer, subpages] = await Promise.all([
    wanted === null ? [] : prunePages(parts.prune, opened, { wanted, request, watch }),
    quote === null ? null : quoteFromResults(quote, opened, { ...request, watch, lateness }),
    wanted === null
      ? []
      : subpagesOf(parts.prune, pages, { request, wanted, watch, lateness, openPage: parts.openPage }),
  ]);
  for (const { late = [] } of contents) for (const part of late) lateness.parts.add(part);
  const results = chosen.map(
    (choice, place): SearchResult => ({
      ...bare(choice),
      publishedDay: choice.publishedDay ?? pages[place]?.article.published?.day ?? null,
      ...withCitations(partsOrSnippet(contents[place], choice), citable(choice, pages[place] ?? null)),
      ...detailed(pages[place] ?? null, request),
      ...(request.subpages === undefined ? {} : { subpages: subpages[place] ?? [] }),
    }),
  );
  const ordered =
    reorder !== null && wanted !== null && isForTheQuery(wanted, request.query)
      ? putWeakLast(reorder(results, scoredOf(pages, contents)))
      : results;
  return {
    results: likely(ordered),
    tokens: tokensOf(pages, contents, answer?.text ?? ''),
    ...(quote === null ? {} : { answer }),
  };
}

type OpenAll = (urls: string[]) => Promise<(Page | null)[]>;

/** Opens pages for one search; null for each that fails or is late. */
function opener(
  openPage: OpenPage,
  { signal, tenant, keep, opening }: SearchRequest,
  lateness: Lateness,
): OpenAll {
  const asked = { signal, tenant, keep, lateness, ...(opening === undefined ? {} : { opening }) };
  return (urls) => openInTime(openPage, urls, asked);
}

/** The subpages of each page, if requested. Those for which there is no time, or not for their parts, make the subpages late. */
async function subpagesOf(
  prune: PruneWorker,
  pages: (Page | null)[],
  {
    request,
    wanted,
    openPage,
    watch,
    lateness,
  }: { request: SearchRequest; wanted: WantedParts; openPage: OpenPage } & Pick<
    Dressing,
    'watch' | 'lateness'
  >,
): Promise<Subpage[][]> {
  const { subpages, details, query, signal, tenant } = request;
  if (subpages === undefined) return [];
  const own = noLateness();
  const asked = {
    subpages,
    wanted,
    query,
    signal,
    tenant,
    open: opener(openPage, request, own),
    lateness: own,
  };
  const opened = await watch.stage('subpages', () =>
    openSubpages(prune, pages, details === undefined ? asked : { ...asked, details }),
  );
  if (incompleteOf(own).length > 0) lateness.parts.add('subpages');
  return opened;
}

const bare = ({ url, title, score, publishedDay, isWeak, declared, origin }: Choice): SearchResult => ({
  url,
  title,
  score,
  publishedDay,
  ...(isWeak === true ? { isWeak } : {}),
  ...(declared === undefined ? {} : { declared }),
  ...(origin === undefined ? {} : { origin }),
});

/** What an opened page says about itself. */
const detailed = (
  page: Page | null,
  { details = NO_DETAILS }: SearchRequest,
): Pick<SearchResult, 'author' | 'details'> =>
  page === null ? {} : { author: page.article.author, details: detailsOf(page.article, details) };

/** Cited under the address of the result. */
const citable = ({ url }: Choice, page: Page | null): { url: string; markdown: string } | null =>
  page === null ? null : { url, markdown: page.article.markdown };

/** Which pages were opened and had their passages scored. */
const scoredOf = (pages: (Page | null)[], contents: TakenParts[]): boolean[] =>
  pages.map((page, place) => page !== null && !(contents[place]?.late ?? []).includes('highlights'));

/** The parts of a page; where there was no time for its highlights, the passage of its source stands in for them. */
function partsOrSnippet({ late = [], ...parts }: TakenParts = {}, { snippet }: Choice): PageParts {
  if (!late.includes('highlights') || snippet === '') return parts;
  return { ...parts, highlights: [snippet], highlightScores: [0] };
}

/** What is kept of each page, as shares of the usual amount: the first pages are most likely to hold what is asked for. */
const PRUNED_SHARES = [1, 0.7];
const LEAST_PRUNED_SHARE = 0.5;

function wantedAt(wanted: WantedParts, place: number): WantedParts {
  if (wanted.pruned === null) return wanted;
  return { ...wanted, pruned: { ...wanted.pruned, share: PRUNED_SHARES[place] ?? LEAST_PRUNED_SHARE } };
}

/** Takes the wanted parts of each page, or of the snippet of its source where it is not open. */
function prunePages(
  prune: PruneWorker,
  opened: { choice: Choice; page: Page | null }[],
  { wanted, request, watch }: { wanted: WantedParts; request: SearchRequest; watch: Stopwatch },
): Promise<TakenParts[]> {
  const { query, tenant, signal } = request;
  const partsOf = async (
    { choice, page }: { choice: Choice; page: Page | null },
    place: number,
  ): Promise<TakenParts> => {
    const text = page === null ? { markdown: choice.snippet, language: null } : textOfArticle(page.article);
    const [parts] = await prune([text], { wanted: wantedAt(wanted, place), query, tenant }, signal);
    return parts ?? {};
  };
  return watch.stage('prune', () => Promise.all(opened.map(partsOf)));
}

/** Whether the passages were scored for the search query. */
function isForTheQuery({ highlights }: WantedParts, query: string): boolean {
  return highlights !== null && (highlights.query === null || highlights.query === query);
}

function tokensOf(pages: (Page | null)[], contents: PageParts[], answer: string): SearchAnswer['tokens'] {
  let raw = 0;
  let output = Math.ceil(answer.length / CHARS_PER_TOKEN);
  for (const page of pages) raw += Math.ceil((page?.article.rawChars ?? 0) / CHARS_PER_TOKEN);
  for (const { text, highlights, prunedContext, summary } of contents) {
    for (const part of [text, prunedContext, summary, ...(highlights ?? [])])
      output += Math.ceil((part?.length ?? 0) / CHARS_PER_TOKEN);
  }
  return { raw, output };
}
