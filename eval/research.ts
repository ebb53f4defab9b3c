/**
 * Measures how often both pages for a two-hop question are among the evidence of research, against one plain search with as many
 * pages: npm run eval:research. Weights were chosen on every other question (`tuned`); `held out` are the others.
 */
import { join } from 'node:path';
import type { Query } from '../bench/known-item/queries.ts';
import { readCollection } from '../bench/known-item/text-collections.ts';
import { NO_FILTERS } from '../src/text/query/filters.ts';
import { researchOver } from './research/research-over.ts';

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

type Hits = { both: number; one: number; pages: number; plainBoth: number; plainOne: number; ms: number };

const data = process.env.EVAL_DATA ?? '../shared/data';
const signal = new AbortController().signal;
const { pages, queries } = readCollection(join(data, 'hotpotqa100'), 'beir');
const over = await researchOver(pages);
try {
  const head = ['searches', 'pages', 'tokens', 'part', 'shown', 'both', 'plain', 'share', 'plain', 'ms'];
  console.log(head.map((cell) => cell.padStart(9)).join(''));
  for (const budget of BUDGETS) {
    for (const [part, chosen] of Object.entries({
      tuned: queries.filter((_, place) => place % 2 === 0),
      'held out': queries.filter((_, place) => place % 2 === 1),
    })) {
      const hits: Hits[] = [];
      for (const query of chosen) hits.push(await measure(query, budget));
      print(part, budget, hits);
    }
  }
} finally {
  await over.close();
}

async function measure(
  { text, relevant }: Query,
  [maxSearches, maxPages, maxTokens]: (typeof BUDGETS)[number],
): Promise<Hits> {
  const begun = performance.now();
  const bounds = { maxSearches, maxPages, maxTokens, maxSeconds: 60 };
  const { evidence } = await over.research({ ...NO_FILTERS, ...bounds, question: text, signal });
  const ms = performance.now() - begun;
  const shown = [...new Set(evidence.map(({ url }) => url))];
  const plain = await over.search({
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
    one,
    plainOne,
    ms,
    pages: shown.length,
    both: one === 1 ? 1 : 0,
    plainBoth: plainOne === 1 ? 1 : 0,
  };
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
