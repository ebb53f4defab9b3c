import type { Quotable } from './quotable.ts';

/** Neighbouring quotables that are quoted as one, with the heading directly above them if it names their subject. */
export type Window = { best: Quotable; first: Quotable; last: Quotable; heading?: Quotable['heading'] };

/**
 * Size limits of windows: `charsWanted` is the target. In prose the sentence that answers comes with one neighbour. In a manual the answer
 * is often beside the sentence that names the subject, and the description of one name (a list item) is quoted whole if it fits.
 */
const PROSE = { charsWanted: 450, charsMax: 550, sentences: 2 };
const TECHNICAL = { charsWanted: 450, charsMax: 550, sentences: 4 };
const ENTRY = { charsWanted: 650, charsMax: 700, sentences: 8 };
/** A single sentence may be longer than a window; beyond this it is not quoted. */
const SENTENCE_CHARS_MAX = 700;
const ROW_CHARS_MAX = 1_000;
/** Longer code is cut at the end of a line. */
const CODE_CHARS_MAX = 700;
const LEAD_CHARS_MAX = 300;
/** Maximum characters of code quoted together with the sentence that announces it. */
const LED_CODE_CHARS_MAX = 400;
/** A shorter paragraph is quoted with the next one of its section. */
const SHORT_CHARS = 250;
const NAME_WORTH = 1;
/** Maximum characters of a quotation with more of its section: the length of a highlight. */
const SECTION_CHARS_MAX = 700;
/** Matches headings that name something in a program, such as `max_size`, read() or --force. */
const PROGRAM_NAME = /`|\w\(|\w_\w|--\w/;

/** `worth` weighs the quotable at a place: its words of the question. */
type Growth = { worth: (place: number) => number; isProse: boolean };

/**
 * Grows a quotation from the quotable at `place`: adds sentences of its block, the heavier neighbour first, until it is long
 * enough. Code includes the sentence that introduces it, and an announcement what follows it. Returns null when it is too long to
 * quote.
 */
export function growWindow(
  quotables: readonly Quotable[],
  place: number,
  { worth, isProse }: Growth,
): Window | null {
  const [before, best, next] = [quotables[place - 1], quotables[place], quotables[place + 1]];
  if (best === undefined) return null;
  if (best.kind === 'code') return { best, first: isLeadOf(before, best) ? before : best, last: best };
  if (best.announces && next?.kind === 'code' && isLeadOf(best, next))
    return { best: next, first: best, last: next };
  const most = best.kind === 'row' ? ROW_CHARS_MAX : SENTENCE_CHARS_MAX;
  if (best.end - best.start > most) return null;
  return best.kind === 'row'
    ? { best, first: best, last: best }
    : growSentences(quotables, place, { worth, isProse });
}

function chooseLimits(best: Quotable | undefined, isProse: boolean): typeof PROSE {
  if ((best?.item ?? 0) > 0) return ENTRY;
  return isProse ? PROSE : TECHNICAL;
}

/** True when a short sentence directly precedes a block of code. */
function isLeadOf(lead: Quotable | undefined, code: Quotable): lead is Quotable {
  if (lead === undefined || lead.kind !== 'sentence') return false;
  return lead.block === code.block - 1 && lead.end - lead.start <= LEAD_CHARS_MAX;
}

function growSentences(
  quotables: readonly Quotable[],
  place: number,
  { worth, isProse }: Growth,
): Window | null {
  let [from, to] = [place, place];
  const best = quotables[place];
  const { charsWanted, charsMax, sentences } = chooseLimits(best, isProse);
  const countChars = (first: number, last: number): number =>
    (quotables[last]?.end ?? 0) - (quotables[first]?.markerStart ?? 0);
  // A name precedes its description, and an antecedent the sentence that refers back to it.
  const scoreName = (at: number): number =>
    (isOfItem(quotables[at], best) ? NAME_WORTH : 0) + (quotables[at + 1]?.refersBack ? NAME_WORTH : 0);
  while (to - from + 1 < sentences && countChars(from, to) < charsWanted) {
    const next = isJoined(quotables, to) && countChars(from, to + 1) <= charsMax ? worth(to + 1) : -1;
    const previous =
      isJoined(quotables, from - 1) && countChars(from - 1, to) <= charsMax
        ? worth(from - 1) + scoreName(from - 1)
        : -1;
    if (next < 0 && previous < 0) break;
    if (next >= previous) to += 1;
    else from -= 1;
  }
  if (isLeadOfShortCode(quotables[to], quotables[to + 1])) to += 1;
  const [first, last] = [quotables[from], quotables[to]];
  return best === undefined || first === undefined || last === undefined ? null : { best, first, last };
}

/** True when a sentence announces a whole block of code that is short enough to be quoted with it. */
function isLeadOfShortCode(lead: Quotable | undefined, code: Quotable | undefined): boolean {
  if (lead === undefined || code?.kind !== 'code' || !lead.announces) return false;
  return lead.block === code.block - 1 && code.isClosed && code.end - code.start <= LED_CODE_CHARS_MAX;
}

const isOfItem = (left: Quotable | undefined, best: Quotable | undefined): boolean =>
  left !== undefined && left.item > 0 && left.item === best?.item;

/**
 * True when a sentence and the next belong to one unit: a paragraph, an item or list without names, a list and its announcement, a
 * short paragraph and its neighbour in the section, a bold title and its text.
 */
function isJoined(quotables: readonly Quotable[], place: number): boolean {
  const [left, right] = [quotables[place], quotables[place + 1]];
  if (left === undefined || right === undefined || left.kind !== 'sentence' || right.kind !== 'sentence')
    return false;
  if (!left.says || !right.says) return false;
  if (left.block === right.block) return true;
  if (left.block !== right.block - 1) return false;
  if (right.isTitle) return false;
  if (right.item === 0)
    return left.item === 0 && isUnder(left, right) && (left.isTitle || isShort(quotables, place));
  if (left.item === right.item) return true;
  if (left.item > 0) return left.term === right.term;
  return left.announces;
}

/** True when one of two neighbouring paragraphs is short. */
function isShort(quotables: readonly Quotable[], place: number): boolean {
  return [place, place + 1].some((at) => {
    const own = quotables[at];
    if (own === undefined) return false;
    const [before, after] = [quotables[at - 1], quotables[at + 1]];
    const isWhole = before?.block !== own.block && after?.block !== own.block;
    return isWhole && own.end - own.start <= SHORT_CHARS;
  });
}

const isUnder = (left: Quotable, right: Quotable): boolean =>
  left.headingPath.join('\n') === right.headingPath.join('\n');

/**
 * Narrows a window of prose to its best sentence, with the one before it if the sentence refers back to that. Code and rows stay
 * as they are, and so does what is announced.
 */
export function narrowWindow(quotables: readonly Quotable[], window: Window): Window {
  const { best } = window;
  if (best.kind !== 'sentence' || best.announces) return window;
  const place = quotables.indexOf(best);
  const before = quotables[place - 1];
  const first = best.refersBack && before !== undefined && isJoined(quotables, place - 1) ? before : best;
  return { best, first, last: best };
}

/**
 * Extends a window within its section, or its entry in a list, by whole sentences and code, first forwards, then backwards. Below a
 * heading that names something in a program it goes backwards first, and includes the heading. Table rows, and code that is cut or
 * left open, are not extended.
 */
export function addSection(markdown: string, quotables: readonly Quotable[], window: Window): Window {
  const { best } = window;
  let [from, to] = [quotables.indexOf(window.first), quotables.indexOf(window.last)];
  if (from < 0 || to < 0 || isUncut(quotables[from]) || isUncut(quotables[to])) return window;
  const mayJoin = (at: number, first: number, last: number): boolean => {
    const other = quotables[at];
    if (other === undefined || isUncut(other) || !other.says || other.term !== best.term) return false;
    const chars = (quotables[last]?.end ?? 0) - (quotables[first]?.markerStart ?? 0);
    return isUnder(other, best) && chars <= SECTION_CHARS_MAX;
  };
  const goBack = (): void => {
    while (mayJoin(from - 1, from - 1, to)) from -= 1;
  };
  const isNamed = PROGRAM_NAME.test(best.headingPath.at(-1) ?? '');
  if (isNamed) goBack();
  const least = to;
  while (mayJoin(to + 1, from, to + 1)) to += 1;
  // Drop an announcement when there is no room for what it announces.
  while (to > least && quotables[to]?.announces) to -= 1;
  goBack();
  const [first, last] = [quotables[from] ?? window.first, quotables[to] ?? window.last];
  const isWhole = isNamed && isRightBelow(markdown, first, last);
  return isWhole ? { best, first, last, heading: first.heading } : { best, first, last };
}

/** True for what is quoted alone or not at all: a row, or code that is left open. */
const isUncut = (quotable: Quotable | undefined): boolean =>
  quotable?.kind === 'row' || (quotable?.kind === 'code' && !quotable.isClosed);

/** True when nothing is between a quotable and its heading, and the heading fits. */
function isRightBelow(markdown: string, { heading, markerStart }: Quotable, last: Quotable): boolean {
  if (heading === null || last.end - heading.start > SECTION_CHARS_MAX) return false;
  return markdown.slice(heading.end, markerStart).trim() === '';
}

/** Returns the text of a window with its offsets: verbatim except for a header above a row and a fence below cut code. */
export function buildWindowText(
  markdown: string,
  { best, first, last, heading }: Window,
): { text: string; start: number; end: number } {
  const start = heading?.start ?? (first === last || best.kind === 'code' ? first.start : first.markerStart);
  if (best.kind === 'row' && best.header !== null) {
    const header = markdown.slice(best.header.start, best.header.end);
    return { text: `${header}\n${markdown.slice(start, last.end)}`, start, end: last.end };
  }
  if (best.kind !== 'code' || last !== best)
    return { text: markdown.slice(start, last.end), start, end: last.end };
  const end = findCodeEnd(markdown, best);
  const closing = best.closing !== '' && (end < best.end || !best.isClosed) ? `\n${best.closing}` : '';
  return { text: `${markdown.slice(start, end)}${closing}`, start, end };
}

/** Returns the end of a block of code, or of its last line that fits. */
function findCodeEnd(markdown: string, { start, end }: Quotable): number {
  if (end - start <= CODE_CHARS_MAX) return end;
  const room = markdown.slice(start, start + CODE_CHARS_MAX);
  const line = room.lastIndexOf('\n');
  const isLine = line > room.indexOf('\n');
  return start + (isLine ? line : room.replace(/[\ud800-\udbff]$/, '').length);
}
