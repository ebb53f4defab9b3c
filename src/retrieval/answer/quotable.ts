import { type MarkdownBlock, markdownBlocks } from '../chunk/markdown-blocks.ts';
import { sentenceEnds } from '../chunk/sentences.ts';
import { isUnspaced } from '../rank/scripts.ts';

/** The least that can be quoted: a sentence, an item or line of a list, a row of a table, a block of code. */
export type Quotable = {
  kind: 'sentence' | 'row' | 'code';
  start: number;
  end: number;
  /** Where its line begins with the marker of a list or quote; else `start`. */
  markerStart: number;
  /** Which block of the page it belongs to, in page order. */
  block: number;
  headingPath: string[];
  /** Whether it announces what follows: it ends in a colon. */
  announces: boolean;
  /** The header of its table with the rule below it, where it is a row; else null. */
  header: { start: number; end: number } | null;
};

/** Of Hindi and its kin, of Urdu, and the question mark of Arabic. */
const FULL_STOP = /[।॥۔؟]+(?=\s)/gu;
/** Thai has neither spaces between words nor full stops: about as much of it as a sentence has. */
const STRETCH_CHARS = 120;
const MARKER = /^[ \t]*(?:>[ \t]?|(?:[-*+]|\d{1,9}[.)])[ \t]+(?:\[[ xX]\][ \t]+)?)*/;

/** Everything on a page that can be quoted, in page order. Headings and rules are left out. */
export function quotablesOf(markdown: string): Quotable[] {
  return markdownBlocks(markdown).flatMap((block, place) => quotablesIn(markdown, block, place));
}

function quotablesIn(markdown: string, block: MarkdownBlock, place: number): Quotable[] {
  const { kind, start, end, headingPath } = block;
  const common = { block: place, headingPath };
  if (kind === 'heading' || kind === 'rule') return [];
  if (kind === 'code')
    return [{ kind: 'code', start, end, markerStart: start, announces: false, header: null, ...common }];
  const text = markdown.slice(start, end);
  if (kind === 'table') return rowsOf(text).map((row) => ({ ...at(row, start), ...common }));
  const parts = kind === 'paragraph' ? cutAt(text, 0, endsIn(text)) : linesOf(text);
  return parts.map((part) => ({ ...at(part, start), ...common }));
}

type Part = Omit<Quotable, 'block' | 'headingPath'>;

/** Offsets within a block -> offsets within the page. */
function at(part: Part, offset: number): Part {
  const { start, end, markerStart, header } = part;
  return {
    ...part,
    start: start + offset,
    end: end + offset,
    markerStart: markerStart + offset,
    header: header === null ? null : { start: header.start + offset, end: header.end + offset },
  };
}

/** A table without a row below its header says nothing. */
function rowsOf(text: string): Part[] {
  const [header = '', rule, ...rows] = text.split('\n');
  if (rule === undefined) return [];
  const headerEnd = header.length + 1 + rule.length;
  let start = headerEnd + 1;
  return rows.map((row) => {
    const part: Part = {
      kind: 'row',
      ...{ start, end: start + row.length, markerStart: start, announces: false },
      header: { start: 0, end: headerEnd },
    };
    start += row.length + 1;
    return part;
  });
}

function linesOf(text: string): Part[] {
  const parts: Part[] = [];
  let start = 0;
  for (const line of text.split('\n')) {
    const marker = MARKER.exec(line)?.[0].length ?? 0;
    const [first, ...others] = cutAt(line, marker, endsIn(line));
    if (first !== undefined)
      parts.push(...[{ ...first, markerStart: 0 }, ...others].map((part) => at(part, start)));
    start += line.length + 1;
  }
  return parts;
}

/** Where sentences end; text without spaces between words and without full stops is cut at the spaces that it has. */
function endsIn(text: string): number[] {
  const ends = new Set(sentenceEnds(text));
  for (const match of text.matchAll(FULL_STOP)) ends.add(match.index + match[0].length);
  if (ends.size > 0 || text.length <= STRETCH_CHARS || !isUnspaced(text))
    return [...ends].sort((left, right) => left - right);
  let last = 0;
  for (const { index } of text.matchAll(/\s+/g)) {
    if (index - last < STRETCH_CHARS) continue;
    ends.add(index);
    last = index;
  }
  return [...ends];
}

/** Cuts text behind each of `ends` and leaves out the space between; what lies before `from` is passed over. */
function cutAt(text: string, from: number, ends: number[]): Part[] {
  const parts: Part[] = [];
  let last = from;
  for (const stop of [...ends.filter((end) => end > from), text.length]) {
    const piece = text.slice(last, stop);
    const start = last + piece.length - piece.trimStart().length;
    const end = last + piece.trimEnd().length;
    const announces = /[:：]$/.test(text.slice(start, end));
    if (end > start)
      parts.push({ kind: 'sentence', start, end, markerStart: start, announces, header: null });
    last = stop;
  }
  return parts;
}
