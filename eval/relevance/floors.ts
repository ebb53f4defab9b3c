import { judge } from '../../src/text/scoring/relevance.ts';
import { type JudgedQuery, type JudgedSet, MIXED, WITHOUT } from './sets.ts';

const RESULTS_MAX = 10;
const LEAST = [0.1, 0.12, 0.14, 0.2, 0.25, 0.3, 0.4] as const;
const SHARES = [0.2, 0.3, 0.4, 0.5, 0.7] as const;

type Floor = { least: number; share: number };

/**
 * What each floor would let through, by the weights in force. Of questions over manuals in a mixed index: results for each, the share
 * of them from other manuals, the share of questions that keep a right page among their results; the same without their manual:
 * the share that gets nothing, as it should; real questions over paragraphs: results and right pages that stay.
 */
export function reportFloors(sets: readonly JudgedSet[]): void {
  const [mixed, without] = [MIXED, WITHOUT].map((end) =>
    sets.filter(({ name }) => name.endsWith(end) && !name.startsWith('held out')),
  );
  const named = (name: string): JudgedSet[] => sets.filter((set) => set.name === name);
  console.log(
    'least  share  mixed: results, foreign, right kept | nothing without it | qed: results, kept | foreign: nothing',
  );
  for (const least of LEAST)
    for (const share of SHARES) {
      const floor = { least, share };
      const [own, gone] = [tallied(mixed ?? [], floor), tallied(without ?? [], floor)];
      const [qed, foreign] = [tallied(named('qed_train'), floor), tallied(named('foreign'), floor)];
      console.log(
        `${least.toFixed(2)}   ${share.toFixed(1)}    ${own.results}, ${own.foreign}, ${own.kept} | ${gone.nothing} | ${qed.results}, ${qed.kept} | ${foreign.nothing}`,
      );
    }
}

type Tally = Record<'results' | 'foreign' | 'kept' | 'nothing', string>;

function tallied(sets: readonly JudgedSet[], floor: Floor): Tally {
  const given = sets.flatMap(({ queries }) => queries.map((query) => resultsOf(query, floor)));
  const results = given.flat();
  const share = (part: number, of: number): string => `${((100 * part) / Math.max(1, of)).toFixed(0)} %`;
  return {
    results: (results.length / Math.max(1, given.length)).toFixed(2),
    foreign: share(results.filter(({ grade, isNear }) => grade === 0 && !isNear).length, results.length),
    kept: share(given.filter((pages) => pages.some(({ grade }) => grade > 0)).length, given.length),
    nothing: share(given.filter((pages) => pages.length === 0).length, given.length),
  };
}

function resultsOf({ pages }: JudgedQuery, { least, share }: Floor): JudgedQuery['pages'] {
  const judgements = judge(pages.map(({ evidence }) => evidence));
  const best = judgements.reduce((most, { relevance }) => Math.max(most, relevance), 0);
  return pages
    .flatMap((page, place) => ({ page, ...(judgements[place] ?? { order: 0, relevance: 0 }) }))
    .sort((left, right) => right.order - left.order)
    .filter(({ relevance }) => relevance >= Math.max(least, share * best))
    .slice(0, RESULTS_MAX)
    .map(({ page }) => page);
}
