import { hasSeparateComments } from '../../src/pages/extract/content/comments.ts';
import { buildFeatureTable, FEATURE_NAMES } from '../../src/pages/extract/content/features/table.ts';
import { buildPageView } from '../../src/pages/extract/content/page-view.ts';
import { parseTree } from '../../src/pages/extract/parse/build-tree.ts';
import { generator } from './boost.ts';
import { isFitted, siteOrId } from './halves.ts';
import { inThread } from './in-threads.ts';
import { labelBlocks } from './labels.ts';
import { type GoldPage, goldPages } from './pages.ts';

export type TrainingRows = {
  table: Float32Array;
  labels: Float32Array;
  weights: Float32Array;
  /** The fold of each row; pages of one site share one. */
  folds: Uint8Array;
  pages: number;
};

/** A row of the table before the rows are drawn. */
type Drawn = { features: Float32Array; label: number; weight: number; fold: number };

export const FOLDS = 5;
export const THREADS = 4;
/** Errors count by the words they affect, as in the word F1, damped so that a few huge blocks do not dominate. */
const WEIGHT_POWER = 0.75;
/** Rows lighter than this are drawn with a chance that is their share of it, and weigh as much: most blocks are single links. */
const WEIGHT_DRAWN = 0.09;

type Sets = readonly (readonly [set: string, share: number])[];
/** Every `of`th page of the sets, from page `part` on. */
type Part = { sets: Sets; part: number; of: number };

/** Reads the pages that may be fitted into one table, in some threads. A set's pages count `share` each. */
export async function trainingRows(sets: Sets): Promise<TrainingRows> {
  const parts = await Promise.all(
    Array.from({ length: THREADS }, (_, part) => {
      const input: Part = { sets, part, of: THREADS };
      return inThread<TrainingRows>(new URL(import.meta.url), 'rowsOfPart', input);
    }),
  );
  const table = new Float32Array(parts.reduce((sum, part) => sum + part.table.length, 0));
  let at = 0;
  for (const part of parts) {
    table.set(part.table, at);
    at += part.table.length;
  }
  const numbers = (of: (part: TrainingRows) => Iterable<number>): number[] =>
    parts.flatMap((part) => [...of(part)]);
  return {
    table,
    labels: Float32Array.from(numbers(({ labels }) => labels)),
    weights: normalised(numbers(({ weights }) => weights)),
    folds: Uint8Array.from(numbers(({ folds }) => folds)),
    pages: parts.reduce((sum, { pages }) => sum + pages, 0),
  };
}

/** The drawn rows of a part of the pages. */
export async function rowsOfPart({ sets, part, of }: Part): Promise<TrainingRows> {
  const random = generator(11 + part);
  const rows: Drawn[] = [];
  let pages = 0;
  for (const [set, share] of sets) {
    let number = 0;
    for await (const page of goldPages(set, false)) {
      number += 1;
      if (number % of !== part || !isFitted(set, page)) continue;
      pages += 1;
      for (const row of rowsOf(page)) {
        const weight = Math.max(row.weight, WEIGHT_DRAWN);
        if (random() * weight < row.weight)
          rows.push({ ...row, features: row.features.slice(), weight: weight * share });
      }
    }
  }
  const table = new Float32Array(rows.length * FEATURE_NAMES.length);
  for (const [index, { features }] of rows.entries()) table.set(features, index * FEATURE_NAMES.length);
  return {
    table,
    labels: Float32Array.from(rows, ({ label }) => label),
    weights: Float32Array.from(rows, ({ weight }) => weight),
    folds: Uint8Array.from(rows, ({ fold }) => fold),
    pages,
  };
}

/** The blocks of a page; those that a rule decides have no say. */
function* rowsOf(page: GoldPage): Generator<Drawn> {
  const view = buildPageView(parseTree(page.html), page.url);
  const texts = view.blocks.map((block) => block.texts.map(({ text }) => text).join(''));
  const labelled = labelBlocks(texts, page.text);
  const apart = hasSeparateComments(view);
  const table = buildFeatureTable(view);
  const width = FEATURE_NAMES.length;
  const fold = foldOf(page);
  for (const [index, words] of labelled.words.entries()) {
    if (words === 0 || (apart && view.comments[index] === 1)) continue;
    yield {
      features: table.slice(index * width, (index + 1) * width),
      label: labelled.labels[index] ?? 0,
      weight: (Math.min(words, labelled.goldWords) / labelled.goldWords) ** WEIGHT_POWER,
      fold,
    };
  }
}

function normalised(weights: number[]): Float32Array {
  const mean = weights.reduce((sum, weight) => sum + weight, 0) / weights.length;
  return Float32Array.from(weights, (weight) => weight / mean);
}

/** Which of the models has not seen a page's site. */
export function foldOf(page: { id: string; url: string }): number {
  let hash = 0;
  const site = siteOrId(page);
  for (let at = 0; at < site.length; at += 1) hash = (Math.imul(hash, 31) + site.charCodeAt(at)) >>> 0;
  return ((hash ^ (hash >>> 13)) >>> 0) % FOLDS;
}
