import { plainText } from './plain-text.ts';
import { wordsOf } from './words.ts';

const SNIPPET_CHARS = 300;
/** Only the beginning of a long page is searched for its best passage. */
const SEARCHED_CHARS_MAX = 40_000;
const PIECE_CHARS_MAX = 300;
const MARKER = /^[ \t]*(?:#{1,6}[ \t]+|>[ \t]?|[-*+][ \t]+|\d{1,3}[.)][ \t]+|\|[ \t]*)+/;
const STEM_CHARS_MIN = 3;

export type SnippetTerm = { forms: string[]; weight: number };

/**
 * The passage of a page (some 300 characters of plain text on one line) that holds most of the query's weight; the
 * beginning when none of it occurs.
 */
export function snippetOf(markdown: string, terms: SnippetTerm[], language: string | null): string {
  const pieces = piecesOf(markdown.slice(0, SEARCHED_CHARS_MAX));
  let best = { score: 0, at: 0 };
  for (const [at, piece] of pieces.entries()) {
    if (!mayHold(piece, terms)) continue;
    const score =
      weightIn(`${piece} ${pieces[at + 1] ?? ''}`, terms, language) + 0.1 * weightIn(piece, terms, language);
    if (score > best.score * 1.0001) best = { score, at };
  }
  let text = '';
  for (const piece of pieces.slice(best.at)) {
    if (text !== '' && text.length + piece.length >= SNIPPET_CHARS) break;
    text += text === '' ? piece : ` ${piece}`;
  }
  return text.length > SNIPPET_CHARS ? `${cutAtWord(text, SNIPPET_CHARS - 1)}…` : text;
}

/** Sentences, or lines where a line is shorter. */
function piecesOf(markdown: string): string[] {
  return plainText(markdown)
    .split('\n')
    .flatMap((line) =>
      line
        .replace(MARKER, '')
        .replace(/[ \t]*\|[ \t]*/g, ' ')
        .trim()
        .split(/(?<=[.!?。！？])\s+/),
    )
    .flatMap(
      (piece) =>
        piece.match(new RegExp(`.{1,${PIECE_CHARS_MAX}}(?:\\s|$)|.{1,${PIECE_CHARS_MAX}}`, 'gu')) ?? [],
    )
    .map((piece) => piece.trim())
    .filter((piece) => piece !== '');
}

/** A cheap look before the words are taken apart: the beginning of a stem is the beginning of its word, nearly always. */
function mayHold(piece: string, terms: SnippetTerm[]): boolean {
  const lower = piece.toLowerCase();
  // Folding may change letters beyond ASCII, so that only the full reading can tell.
  // biome-ignore lint/suspicious/noControlCharactersInRegex: the range is the whole of ASCII
  if (/[^\u0000-\u007f]/.test(lower)) return true;
  return terms.some(({ forms }) => forms.some((form) => lower.includes(form.slice(0, STEM_CHARS_MIN))));
}

function weightIn(text: string, terms: SnippetTerm[], language: string | null): number {
  const words = new Set(wordsOf(text, language));
  let weight = 0;
  for (const term of terms) if (term.forms.some((form) => words.has(form))) weight += term.weight;
  return weight;
}

function cutAtWord(text: string, chars: number): string {
  const cut = text.slice(0, chars);
  const space = cut.lastIndexOf(' ');
  return (space > chars / 2 ? cut.slice(0, space) : cut).replace(/[\ud800-\udbff]$/, '').trimEnd();
}
