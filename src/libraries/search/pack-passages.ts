import { CHARS_PER_TOKEN } from '../../contract/limits.ts';

/** A passage of a page; `score`: how well it answers, comparable between the passages of all pages. */
type Packable = { markdown: string; score: number };

/** Characters beside the text of a passage: its title, version and address. */
const HEAD_CHARS = 240;

/**
 * Chooses the best passages that fit a budget of tokens, best first. No passage is cut: one that does not fit leaves its room to shorter
 * ones. Empty only if there are none or the best of them alone is too long.
 */
export function packPassages<Passage extends Packable>(
  passages: readonly Passage[],
  tokensMax: number,
): Passage[] {
  let room = tokensMax * CHARS_PER_TOKEN;
  const ordered = passages.toSorted((one, other) => other.score - one.score);
  return ordered.filter(({ markdown }) => {
    const chars = markdown.length + HEAD_CHARS;
    if (chars > room) return false;
    room -= chars;
    return true;
  });
}
