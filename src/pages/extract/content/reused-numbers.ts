/** Maximum numbers in the shared buffer; larger pages get memory of their own. Real pages seldom need a fifth of it. */
const KEPT_MAX = 1_000_000;

/**
 * Creates a buffer for the numbers of one page at a time; fresh memory would have to be cleared, and faulted in, for each page.
 * It still contains the numbers of the previous page.
 */
export function createNumberBuffer(): (count: number) => Float32Array {
  let kept = new Float32Array(0);
  return (count) => {
    if (count > KEPT_MAX) return new Float32Array(count);
    if (kept.length < count) kept = new Float32Array(Math.min(KEPT_MAX, count * 2));
    return kept.subarray(0, count);
  };
}
