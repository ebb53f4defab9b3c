import { findTextCuts } from '../chunk/sentences.ts';
import { type MarkdownBlock, parseMarkdownBlocks } from '../markup/markdown-blocks.ts';
import { toVisibleText } from '../markup/visible-text.ts';
import { measureLinkShare } from '../passages/link-share.ts';
import { isUnspaced } from '../words/scripts.ts';

/** The smallest unit that can be quoted: a sentence, a row of a table, a block of code. */
export type Quotable = {
  kind: 'sentence' | 'row' | 'code';
  start: number;
  end: number;
  /** Start of its line if that begins with the marker of a list or quote; else `start`. */
  markerStart: number;
  /** Index of its block in the page. */
  block: number;
  /** Number of its list item; 0 outside lists. */
  item: number;
  headingPath: string[];
  /** Offsets of the last of these headings; null if there is none. */
  heading: { start: number; end: number } | null;
  /** The name that its list item is about: `shared_buffers (integer)`; '' if there is none. */
  term: string;
  /** True when it can be an answer by itself: a question, a section number, a link or a list of links cannot. */
  says: boolean;
  /** True when it ends like a sentence, or has code or figures. */
  isSentence: boolean;
  /** True for a paragraph in bold type, which some pages use as a heading. */
  isTitle: boolean;
  /** True when it begins with a word that refers back: `This`, `Its`, `Otherwise`. */
  refersBack: boolean;
  /** True when it announces what follows: it ends in a colon, or is a title. */
  announces: boolean;
  /** Offsets of the header of its table with the rule below it, for a row; else null. */
  header: { start: number; end: number } | null;
  /** The line that closes code which is cut or was left open; empty if there is no fence. */
  closing: string;
  /** True when its own fence closes it, or it has none. */
  isClosed: boolean;
};

/**
 * Minimum characters of a stretch of Thai, which has neither spaces between words nor full stops: about the length of a sentence.
 */
const STRETCH_CHARS = 120;
/** Longer texts without full stops, such as poems, are quoted by lines. */
const SENTENCE_CHARS = 450;
const TERM_CHARS = 120;
const TERM_READ_CHARS = 160;
/** Matches `name: what it does` and `name – what it does`. */
const TERM_AND_MORE = /^([^\n]{1,100}?)(?::| [-–—]) (?=\S)/;
/** Sentences with at least this share of link text are navigation. */
const NAVIGATION_SHARE = 0.8;
const WORD = /[\p{L}\p{M}]{2}|\p{Lo}|`/u;
const TELLING = { announces: false, says: true, isSentence: true, isTitle: false, refersBack: false };
const REFERS_BACK =
  /^(?:th(?:is|at|ese|ose|ey|eir|en)|it|its|such|an? (?:new|second|used) one|otherwise|however|in (?:this|that|these|such|either) cases?)\b/i;
const TITLE = /^\*\*[^*\n]{1,300}\*\*$/;
const MARKER = /^[ \t]*(?:>[ \t]?|(?:[-*+]|\d{1,9}[.)])[ \t]+(?:\[[ xX]\][ \t]+)?)*/;

/** Finds everything on a page that can be quoted, in page order; headings cannot. */
export function findQuotables(markdown: string): Quotable[] {
  const blocks = parseMarkdownBlocks(markdown);
  const terms = findItemTerms(markdown, blocks);
  return blocks.flatMap((block, place) => {
    const { item, headings, fence } = block;
    const common = {
      block: place,
      item,
      headingPath: headings.map(({ text }) => text),
      term: terms[place] ?? '',
      heading: headings.at(-1) ?? null,
      closing: fence?.closing ?? '',
      isClosed: fence?.isClosed ?? true,
    };
    return splitParts(markdown, block).map((part) => ({ ...part, ...common }));
  });
}

/** Returns, for each block, the names of the list items that contain it: the beginning of an item, unless it is a sentence. */
function findItemTerms(markdown: string, blocks: readonly MarkdownBlock[]): string[] {
  const open: { item: number; indent: number; term: string }[] = [];
  return blocks.map((block) => {
    if (block.item === 0) {
      open.length = 0;
      return '';
    }
    if (open.at(-1)?.item !== block.item) {
      while ((open.at(-1)?.indent ?? -1) >= block.itemIndent && open.at(-1)?.item !== block.item) open.pop();
      if (open.at(-1)?.item !== block.item)
        open.push({ item: block.item, indent: block.itemIndent, term: readItemTerm(markdown, block) });
    }
    return open.flatMap(({ term }) => (term === '' ? [] : [term])).join('\n');
  });
}

function readItemTerm(markdown: string, { kind, start, end }: MarkdownBlock): string {
  if (kind !== 'text') return '';
  const text = markdown.slice(start, Math.min(end, start + TERM_READ_CHARS)).replace(MARKER, '');
  const [, before] = TERM_AND_MORE.exec(text) ?? [];
  if (before !== undefined) return toVisibleText(before);
  const isWhole = end - start < TERM_READ_CHARS && !text.includes('\n') && !/[.!?。！？]$/.test(text.trim());
  return isWhole && text.length <= TERM_CHARS ? toVisibleText(text) : '';
}

type Nature = Pick<Quotable, 'announces' | 'says' | 'isSentence' | 'isTitle' | 'refersBack'>;
type Part = Nature & Pick<Quotable, 'kind' | 'start' | 'end' | 'markerStart' | 'header'>;

function splitParts(markdown: string, { kind, start, end }: MarkdownBlock): Part[] {
  if (kind === 'heading') return [];
  if (kind === 'code') return [{ kind, start, end, markerStart: start, header: null, ...TELLING }];
  const text = markdown.slice(start, end);
  return (kind === 'table' ? splitRows(text) : splitSentences(text)).map((part) => shiftPart(part, start));
}

/** Converts offsets within a block to offsets within the page. */
function shiftPart(part: Part, offset: number): Part {
  const { start, end, markerStart, header } = part;
  return {
    ...part,
    start: start + offset,
    end: end + offset,
    markerStart: markerStart + offset,
    header: header === null ? null : { start: header.start + offset, end: header.end + offset },
  };
}

/** Splits a table into rows. A table without a row below its header has none. */
function splitRows(text: string): Part[] {
  const [header = '', rule, ...rows] = text.split('\n');
  if (rule === undefined) return [];
  const headerEnd = header.length + 1 + rule.length;
  let start = headerEnd + 1;
  return rows.map((row) => {
    const part: Part = {
      kind: 'row',
      start,
      end: start + row.length,
      markerStart: start,
      ...TELLING,
      header: { start: 0, end: headerEnd },
    };
    start += row.length + 1;
    return part;
  });
}

function splitSentences(text: string): Part[] {
  const marker = MARKER.exec(text)?.[0].length ?? 0;
  const parts: Part[] = [];
  let last = marker;
  for (const stop of [...findEnds(text).filter((end) => end > marker), text.length]) {
    const piece = text.slice(last, stop);
    const start = last + piece.length - piece.trimStart().length;
    const end = last + piece.trimEnd().length;
    const markerStart = parts.length === 0 ? 0 : start;
    if (end > start)
      parts.push({
        kind: 'sentence',
        start,
        end,
        markerStart,
        header: null,
        ...detectNature(text.slice(start, end)),
      });
    last = stop;
  }
  return parts;
}

function detectNature(sentence: string): Nature {
  const isQuestion = /[?？][^\p{L}]{0,12}$/u.test(sentence);
  const isTitle = TITLE.test(sentence);
  return {
    isTitle,
    refersBack: REFERS_BACK.test(sentence),
    announces: isTitle || /[:：]$/.test(sentence),
    says: !isQuestion && WORD.test(sentence) && measureLinkShare(sentence) < NAVIGATION_SHARE,
    isSentence: /[\d`]|[.!。！．]["”'’*_)\]」』]{0,6}$/.test(sentence) || isUnspaced(sentence),
  };
}

/**
 * Returns the ends of sentences. A text too long for a sentence is split at its lines, or at spaces if its script does not separate
 * words by spaces.
 */
function findEnds(text: string): number[] {
  const cuts = findTextCuts(text);
  const ends: number[] = [];
  let last = 0;
  for (const { at: stop } of [...cuts.filter(({ kind }) => kind === 'sentence'), { at: text.length }]) {
    if (stop - last > SENTENCE_CHARS) ends.push(...findEndsWithin(text, cuts, { from: last, to: stop }));
    ends.push(stop);
    last = stop;
  }
  return ends;
}

function findEndsWithin(
  text: string,
  cuts: ReturnType<typeof findTextCuts>,
  { from, to }: { from: number; to: number },
): number[] {
  const lines = cuts.filter(({ kind, at: stop }) => kind === 'line' && stop > from && stop < to);
  if (lines.length > 0) return lines.map(({ at: stop }) => stop);
  const stretch = text.slice(from, to);
  if (!isUnspaced(stretch)) return [];
  const ends: number[] = [];
  let last = 0;
  for (const { index } of stretch.matchAll(/\s+/g)) {
    if (index - last < STRETCH_CHARS) continue;
    ends.push(from + index);
    last = index;
  }
  return ends;
}
