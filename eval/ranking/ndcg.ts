const RANKS = 10;

/** nDCG@10 with linear gains (Jarvelin and Kekalainen 2002, as trec_eval computes it): grades of what was found, and of all that is relevant. */
export function computeNdcg(found: readonly number[], relevant: readonly number[]): number {
  const gain = (grades: readonly number[]): number =>
    grades.slice(0, RANKS).reduce((sum, grade, index) => sum + grade / Math.log2(index + 2), 0);
  const ideal = gain(relevant.toSorted((left, right) => right - left));
  return ideal === 0 ? 0 : gain(found) / ideal;
}
