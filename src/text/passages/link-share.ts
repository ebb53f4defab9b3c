/** Matches links and images as our Markdown writes them. */
const LINK = /(?<!\\)!?\[((?:[^[\]\\]|\\.)*)\]\([^()\s]*(?:\([^()\s]*\)[^()\s]*)*\)/g;
const LETTER = /[\p{L}\p{N}]/gu;

/** Returns the share of link text in a piece of Markdown, by letters and digits: 0 to 1. */
export function measureLinkShare(markdown: string): number {
  if (!markdown.includes('](')) return 0;
  let linked = 0;
  const rest = markdown.replace(LINK, (_, text: string) => {
    linked += countLetters(text);
    return ' ';
  });
  const all = linked + countLetters(rest);
  return all === 0 ? 0 : linked / all;
}

const countLetters = (text: string): number => text.match(LETTER)?.length ?? 0;
