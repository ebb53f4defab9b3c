/** One passage: its features, whether it answers, and its weight. */
export type Row = { features: number[]; isRight: boolean; weight: number };

const STEPS = 8;

/** Weights of a logistic regression with a ridge, by Newton's method. */
export function fitLogistic(rows: readonly Row[], size: number, ridge = 1): number[] {
  const table = Float64Array.from(rows.flatMap(({ features }) => features));
  let weights: number[] = Array.from({ length: size }, () => 0);
  for (let step = 0; step < STEPS; step += 1) {
    const { gradient, curve } = slopes(rows, { table, ridge }, weights);
    const change = solved(curve, gradient);
    weights = weights.map((weight, index) => weight + (change[index] ?? 0));
  }
  return weights;
}

/** First and second derivative of the likelihood at `weights`; `table` holds the figures of all rows one after the other. */
function slopes(
  rows: readonly Row[],
  { table, ridge }: { table: Float64Array; ridge: number },
  weights: number[],
): { gradient: number[]; curve: number[][] } {
  const size = weights.length;
  const gradient = Float64Array.from(weights, (weight) => -ridge * weight);
  const curve = new Float64Array(size * size);
  for (const [place, { isRight, weight }] of rows.entries()) {
    const own = table.subarray(place * size, (place + 1) * size);
    let sum = 0;
    for (let index = 0; index < size; index += 1) sum += (own[index] ?? 0) * (weights[index] ?? 0);
    const chance = 1 / (1 + Math.exp(-sum));
    const error = weight * ((isRight ? 1 : 0) - chance);
    const bend = weight * chance * (1 - chance);
    const filled = [...own.keys()].filter((index) => own[index] !== 0);
    for (const [at, row] of filled.entries()) {
      const left = own[row] ?? 0;
      gradient[row] = (gradient[row] ?? 0) + error * left;
      for (let next = at; next < filled.length; next += 1) {
        const column = filled[next] ?? 0;
        curve[row * size + column] = (curve[row * size + column] ?? 0) + bend * left * (own[column] ?? 0);
      }
    }
  }
  return {
    gradient: [...gradient],
    curve: weights.map((_, row) =>
      weights.map((__, column) => {
        const [low, high] = [Math.min(row, column), Math.max(row, column)];
        return (curve[low * size + high] ?? 0) + (row === column ? ridge : 0);
      }),
    ),
  };
}

/** The solution of a symmetric, positive system, by elimination with pivots. */
function solved(matrix: number[][], right: number[]): number[] {
  const rows = matrix.map((row, index) => [...row, right[index] ?? 0]);
  const size = rows.length;
  for (let at = 0; at < size; at += 1) {
    const pivot = rows
      .map((row, index) => ({ index, size: index < at ? -1 : Math.abs(row[at] ?? 0) }))
      .sort((left, other) => other.size - left.size)[0]?.index;
    [rows[at], rows[pivot ?? at]] = [rows[pivot ?? at] ?? [], rows[at] ?? []];
    const head = rows[at] ?? [];
    for (const [index, row] of rows.entries()) {
      if (index === at) continue;
      const factor = (row[at] ?? 0) / (head[at] ?? 1);
      for (let column = at; column <= size; column += 1)
        row[column] = (row[column] ?? 0) - factor * (head[column] ?? 0);
    }
  }
  return rows.map((row, index) => (row[size] ?? 0) / (row[index] ?? 1));
}
