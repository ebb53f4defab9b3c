import { chooseBlocks } from '../../src/pages/extract/content/choose-content.ts';
import { buildFeatureTable, FEATURE_NAMES } from '../../src/pages/extract/content/features/table.ts';
import { predictProbabilities, readForest } from '../../src/pages/extract/content/forest.ts';
import { buildPageView } from '../../src/pages/extract/content/page-view.ts';
import { parseTree } from '../../src/pages/extract/parse/build-tree.ts';
import { isFitted, partOf } from './halves.ts';
import { inThread } from './in-threads.ts';
import { goldPages } from './pages.ts';
import { foldOf, THREADS } from './training-rows.ts';
import { wordF1 } from './word-f1.ts';

/** Every `of`th page of the sets, from page `part` on, and the models of the folds as text. */
type Part = { sets: readonly string[]; forests: readonly string[]; part: number; of: number };

const SUMS = ['pages', 'f1', 'precision', 'recall'] as const;
type Sums = Record<(typeof SUMS)[number], number>;

/**
 * Prints the word F1 of the kept blocks when each page is judged by a model that has not seen its site. Pages that are never fitted stand apart.
 */
export async function printHeldOut(sets: readonly string[], forests: readonly string[]): Promise<void> {
  const parts = await Promise.all(
    Array.from({ length: THREADS }, (_, part) => {
      const input: Part = { sets, forests, part, of: THREADS };
      return inThread<Map<string, Sums>>(new URL(import.meta.url), 'scoresOfPart', input);
    }),
  );
  const groups = new Map<string, Sums>();
  for (const [group, sums] of parts.flatMap((part) => [...part])) {
    const whole = sumsFor(groups, group);
    for (const name of SUMS) whole[name] += sums[name];
  }
  for (const [group, sums] of [...groups].sort()) console.log(lineOf(group, sums));
}

/** The scores of a part of the pages. */
export async function scoresOfPart({ sets, forests: texts, part, of }: Part): Promise<Map<string, Sums>> {
  const forests = texts.map(readForest);
  const groups = new Map<string, Sums>();
  for (const set of sets) {
    let number = 0;
    for await (const page of goldPages(set, false)) {
      number += 1;
      if (number % of !== part) continue;
      const forest = forests[foldOf(page)];
      if (forest === undefined) throw new Error('a fold has no model');
      const view = buildPageView(parseTree(page.html), page.url);
      const kept = chooseBlocks(
        view,
        predictProbabilities(forest, buildFeatureTable(view), FEATURE_NAMES.length),
      );
      const blocks = view.blocks.filter((_, index) => kept[index]);
      const text = blocks.map(({ texts }) => texts.map((one) => one.text).join('')).join('\n');
      const score = wordF1(text, page.text);
      const half = isFitted(set, page) ? 'other sites fitted' : 'never fitted';
      const kinds = page.type === 'all' ? [half, `${partOf(page.id)}, ${half}`] : ['all', page.type];
      for (const kind of kinds) {
        const sums = sumsFor(groups, `${set}, ${kind}`);
        sums.pages += 1;
        sums.f1 += score.f1;
        sums.precision += score.precision;
        sums.recall += score.recall;
      }
    }
  }
  return groups;
}

function sumsFor(groups: Map<string, Sums>, group: string): Sums {
  const known = groups.get(group);
  if (known !== undefined) return known;
  const sums: Sums = { pages: 0, f1: 0, precision: 0, recall: 0 };
  groups.set(group, sums);
  return sums;
}

function lineOf(group: string, sums: Sums): string {
  const mean = (sum: number): string => (sum / sums.pages).toFixed(3);
  return [
    group.padEnd(52),
    String(sums.pages).padStart(5),
    `F1 ${mean(sums.f1)}`,
    `precision ${mean(sums.precision)}`,
    `recall ${mean(sums.recall)}`,
  ].join('  ');
}
