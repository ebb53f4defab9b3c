/** Word F1 of a text against the marked one: lower-case word tokens as multisets. */
export function wordF1(text: string, gold: string): { f1: number; precision: number; recall: number } {
  const found = counted(text);
  const wanted = counted(gold);
  let shared = 0;
  for (const [word, count] of found.counts) shared += Math.min(count, wanted.counts.get(word) ?? 0);
  if (shared === 0) return { f1: 0, precision: 0, recall: 0 };
  return {
    f1: (2 * shared) / (found.total + wanted.total),
    precision: shared / found.total,
    recall: shared / wanted.total,
  };
}

/** The words of a text, lower case. */
export function wordsOf(text: string): string[] {
  return text.toLowerCase().match(/[\p{L}\p{M}\p{N}_]+/gu) ?? [];
}

function counted(text: string): { counts: Map<string, number>; total: number } {
  const words = wordsOf(text);
  const counts = new Map<string, number>();
  for (const word of words) counts.set(word, (counts.get(word) ?? 0) + 1);
  return { counts, total: words.length };
}
