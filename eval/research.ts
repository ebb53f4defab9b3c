/**
 * Measures how often both pages for a two-hop question are among the evidence of research, against one plain search with as many
 * pages: npm run eval:research. Weights were chosen on every other question (`tuned`); `held out` are the others.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Query } from '../bench/known-item/queries.ts';
import { readCollection } from '../bench/known-item/text-collections.ts';
import { fetchFailed } from '../src/contract/errors.ts';
import { createLocalIndex } from '../src/index/local-index.ts';
import type { IndexedPage } from '../src/index/local-index-types.ts';
import type { OpenPage } from '../src/pages/open-page-types.ts';
import { createBackground } from '../src/platform/background.ts';
import { systemClock } from '../src/platform/clock.ts';
import { createLog } from '../src/platform/log.ts';
import { createTaskPool } from '../src/platform/threads/task-pool.ts';
import { createLocalSource } from '../src/recall/local-source.ts';
import { createRecallAll } from '../src/recall/recall-all.ts';
import { createResearch } from '../src/research/research.ts';
import { createResearchWorker } from '../src/research/research-worker.ts';
import { createSearch, type Search } from '../src/search/search.ts';
import { createSearchCache } from '../src/search/search-cache.ts';
import { NO_FILTERS } from '../src/text/query/filters.ts';

/** Budgets to try: searches, pages, tokens. */
const BUDGETS: [searches: number, pages: number, tokens: number][] = [
  [1, 5, 1_000],
  [3, 5, 1_000],
  [5, 5, 1_000],
  [5, 10, 1_500],
  [5, 15, 2_000],
  [5, 15, 4_000],
  [10, 30, 4_000],
];
const PLAIN_MAX = 25;
const BATCH = 100;

type Hits = { both: number; one: number; pages: number; plainBoth: number; plainOne: number; ms: number };

const data = process.env.EVAL_DATA ?? '../shared/data';
const signal = new AbortController().signal;
const folder = mkdtempSync(join(tmpdir(), 'eval-research-'));
const { pages, queries } = readCollection(join(data, 'hotpotqa100'), 'beir');
const index = await createLocalIndex({ path: join(folder, 'index.db'), log: createLog('warn') });
const pool = createTaskPool();
const threads = createResearchWorker(pool);
try {
  for (let at = 0; at < pages.length; at += BATCH) await index.put(pages.slice(at, at + BATCH));
  const openPage = opener(pages);
  const search = searchOver(openPage);
  const research = createResearch({ search, openPage, threads });
  const head = ['searches', 'pages', 'tokens', 'part', 'shown', 'both', 'plain', 'share', 'plain', 'ms'];
  console.log(head.map((cell) => cell.padStart(9)).join(''));
  for (const budget of BUDGETS) {
    for (const [part, chosen] of Object.entries({
      tuned: queries.filter((_, place) => place % 2 === 0),
      'held out': queries.filter((_, place) => place % 2 === 1),
    })) {
      const hits: Hits[] = [];
      for (const query of chosen) hits.push(await measure({ research, search }, query, budget));
      print(part, budget, hits);
    }
  }
} finally {
  await pool.close();
  await index.close();
  rmSync(folder, { recursive: true, force: true });
}

async function measure(
  { research, search }: { research: ReturnType<typeof createResearch>; search: Search },
  { text, relevant }: Query,
  [maxSearches, maxPages, maxTokens]: (typeof BUDGETS)[number],
): Promise<Hits> {
  const begun = performance.now();
  const bounds = { maxSearches, maxPages, maxTokens, maxSeconds: 60 };
  const { evidence } = await research({ ...NO_FILTERS, ...bounds, question: text, signal });
  const ms = performance.now() - begun;
  const shown = [...new Set(evidence.map(({ url }) => url))];
  const plain = await search({
    ...NO_FILTERS,
    query: text,
    numResults: PLAIN_MAX,
    contents: null,
    answer: false,
    signal,
  });
  const plainShown = plain.results.slice(0, shown.length).map(({ url }) => url);
  const share = (urls: string[]): number => urls.filter((url) => relevant.has(url)).length / relevant.size;
  const [one, plainOne] = [share(shown), share(plainShown)];
  return {
    ...{ one, plainOne, ms, pages: shown.length },
    ...{ both: one === 1 ? 1 : 0, plainBoth: plainOne === 1 ? 1 : 0 },
  };
}

function opener(known: readonly IndexedPage[]): OpenPage {
  const byUrl = new Map(known.map((page) => [page.url, page]));
  return async (url) => {
    const page = byUrl.get(url);
    if (page === undefined) throw fetchFailed('http_status', 'no such page', { httpStatus: 404 });
    const { title, markdown, language } = page;
    const article = {
      ...{ url, canonicalUrl: url, kind: 'html' as const, title, author: null, site: null, language },
      ...{ published: null, description: null, headings: [], markdown, links: [] },
      ...{ robots: { index: true, follow: true }, rawChars: markdown.length },
    };
    return { article, fetchedAt: 0, cache: 'miss', privacy: null };
  };
}

function searchOver(openPage: OpenPage): Search {
  const recall = createRecallAll({
    local: createLocalSource(index),
    upstreams: [],
    clock: systemClock,
    background: createBackground(createLog('warn')),
  });
  const cache = createSearchCache({ sources: [], clock: systemClock });
  const prune = () => Promise.reject(new Error('nothing is pruned here'));
  return createSearch({ recall, openPage, prune, quote: prune, cache, clock: systemClock, reranker: null });
}

function print(part: string, budget: (typeof BUDGETS)[number], hits: Hits[]): void {
  const mean = (of: (hit: Hits) => number): number =>
    hits.reduce((sum, hit) => sum + of(hit), 0) / Math.max(1, hits.length);
  const cells = [
    ...[...budget.map(String), part, mean(({ pages }) => pages).toFixed(1)],
    ...[mean(({ both }) => both).toFixed(2), mean(({ plainBoth }) => plainBoth).toFixed(2)],
    ...[mean(({ one }) => one).toFixed(3), mean(({ plainOne }) => plainOne).toFixed(3)],
    mean(({ ms }) => ms).toFixed(0),
  ];
  console.log(cells.map((cell) => cell.padStart(9)).join(''));
}
