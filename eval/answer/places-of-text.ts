/** White space, marks of emphasis, code, headings, quotes and tables, and link targets, as they may stand between words. */
const BETWEEN = '(?:[\\s`*\\\\|#>\\[\\]]|\\]\\([^()\\s]*\\))+';
const WITHIN = '[`*\\\\\\[]{0,3}';
const SAME: Record<string, string> = { "'": "['’‘]", '"': '["”“]' };

/** Where a text that a reader sees stands in Markdown: offsets of every place. */
export function placesOfText(markdown: string, wanted: string): { start: number; end: number }[] {
  const words = wanted.match(/[^\s`*\\|#>[\]]+/g) ?? [];
  if (words.length === 0) return [];
  const pattern = new RegExp(words.map(wordPattern).join(BETWEEN), 'giu');
  return [...markdown.matchAll(pattern)].map(({ index, 0: found }) => ({
    start: index,
    end: index + found.length,
  }));
}

function wordPattern(word: string): string {
  return [...straight(word)]
    .map((char) =>
      /[\p{L}\p{N}]/u.test(char)
        ? char
        : `${WITHIN}${SAME[char] ?? char.replace(/[.*+?^${}()|[\]\\/]/g, '\\$&')}`,
    )
    .join('');
}

const straight = (word: string): string => word.replace(/[’‘]/g, "'").replace(/[”“]/g, '"');
