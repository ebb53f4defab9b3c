import { FEATURE_NAMES, featureTable } from '../../src/pages/extract/content/features/table.ts';
import { viewPage } from '../../src/pages/extract/content/page-view.ts';
import { parseTree } from '../../src/pages/extract/parse/parse-tree.ts';
import { labelBlocks } from './labels.ts';
import { goldPages, siteOf } from './pages.ts';

export type TrainingRows = {
  table: Float32Array;
  labels: Float32Array;
  weights: Float32Array;
  /** Of each page its id, fold and rows [from, to). */
  pages: { id: string; fold: number; from: number; to: number }[];
};

export const FOLDS = 5;
/** Errors count by the words they affect, as in the word F1, damped so that a few huge blocks do not dominate. */
const WEIGHT_POWER = 0.75;

/** Reads a data set into one table with labels and weights; pages of one site share a fold. */
export async function trainingRows(set: string): Promise<TrainingRows> {
  const parts: Float32Array[] = [];
  const labels: number[] = [];
  const weights: number[] = [];
  const pages: TrainingRows['pages'] = [];
  for await (const page of goldPages(set, false)) {
    const view = viewPage(parseTree(page.html), page.url);
    const texts = view.blocks.map((block) => block.texts.map(({ text }) => text).join(''));
    const labelled = labelBlocks(texts, page.text);
    const from = labels.length;
    for (const [index, words] of labelled.words.entries()) {
      labels.push(labelled.labels[index] ?? 0);
      weights.push(
        words === 0 ? 0 : (Math.min(words, labelled.goldWords) / labelled.goldWords) ** WEIGHT_POWER,
      );
    }
    parts.push(featureTable(view));
    pages.push({ id: page.id, fold: foldOf(siteOf(page.url)), from, to: labels.length });
  }
  return {
    table: joined(parts, labels.length * FEATURE_NAMES.length),
    labels: Float32Array.from(labels),
    weights: normalised(weights),
    pages,
  };
}

function joined(parts: Float32Array[], length: number): Float32Array {
  const table = new Float32Array(length);
  let at = 0;
  for (const part of parts) {
    table.set(part, at);
    at += part.length;
  }
  return table;
}

function normalised(weights: number[]): Float32Array {
  const mean = weights.reduce((sum, weight) => sum + weight, 0) / weights.length;
  return Float32Array.from(weights, (weight) => weight / mean);
}

function foldOf(site: string): number {
  let hash = 0;
  for (let at = 0; at < site.length; at += 1) hash = (Math.imul(hash, 31) + site.charCodeAt(at)) >>> 0;
  return ((hash ^ (hash >>> 13)) >>> 0) % FOLDS;
}
