import type { Forest } from '../content/forest.ts';

/** The change that a feature made to a block's score, in log odds. */
export type Contribution = { feature: string; value: number; weight: number };

/**
 * Explains scores of a forest: each step down a tree changes the mean of the leaves below, and the feature tested at the step is
 * credited with the change (Saabas' method). A leaf counts by its share of the splits above it.
 */
export function createExplainer(
  forest: Forest,
  names: readonly string[],
): (row: Float32Array) => Contribution[] {
  const means = computeNodeMeans(forest);
  const { feature, number, right, roots } = forest;
  return (row) => {
    const weights = new Float64Array(names.length);
    for (const root of roots) {
      let node = root;
      for (let column = feature[node] ?? -1; column >= 0; column = feature[node] ?? -1) {
        const next = (row[column] ?? 0) <= (number[node] ?? 0) ? node + 1 : (right[node] ?? 0);
        weights[column] = (weights[column] ?? 0) + (means[next] ?? 0) - (means[node] ?? 0);
        node = next;
      }
    }
    return names
      .map((name, column) => ({ feature: name, value: row[column] ?? 0, weight: weights[column] ?? 0 }))
      .filter(({ weight }) => weight !== 0)
      .sort((one, other) => Math.abs(other.weight) - Math.abs(one.weight));
  };
}

/** Computes for each node the mean of the leaves below; children follow their parents. */
function computeNodeMeans({ feature, number, right }: Forest): Float32Array {
  const means = new Float32Array(feature.length);
  for (let node = feature.length - 1; node >= 0; node -= 1) {
    means[node] =
      (feature[node] ?? -1) < 0
        ? (number[node] ?? 0)
        : ((means[node + 1] ?? 0) + (means[right[node] ?? 0] ?? 0)) / 2;
  }
  return means;
}
