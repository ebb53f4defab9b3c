/**
 * Fits the order and the relevance of the local index's results on the tuned halves of the judged collections, questions over 13
 * manuals and real questions over paragraphs; what it prints belongs into the three tables of src/text/scoring/relevance.ts. First
 * with each family of sets left out in turn, which shows what the weights are worth on new ones.
 *
 *   npm run train:relevance -- --docs <folder>[,<folder>...] --kept <folder for index files>
 */
import { mkdirSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { buildOrderFeatures, chooseWeightsKind, sumWeighted } from '../src/text/scoring/page-evidence.ts';
import { judge } from '../src/text/scoring/relevance.ts';
import { computeNdcg } from './ranking/ndcg.ts';
import { fitOrder, fitRelevance, type Weights } from './relevance/fit.ts';
import { type JudgedPage, type JudgedQuery, type JudgedSet, readSets } from './relevance/sets.ts';

const { values } = parseArgs({
  options: {
    docs: { type: 'string', default: '/usr/share/doc' },
    kept: { type: 'string' },
  },
});
if (values.kept === undefined) throw new Error('--kept names a folder for the index files');
mkdirSync(values.kept, { recursive: true });
const sets = await readSets({
  data: process.env.EVAL_DATA ?? '../shared/data',
  docs: values.docs.split(','),
  kept: values.kept,
});

const inForce = ({ pages }: JudgedQuery): JudgedPage[] => {
  const judged = judge(pages.map(({ evidence }) => evidence));
  return sorted(pages, (_, place) => judged[place]?.order ?? 0);
};
const orderBy =
  (weights: Weights) =>
  ({ pages }: JudgedQuery): JudgedPage[] =>
    sorted(pages, ({ evidence }) =>
      sumWeighted(buildOrderFeatures(evidence), weights[chooseWeightsKind(evidence)]),
    );

const order = fitOrder(sets);
console.log('first, in three (questions) or nDCG@10: weights in force | its family left out | fitted on all');
for (const family of new Set(sets.map((set) => set.family))) {
  const weights = fitOrder(sets.filter((set) => set.family !== family));
  for (const set of sets.filter(
    (one) => one.family === family && one.queries.some(({ grades }) => grades.length > 0),
  ))
    console.log(
      `${set.name.padEnd(26)} ${quality(set, inForce)} | ${quality(set, orderBy(weights))} | ${quality(set, orderBy(order))}`,
    );
}
const relevance = fitRelevance(sets, orderBy(order));
const shown = fitRelevance(sets, (query) => query.shown);
for (const [name, weights] of Object.entries({
  ORDER_WEIGHTS: order,
  RELEVANCE_WEIGHTS: relevance,
  SHOWN_WEIGHTS: shown,
}))
  console.log(`${name}: ${JSON.stringify(weights)}`);

function sorted(pages: JudgedPage[], value: (page: JudgedPage, place: number) => number): JudgedPage[] {
  return pages
    .map((page, place) => ({ page, value: value(page, place), place }))
    .sort((left, right) => right.value - left.value || left.place - right.place)
    .map(({ page }) => page);
}

function quality({ queries }: JudgedSet, orderOf: (query: JudgedQuery) => JudgedPage[]): string {
  const graded = queries.some(({ grades }) => grades.length > 1);
  const mean = (of: JudgedQuery[], value: (found: JudgedPage[], query: JudgedQuery) => number): string =>
    ((100 * of.reduce((sum, query) => sum + value(orderOf(query), query), 0)) / of.length).toFixed(1);
  if (graded)
    return `${mean(
      queries.filter(({ isTuned }) => isTuned),
      ndcg,
    )} tuned, ${mean(
      queries.filter(({ isTuned }) => !isTuned),
      ndcg,
    )} held out`;
  const within = (ranks: number) => (found: JudgedPage[]) =>
    found.slice(0, ranks).some(({ grade }) => grade > 0) ? 1 : 0;
  return `${mean(queries, within(1))}, ${mean(queries, within(3))}`;
}

function ndcg(found: JudgedPage[], { grades }: JudgedQuery): number {
  return computeNdcg(
    found.map(({ grade }) => grade),
    grades,
  );
}
