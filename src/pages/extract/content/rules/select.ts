import type { Block } from '../regions.ts';

/** Minimum probability of a kept block, whatever the page's threshold. */
const PROBABILITY_MIN = 0.1;

/**
 * Selects the blocks with the highest probabilities of being content, as many as maximise the expected word F1 of the page:
 * 2 * expected hits / (words kept + words expected).
 */
export function selectBlocks(blocks: Block[], probabilities: Float32Array, kept: boolean[]): void {
  const order = [...blocks.keys()].sort(
    (one, other) => (probabilities[other] ?? 0) - (probabilities[one] ?? 0),
  );
  let expected = 0;
  for (const [index, { tally }] of blocks.entries()) expected += tally.words * (probabilities[index] ?? 0);
  let hits = 0;
  let words = 0;
  let best = 0;
  let least = 1;
  for (const index of order) {
    const probability = probabilities[index] ?? 0;
    if (probability < PROBABILITY_MIN) break;
    const size = blocks[index]?.tally.words ?? 0;
    hits += size * probability;
    words += size;
    const f1 = (2 * hits) / (words + expected);
    if (f1 > best) {
      best = f1;
      least = probability;
    }
  }
  for (const index of blocks.keys()) kept[index] = (probabilities[index] ?? 0) >= least;
}
