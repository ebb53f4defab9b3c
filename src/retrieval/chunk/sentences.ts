/** Words that end in a point inside a sentence; with single letters (initials) and numbers they end none. */
const ABBREVIATIONS = new Set(
  'e.g i.e etc vs cf approx al fig figs eq no nos vol pp ed eds dr mr mrs ms prof sr jr st inc ltd co corp dept est bzw z.b d.h u.a ca nr str sog p.ex m'.split(
    ' ',
  ),
);

const SENTENCE_END = /[.!?…]+["'”’)\]*_]*(?=\s)|[。！？]["”’）」』]*/gu;

/** Offsets at which the sentences of a paragraph end, the last one excluded. Not inside a link's text. */
export function sentenceEnds(text: string): number[] {
  const ends: number[] = [];
  for (const match of text.matchAll(SENTENCE_END)) {
    const end = match.index + match[0].length;
    if (end >= text.length) break;
    if (match[0].startsWith('.') && endsInAbbreviation(text, match.index)) continue;
    if (insideLink(text, end)) continue;
    ends.push(end);
  }
  return ends;
}

function endsInAbbreviation(text: string, point: number): boolean {
  const word = /[\p{L}\p{N}.]+$/u.exec(text.slice(Math.max(0, point - 12), point))?.[0].toLowerCase() ?? '';
  return /^\p{L}$/u.test(word) || ABBREVIATIONS.has(word);
}

function insideLink(text: string, at: number): boolean {
  const opened = text.lastIndexOf('[', at);
  if (opened === -1 || text.lastIndexOf(']', at) > opened) return false;
  const closed = text.indexOf(']', at);
  return closed !== -1 && text[closed + 1] === '(';
}
