const ROUNDS = 60;

/**
 * The mean of rows of equal length and the `count` directions in which they differ most, the strongest first
 * (principal components, by power iteration with deflation). Deterministic.
 */
export function mainAxes(rows: number[][], count: number): { mean: number[]; axes: number[][] } {
  const size = rows[0]?.length ?? 0;
  const mean = new Array<number>(size).fill(0);
  for (const row of rows)
    for (let at = 0; at < size; at += 1) mean[at] = (mean[at] ?? 0) + (row[at] ?? 0) / rows.length;
  const covariance = covarianceOf(rows, mean);
  const axes: number[][] = [];
  while (axes.length < Math.min(count, size)) {
    const axis = strongest(covariance, axes.length);
    const strength = dot(times(covariance, axis), axis);
    for (const [row, line] of covariance.entries())
      for (let at = 0; at < size; at += 1)
        line[at] = (line[at] ?? 0) - strength * (axis[row] ?? 0) * (axis[at] ?? 0);
    axes.push(axis);
  }
  return { mean, axes };
}

function covarianceOf(rows: number[][], mean: number[]): number[][] {
  const covariance = mean.map(() => new Array<number>(mean.length).fill(0));
  for (const row of rows) {
    const centred = row.map((value, at) => value - (mean[at] ?? 0));
    for (const [place, line] of covariance.entries()) {
      const value = (centred[place] ?? 0) / rows.length;
      for (let at = 0; at < line.length; at += 1) line[at] = (line[at] ?? 0) + value * (centred[at] ?? 0);
    }
  }
  return covariance;
}

function strongest(matrix: number[][], seed: number): number[] {
  let axis = unit(matrix.map((_, at) => 1 + ((at * 7 + seed * 13) % 17)));
  for (let round = 0; round < ROUNDS; round += 1) axis = unit(times(matrix, axis));
  return axis;
}

const times = (matrix: number[][], vector: number[]): number[] => matrix.map((line) => dot(line, vector));
const dot = (left: number[], right: number[]): number =>
  left.reduce((sum, value, at) => sum + value * (right[at] ?? 0), 0);

function unit(vector: number[]): number[] {
  const length = Math.hypot(...vector) || 1;
  return vector.map((value) => value / length);
}
