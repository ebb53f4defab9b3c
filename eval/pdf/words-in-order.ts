/** The words of a text: lower case; of scripts without spaces, every character. */
export function orderedWords(text: string): string[] {
  return (
    text
      .normalize('NFKC')
      .toLowerCase()
      .match(
        /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]|(?:(?![\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}])[\p{L}\p{M}\p{N}])+/gu,
      ) ?? []
  );
}

/** Words that differ at most; beyond this the rest counts as out of order. */
const EDITS_MAX = 20_000;

/**
 * How many words two texts have in common, in order: the length of their longest common subsequence, by the greedy algorithm
 * of E. Myers (An O(ND) Difference Algorithm, 1986).
 */
export function commonInOrder(one: string[], other: string[]): number {
  const [n, m] = [one.length, other.length];
  const most = Math.min(n + m, EDITS_MAX);
  const furthest = new Int32Array(2 * most + 2);
  for (let edits = 0; edits <= most; edits += 1) {
    for (let k = -edits; k <= edits; k += 2) {
      const at = k + most;
      const left = furthest[at - 1] ?? 0;
      const right = furthest[at + 1] ?? 0;
      let x = k === -edits || (k !== edits && left < right) ? right : left + 1;
      while (x < n && x - k < m && one[x] === other[x - k]) x += 1;
      furthest[at] = x;
      if (x >= n && x - k >= m) return (n + m - edits) / 2;
    }
  }
  return 0;
}
