/** A choice among some rows of features (row after row), of which those in `right` are right. */
export type Choice = { rows: Float32Array; columns: number; right: number[] };
/** Choices that together count `weight` times their number. */
export type Sample = { choices: Choice[]; weight: number };

const ROUNDS = 400;
/** Adam (Kingma and Ba 2015). */
const RATE = 0.05;
const MEMORY = { first: 0.9, second: 0.99 };
const RIDGE = 1e-3;

/** The weights under which the right rows are most likely to be chosen (softmax over the rows of each choice). Deterministic. */
export function fitChoices(samples: Sample[]): number[] {
  const columns = samples[0]?.choices[0]?.columns ?? 0;
  const total = samples.reduce((sum, { choices, weight }) => sum + weight * choices.length, 0) || 1;
  const weights = new Float64Array(columns);
  const first = new Float64Array(columns);
  const second = new Float64Array(columns);
  for (let round = 1; round <= ROUNDS; round += 1) {
    const slope = new Float64Array(columns);
    for (const { choices, weight } of samples)
      for (const choice of choices) addSlope(slope, choice, weights, weight / total);
    for (let at = 0; at < columns; at += 1) {
      const step = (slope[at] ?? 0) + RIDGE * (weights[at] ?? 0);
      first[at] = MEMORY.first * (first[at] ?? 0) + (1 - MEMORY.first) * step;
      second[at] = MEMORY.second * (second[at] ?? 0) + (1 - MEMORY.second) * step * step;
      const mean = (first[at] ?? 0) / (1 - MEMORY.first ** round);
      const size = Math.sqrt((second[at] ?? 0) / (1 - MEMORY.second ** round));
      weights[at] = (weights[at] ?? 0) - (RATE * mean) / (size + 1e-9);
    }
  }
  return [...weights];
}

function addSlope(
  slope: Float64Array,
  { rows, columns, right }: Choice,
  weights: Float64Array,
  share: number,
): void {
  if (right.length === 0) return;
  const chances = softmax(rows, columns, weights);
  const rightTotal = right.reduce((sum, row) => sum + (chances[row] ?? 0), 0) || 1e-30;
  const excess = chances.slice();
  for (const row of right) excess[row] = (excess[row] ?? 0) - (chances[row] ?? 0) / rightTotal;
  for (let row = 0; row < excess.length; row += 1)
    for (let at = 0; at < columns; at += 1)
      slope[at] = (slope[at] ?? 0) + share * (excess[row] ?? 0) * (rows[row * columns + at] ?? 0);
}

function softmax(rows: Float32Array, columns: number, weights: Float64Array): Float64Array {
  const chances = new Float64Array(rows.length / columns);
  let largest = Number.NEGATIVE_INFINITY;
  for (let row = 0; row < chances.length; row += 1) {
    let score = 0;
    for (let at = 0; at < columns; at += 1) score += (weights[at] ?? 0) * (rows[row * columns + at] ?? 0);
    chances[row] = score;
    largest = Math.max(largest, score);
  }
  let total = 0;
  for (let row = 0; row < chances.length; row += 1) {
    chances[row] = Math.exp((chances[row] ?? 0) - largest);
    total += chances[row] ?? 0;
  }
  return chances.map((chance) => chance / total);
}
