import { judge } from '../../src/text/scoring/relevance.ts';
import type { JudgedQuery, JudgedSet } from './sets.ts';

const RESULTS_MAX = 10;
const LEAST = [0.06, 0.1, 0.15, 0.2, 0.25, 0.3] as const;
const SHARES = [0.2, 0.5, 0.6, 0.7, 0.8] as const;

/**
 * What each floor would let through, by the weights in force: results for a question, the share of right pages among the first ten
 * that stay, and results for a question that no page answers.
 */
export function reportFloors(sets: readonly JudgedSet[]): void {
  const mixed = sets.filter(({ name }) => name.endsWith('mixed'));
  const foreign = sets.filter(({ name }) => name === 'foreign');
  const encyclopaedia = sets.filter(({ name }) => name === 'qed_train');
  console.log('least  share  manuals: results, right kept | qed: results, right kept | foreign: results');
  for (const least of LEAST)
    for (const share of SHARES) {
      const [manuals, qed, none] = [mixed, encyclopaedia, foreign].map((some) =>
        passed(some, { least, share }),
      );
      console.log(`${least.toFixed(2)}   ${share.toFixed(1)}    ${manuals} | ${qed} | ${none}`);
    }
}

function passed(sets: readonly JudgedSet[], floor: { least: number; share: number }): string {
  const tally = { queries: 0, results: 0, right: 0, kept: 0 };
  for (const query of sets.flatMap(({ queries }) => queries)) count(query, floor, tally);
  const { queries, results, right, kept } = tally;
  return `${(results / Math.max(1, queries)).toFixed(2)}, ${((100 * kept) / Math.max(1, right)).toFixed(0)} %`;
}

function count(
  { pages }: JudgedQuery,
  { least, share }: { least: number; share: number },
  tally: { queries: number; results: number; right: number; kept: number },
): void {
  const judged = judge(pages.map(({ evidence }) => evidence))
    .map((each, place) => ({ ...each, isRight: (pages[place]?.grade ?? 0) > 0 }))
    .sort((left, right) => right.order - left.order)
    .slice(0, RESULTS_MAX);
  const best = judged.reduce((most, { relevance }) => Math.max(most, relevance), 0);
  const kept = judged.filter(({ relevance }) => relevance >= Math.max(least, share * best));
  tally.queries += 1;
  tally.results += kept.length;
  tally.right += judged.filter(({ isRight }) => isRight).length;
  tally.kept += kept.filter(({ isRight }) => isRight).length;
}
