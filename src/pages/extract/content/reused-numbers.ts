/** Pages with more numbers get memory of their own, which is given back; real pages seldom need a fifth of it. */
const KEPT_MAX = 1_000_000;

/**
 * Memory for the numbers of one page at a time: fresh memory for each page would have to be cleared, and faulted in, each time.
 * What is in it is what the page before left there.
 */
export function createNumberBuffer(): (count: number) => Float32Array {
  let kept = new Float32Array(0);
  return (count) => {
    if (count > KEPT_MAX) return new Float32Array(count);
    if (kept.length < count) kept = new Float32Array(Math.min(KEPT_MAX, count * 2));
    return kept.subarray(0, count);
  };
}
