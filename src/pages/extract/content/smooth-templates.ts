import type { PageView } from './comments.ts';
import { SIGNATURES } from './features/repetition.ts';
import type { Block } from './regions.ts';

/**
 * Weights of the mean over the blocks with the same tag and class as this one, its parent and its grandparent, and over the blocks whose
 * parents have the same path from the root. The rest is the block's own probability. Both were chosen on `wcxb_dev`.
 */
const PATTERN_WEIGHT = 0.5;
const PARENT_WEIGHT = 0.3;

/**
 * Draws the probabilities of blocks that a template repeats to their mean: cards, rows and posts are content together or not at all, and
 * one that is short or says nothing special would be judged by chance. A block that nothing repeats keeps its own.
 */
export function smoothTemplates({ blocks, signatures }: PageView, probabilities: Float32Array): Float32Array {
  const patterns = averageBy(
    blocks,
    probabilities,
    ({ region }) => signatures[region.index * SIGNATURES + 2] ?? 0,
  );
  const parents = averageBy(
    blocks,
    probabilities,
    ({ region }) => signatures[(region.parent ?? region).index * SIGNATURES + 3] ?? 0,
  );
  return probabilities.map((own, index) => {
    const { mean: pattern, trust } = patterns(index);
    const { mean: parent, trust: trustOfParent } = parents(index);
    return own + PATTERN_WEIGHT * trust * (pattern - own) + PARENT_WEIGHT * trustOfParent * (parent - own);
  });
}

/** Averages the probabilities of the blocks with one key; `trust` grows with their number, from 0 for a single block to 1. */
function averageBy(
  blocks: readonly Block[],
  probabilities: Float32Array,
  keyOf: (block: Block) => number,
): (index: number) => { mean: number; trust: number } {
  const sums = new Map<number, { sum: number; count: number }>();
  const groups = blocks.map((block, index) => {
    const key = keyOf(block);
    const group = sums.get(key) ?? { sum: 0, count: 0 };
    if (group.count === 0) sums.set(key, group);
    group.sum += probabilities[index] ?? 0;
    group.count += 1;
    return group;
  });
  return (index) => {
    const { sum, count } = groups[index] ?? { sum: 0, count: 1 };
    return { mean: sum / count, trust: (count - 1) / count };
  };
}
