import { toVisibleText } from '../markup/visible-text.ts';
import { foldAccents } from '../words/scripts.ts';

const SNIPPET_CHARS = 300;
/** Maximum characters of a page that are searched for its best passage. */
const SEARCHED_CHARS_MAX = 40_000;
const PIECE_CHARS_MAX = 300;
const SENTENCE_END = /(?<=[.!?。！？]) /;
const SLICES = /.{1,300}(?:\s|$)|.{1,300}/gu;
const MARKER = /^[ \t]*(?:#{1,6}[ \t]+|>[ \t]?|[-*+][ \t]+|\d{1,3}[.)][ \t]+|\|[ \t]*)+/;
/** Terms lighter than this share of the heaviest do not influence the choice of passage. */
const TELLING_SHARE = 0.3;
/** Maximum terms: each is one bit of a number. */
const SOUGHT_MAX = 30;
/** The extra weight of a term in the first sentence of a passage. */
const OWN_SHARE = 0.1;

export type SnippetTerm = { forms: string[]; weight: number };

/**
 * Builds a snippet of a page: the passage (some 300 characters of plain text on one line) with most of the query's weight, or the
 * beginning when none of it occurs.
 */
export function buildSnippet(markdown: string, terms: SnippetTerm[]): string {
  const pieces = splitSentences(markdown.slice(0, SEARCHED_CHARS_MAX));
  const sought = selectSoughtTerms(terms);
  let best = { score: 0, at: 0 };
  let following = 0;
  for (let at = pieces.length - 1; at >= 0; at -= 1) {
    const held = matchTerms(pieces[at] ?? '', sought);
    const score = weigh(held | following, sought) + OWN_SHARE * weigh(held, sought);
    if (score >= best.score) best = { score, at };
    following = held;
  }
  return joinPassage(pieces, best.score === 0 ? 0 : best.at);
}

function joinPassage(pieces: string[], at: number): string {
  let text = '';
  for (const piece of pieces.slice(at)) {
    if (text !== '' && text.length + piece.length >= SNIPPET_CHARS) break;
    text += text === '' ? piece : ` ${piece}`;
  }
  return text.length > SNIPPET_CHARS ? `${cutAtWord(text, SNIPPET_CHARS - 1)}…` : text;
}

/** Splits into sentences, or into lines if they are shorter. */
function splitSentences(markdown: string): string[] {
  return toVisibleText(markdown)
    .split('\n')
    .flatMap((line) =>
      line.replace(MARKER, '').replaceAll('|', ' ').replace(/\s+/g, ' ').trim().split(SENTENCE_END),
    )
    .flatMap((piece) => (piece.length > PIECE_CHARS_MAX ? (piece.match(SLICES) ?? []) : [piece]))
    .map((piece) => piece.trim())
    .filter((piece) => piece !== '');
}

type SoughtTerm = { starts: string[]; weight: number };

/**
 * Selects the heaviest terms with the beginnings of words by which they are found: stems without the last letter, which stemming
 * may have changed.
 */
function selectSoughtTerms(terms: SnippetTerm[]): SoughtTerm[] {
  const heaviest = Math.max(...terms.map(({ weight }) => weight));
  return terms
    .filter(({ weight }) => weight >= heaviest * TELLING_SHARE)
    .slice(0, SOUGHT_MAX)
    .map(({ forms, weight }) => ({ starts: forms.map(toWordStart), weight }));
}

const toWordStart = (form: string): string => (/^[a-z]{4,}$/.test(form) ? form.slice(0, -1) : form);

/** Returns which terms (a bit each) a piece appears to contain. */
function matchTerms(piece: string, sought: SoughtTerm[]): number {
  const text = foldAccents(piece.toLowerCase());
  let held = 0;
  for (const [index, { starts }] of sought.entries()) {
    if (starts.some((start) => containsWordStart(text, start))) held |= 1 << index;
  }
  return held;
}

function containsWordStart(text: string, start: string): boolean {
  for (let at = text.indexOf(start); at !== -1; at = text.indexOf(start, at + 1)) {
    if (at === 0 || !/[a-z0-9]/.test(text[at - 1] ?? '') || !/^[a-z0-9]/.test(start)) return true;
  }
  return false;
}

function weigh(held: number, sought: SoughtTerm[]): number {
  let sum = 0;
  for (const [index, { weight }] of sought.entries()) if (held & (1 << index)) sum += weight;
  return sum;
}

function cutAtWord(text: string, chars: number): string {
  const cut = text.slice(0, chars);
  const space = cut.lastIndexOf(' ');
  return (space > chars / 2 ? cut.slice(0, space) : cut).replace(/[\ud800-\udbff]$/, '').trimEnd();
}
