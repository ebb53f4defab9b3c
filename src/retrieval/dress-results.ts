import { CHARS_PER_TOKEN } from '../limits.ts';
import type { Choice } from './choose-results.ts';
import type { OpenPage } from './open/open-page-types.ts';
import { openInTime } from './open-in-time.ts';
import type { Page } from './page.ts';
import type { PruneOffThread } from './prune-off-thread.ts';
import { rerankByPassages } from './recall/rerank-by-passages.ts';
import type { ContentsWanted, PageParts, SearchAnswer, SearchRequest, SearchResult } from './search.ts';
import type { Stopwatch } from './stopwatch.ts';

type Dressing = {
  chosen: Choice[];
  /** Whether the passages of the pages may change the order. */
  mayReorder: boolean;
  watch: Stopwatch;
};

/**
 * The chosen results with the wanted parts of their pages. All pages are opened at once; one that fails or is late loses only its
 * text and carries the source's passage instead.
 */
export async function dressResults(
  parts: { openPage: OpenPage; prune: PruneOffThread },
  request: SearchRequest,
  { chosen, mayReorder, watch }: Dressing,
): Promise<Pick<SearchAnswer, 'results' | 'tokens'>> {
  const bare = chosen.map(({ url, title, score, publishedDay }) => ({ url, title, score, publishedDay }));
  const wanted = request.contents;
  if (wanted === null || chosen.length === 0) return { results: bare, tokens: { raw: 0, output: 0 } };
  const pages = await watch.stage('open', () =>
    openInTime(
      parts.openPage,
      chosen.map(({ url }) => url),
      {
        signal: request.signal,
        watch,
        ...(request.opening === undefined ? {} : { opening: request.opening }),
      },
    ),
  );
  const texts = pages.map(
    (page, place) => page?.article ?? { markdown: chosen[place]?.snippet ?? '', language: null },
  );
  const dressed = await watch.stage('prune', () =>
    parts.prune(texts, { wanted, query: request.query }, request.signal),
  );
  const results = bare.map(
    (result, place): SearchResult => ({
      ...result,
      publishedDay: result.publishedDay ?? pages[place]?.article.published?.day ?? null,
      ...dressed[place],
    }),
  );
  return {
    results:
      mayReorder && isForTheQuery(wanted, request.query)
        ? rerankByPassages(results, openedOf(pages))
        : results,
    tokens: tokensOf(pages, dressed),
  };
}

const openedOf = (pages: (Page | null)[]): boolean[] => pages.map((page) => page !== null);

/** Whether the passages were scored for what was searched. */
function isForTheQuery({ highlights }: ContentsWanted, query: string): boolean {
  return highlights !== null && (highlights.query === null || highlights.query === query);
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
