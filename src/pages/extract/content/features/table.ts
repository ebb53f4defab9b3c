/**
 * The feature table: one row of numbers per block, the input of the model. Each other file of this folder computes one or two groups
 * of columns. Changing, adding or reordering columns requires a newly trained model.
 */
import { placesAbove } from '../places.ts';
import { createNumberBuffer } from '../reused-numbers.ts';
import type { FeatureGroup, PageView } from '../view.ts';
import { neighbours } from './neighbours.ts';
import { own } from './own.ts';
import { landmarks, position } from './position.ts';
import { repetition } from './repetition.ts';
import { surroundings } from './surroundings.ts';
import { wholePage } from './whole-page.ts';

const GROUPS: FeatureGroup[] = [
  own,
  placesAbove,
  surroundings,
  neighbours,
  repetition,
  position,
  landmarks,
  wholePage,
];

/** The columns of the feature table. A trained model is valid for exactly these, in this order. */
export const FEATURE_NAMES: readonly string[] = GROUPS.flatMap(({ names }) => names);

const numbers = createNumberBuffer();

/** Builds a row of `FEATURE_NAMES.length` numbers for each block. The table is valid until the next page's is built. */
export function buildFeatureTable(view: PageView): Float32Array {
  const width = FEATURE_NAMES.length;
  const table = numbers(view.blocks.length * width);
  let column = 0;
  for (const group of GROUPS) {
    const fill = group.prepare(view);
    for (let index = 0; index < view.blocks.length; index += 1) fill(table, index * width + column, index);
    column += group.names.length;
  }
  return table;
}
