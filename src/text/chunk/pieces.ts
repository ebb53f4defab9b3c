import { type Heading, type MarkdownBlock, parseMarkdownBlocks } from '../markup/markdown-blocks.ts';
import { isDelimiterRow } from '../markup/scan-lines.ts';
import { findTextCuts, isInSpan, type TextCut } from './sentences.ts';

/** Costs of cuts; only their order matters, see `chunk-markdown.ts`. */
const COST: Record<TextCut['kind'] | 'space' | 'inside', number> = {
  sentence: 12,
  line: 40,
  clause: 400,
  space: 700,
  inside: 900,
};

/** Shorter sentences are cut only where necessary. */
const LONG_SENTENCE_CHARS = 200;

/** A longer stretch without any mark may be cut in steps, so that chunks of a good size can be made. */
const UNBROKEN_CHARS = 300;

const ROOM_CHARS_MIN = 24;

const STEP_CHARS = 120;

/** Distance from the bound within which a word boundary is searched for in scripts without spaces. */
const WORDS_CHARS = 60;

/** Marks of a code fence, see `markdown-blocks.ts`. */
const FENCE_CHARS_MIN = 3;

const FENCE_CHARS_MAX = 20;

/** After such a cut a chunk would begin with what reads as a code fence. */
const OPENS_FENCE = /^\s*(?:`{3}|~{3})/;

const LEFT_OF_RUN = /^(?:`+|~+)/;

const segmenter = new Intl.Segmenter('und', { granularity: 'word' });

/** The smallest part of a page that a chunk may begin or end at. */
export type Piece = {
  /** Offsets of its text; between two pieces there are only spaces, empty quote lines and rules. */
  start: number;
  end: number;
  isHeading: boolean;
  headings: readonly Heading[];
  /** True when it continues a list item that began before it. */
  continuesItem: boolean;
  /** True when it begins a section, or an entry of a definition list: an item whose first words are marked as its term. */
  beginsUnit: boolean;
  /** Characters of link targets, which no reader sees. */
  unseen: number;
  /** Text that a chunk must add if it begins or ends with the piece: a table's header, a fence, quote marks. */
  before: string;
  after: string;
  /** Cost of a border after it. */
  cost: number;
};

/** Costs of a border; only their order matters. See `SHORT_COST` in `chunk-markdown.ts`. */
const BORDER = {
  beforeHeading: -10,
  afterLead: 30,
  afterLabel: 40,
  betweenBlocks: 4,
  betweenItems: 6,
  perItemIndent: 2,
  insideItem: 24,
  row: 20,
  blankCodeLine: 10,
  codeLine: 30,
  behindColon: 60,
  afterHeading: 5_000,
};
/** A line below a heading that is no longer than this belongs to what follows: `Default: 10 seconds`. */
const LABEL_CHARS_MAX = 80;
/** Matches an entry of a definition list as our Markdown writes it: an item that begins with its term. */
export const ENTRY = /^[ \t]*(?:[-*+]|\d{1,9}[.)])[ \t]+(?:\*\*|`)/;
/** Maximum characters of headings that count against the room of the chunk they begin. */
const HEADINGS_CHARS_MAX = 200;

/** Splits a page into pieces that fit into `charsMax` together with the text that their block makes a chunk add. */
export function splitPieces(markdown: string, charsMax: number): Piece[] {
  const blocks = parseMarkdownBlocks(markdown);
  const pieces: Piece[] = [];
  let headingChars = 0;
  for (let at = 0; at < blocks.length; ) {
    const group = findGroup(blocks, at);
    at += group.length;
    const [first] = group;
    const last = group.at(-1);
    if (first === undefined || last === undefined) break;
    const next = blocks[at];
    const room = charsMax - Math.min(headingChars, HEADINGS_CHARS_MAX);
    if (mustStayWhole(group, charsMax)) pieces.push(buildWholePiece(markdown, first, last));
    else {
      // Pushes one by one: code of 100,000 lines has more pieces than a call may have arguments.
      for (const block of group)
        for (const piece of splitBlock(markdown, block, { room, charsMax })) {
          piece.continuesItem = block.item > 0 && piece.start > first.start;
          pieces.push(piece);
        }
    }
    const piece = pieces.at(-1);
    if (piece !== undefined)
      piece.cost = computeBorderCost(markdown, { above: blocks[at - 2], block: last, next });
    headingChars = first.kind === 'heading' ? headingChars + last.end - first.start + 2 : 0;
  }
  return pieces;
}

/** Returns a list item with what is indented below it, or else one block. */
function findGroup(blocks: MarkdownBlock[], from: number): MarkdownBlock[] {
  const item = blocks[from]?.item ?? 0;
  let to = from + 1;
  while (item > 0 && blocks[to]?.item === item) to += 1;
  return blocks.slice(from, to);
}

/** True when the group must not be cut: a heading, or a list item or code block that fits into a chunk. */
function mustStayWhole(group: MarkdownBlock[], charsMax: number): boolean {
  const [first] = group;
  const last = group.at(-1);
  if (first === undefined || last === undefined || last.end - first.start > charsMax) return false;
  if (group.some(({ fence }) => fence?.isClosed === false)) return false;
  return first.item > 0 || first.kind === 'code' || first.kind === 'heading';
}

function buildWholePiece(markdown: string, first: MarkdownBlock, last: MarkdownBlock): Piece {
  const text = markdown.slice(first.start, last.end);
  return {
    ...createPiece(first),
    end: last.end,
    beginsUnit: first.kind === 'heading' || isEntry(text, first),
    unseen: text.includes('](') ? countTargetChars(text) : 0,
  };
}

function createPiece({ kind, start, end, headings }: MarkdownBlock): Piece {
  return {
    start,
    end,
    isHeading: kind === 'heading',
    headings,
    continuesItem: false,
    beginsUnit: false,
    unseen: 0,
    before: '',
    after: '',
    cost: 0,
  };
}

const isEntry = (text: string, { item, itemIndent }: MarkdownBlock): boolean =>
  item > 0 && itemIndent === 0 && ENTRY.test(text);

function splitBlock(
  markdown: string,
  block: MarkdownBlock,
  { room, charsMax }: { room: number; charsMax: number },
): Piece[] {
  const text = markdown.slice(block.start, block.end);
  if (block.kind === 'code') return splitCode(text, block, charsMax);
  if (block.kind === 'table') return splitTable(text, block, charsMax);
  const cuts = splitText(text, room - block.quote.length).map(({ at, cost }) => ({
    at,
    cost: block.item > 0 ? cost + BORDER.insideItem : cost,
  }));
  const pieces = buildPieces(text, block, cuts);
  for (const piece of pieces) {
    if (piece.start > block.start && markdown[piece.start - 1] !== '\n') piece.before = block.quote;
    piece.isHeading = block.kind === 'heading';
  }
  return pieces;
}

/** Cuts code at line ends; the opening fence stays with the first line of code and the closing one with the last. */
function splitCode(text: string, block: MarkdownBlock, charsMax: number): Piece[] {
  const { fence } = block;
  const before = fence === null ? '' : `${fence.opening}\n`;
  const after = fence === null ? '' : `\n${fence.closing}`;
  const from = fence === null ? 0 : text.indexOf('\n') + 1;
  const room = charsMax - before.length - after.length - block.quote.length;
  const closing = fence?.isClosed === true ? text.lastIndexOf('\n') : text.length;
  const cuts = findLineCuts(text, {
    from,
    to: closing,
    firstRoom: room,
    room,
    mark: ' ',
    cost: (at) => (text[at + 1] === '\n' ? BORDER.blankCodeLine : BORDER.codeLine),
  });
  const pieces = buildPieces(text, block, cuts, '\n');
  for (const [place, piece] of pieces.entries()) {
    const isInLine = piece.start > block.start && text[piece.start - block.start - 1] !== '\n';
    if (place > 0) piece.before = isInLine ? `${before}${block.quote}` : before;
    if (place < pieces.length - 1 || fence?.isClosed === false) piece.after = after;
  }
  return pieces;
}

/** Cuts a table at row ends; every chunk that begins inside it repeats the header, as long as that leaves room for rows. */
function splitTable(text: string, block: MarkdownBlock, charsMax: number): Piece[] {
  const firstEnd = text.indexOf('\n');
  const ruleEnd = resolveEnd(text, text.indexOf('\n', firstEnd + 1));
  const hasHeader =
    firstEnd !== -1 && isDelimiterRow(text.slice(firstEnd + 1, ruleEnd).replace(/^[\s>]+/, ''));
  const header = hasHeader ? `${text.slice(0, ruleEnd)}\n` : '';
  const rowMax = hasHeader ? measureLongestLine(text, ruleEnd + 1) : 0;
  const isRepeated = header.length <= charsMax / 2 || header.length + rowMax <= charsMax;
  const before = isRepeated ? header : '';
  const cuts = findLineCuts(text, {
    from: hasHeader ? ruleEnd + 1 : 0,
    to: text.length,
    firstRoom: charsMax,
    room: charsMax - before.length,
    cost: () => BORDER.row,
    mark: '|',
  });
  const pieces = buildPieces(text, block, cuts, '\n');
  for (const piece of pieces.slice(1)) {
    if (text[piece.start - block.start - 1] === '\n') piece.before = before;
  }
  return pieces;
}

type LineCutOptions = {
  /** Text before this offset is cut only if it does not fit. */
  from: number;
  to: number;
  /** Room of the first piece, which repeats nothing; `room` is that of the others. */
  firstRoom: number;
  room: number;
  cost: (at: number) => number;
  /** The mark at which a line that does not fit is best cut. */
  mark: string;
};

/** Returns cuts at the line ends between `from` and `to`. Text before `from` stays with the first line if both fit. */
function findLineCuts(text: string, { from, to, firstRoom, room, cost, mark }: LineCutOptions): CutPoint[] {
  const cuts: CutPoint[] = [];
  let last = 0;
  for (
    let at = resolveEnd(text, text.indexOf('\n', from));
    ;
    at = resolveEnd(text, text.indexOf('\n', at + 1))
  ) {
    const end = Math.min(at, to);
    if (mark === '|' && last < from && end - last > firstRoom && from < end) {
      const header = findForcedCuts(text, { from: last, to: from - 1, room: firstRoom, mark });
      cuts.push(...header, { at: from - 1, cost: BORDER.row });
      last = from;
    }
    const allowed = last === 0 ? firstRoom : room;
    if (end - last > allowed)
      cuts.push(...findForcedCuts(text, { from: last, to: end, room: allowed, mark }));
    if (end >= to) break;
    cuts.push({ at: end, cost: cost(end) });
    last = end + 1;
  }
  return cuts;
}

function resolveEnd(text: string, found: number): number {
  return found === -1 ? text.length : found;
}

function measureLongestLine(text: string, from: number): number {
  let longest = 0;
  for (let start = from; start < text.length; ) {
    const end = resolveEnd(text, text.indexOf('\n', start));
    longest = Math.max(longest, end - start);
    start = end + 1;
  }
  return longest;
}

/** Builds the pieces between the cuts, without the white space around them (only the line break where indentation counts). */
function buildPieces(text: string, block: MarkdownBlock, cuts: CutPoint[], gap: ' ' | '\n' = ' '): Piece[] {
  const pieces: Piece[] = [];
  const hasLinks = text.includes('](');
  let start = 0;
  for (const { at, cost } of [...cuts, { at: text.length, cost: 0 }]) {
    while (start < at && (text[start] === '\n' || (gap === ' ' && pieces.length > 0 && text[start] === ' ')))
      start += 1;
    if (start >= at) continue;
    pieces.push({
      ...createPiece(block),
      start: block.start + start,
      end: block.start + at,
      beginsUnit: pieces.length === 0 && (block.kind === 'heading' || isEntry(text, block)),
      unseen: hasLinks ? countTargetChars(text.slice(start, at)) : 0,
      cost,
    });
    start = at;
  }
  return pieces;
}

/** Counts the characters of the link targets in a text. */
function countTargetChars(text: string): number {
  let sum = 0;
  for (let at = text.indexOf(']('); at !== -1; ) {
    const end = text.indexOf(')', at);
    if (end === -1) break;
    sum += end - at;
    at = text.indexOf('](', end);
  }
  return sum;
}

/** Computes the cost of a border after the last block of a group. */
function computeBorderCost(
  markdown: string,
  {
    above,
    block,
    next,
  }: { above: MarkdownBlock | undefined; block: MarkdownBlock; next: MarkdownBlock | undefined },
): number {
  if (next === undefined) return 0;
  if (block.kind === 'heading') return BORDER.afterHeading;
  if (next.kind === 'heading') return BORDER.beforeHeading;
  const isOtherItem = next.item > 0 && next.item !== block.item;
  if (isOtherItem && block.item > 0) {
    const isDeeper = next.itemIndent > block.itemIndent;
    return BORDER.betweenItems + BORDER.perItemIndent * next.itemIndent + (isDeeper ? BORDER.insideItem : 0);
  }
  if (markdown[block.end - 1] === ':') return BORDER.behindColon;
  if (next.item > 0 && next.item === block.item) return BORDER.insideItem;
  if (block.kind === 'text' && next.kind === 'code') return BORDER.afterLead;
  const isLabel = above?.kind === 'heading' && block.end - block.start <= LABEL_CHARS_MAX;
  return isLabel ? BORDER.afterLabel : BORDER.betweenBlocks;
}

/** An end of a piece of text and the cost of a border there. */
type CutPoint = { at: number; cost: number };

/** Returns cuts that leave no piece longer than `room`: at sentences, lines, clauses of long sentences, at worst words. */
function splitText(text: string, room: number): CutPoint[] {
  const cuts: CutPoint[] = [];
  let clauses: TextCut[] = [];
  let last = 0;
  const push = (at: number, cost: number): void => {
    if (at <= last || opensFence(text, at)) return;
    for (const forced of findForcedCuts(text, { from: last, to: at, room })) cuts.push(forced);
    cuts.push({ at, cost });
    last = at;
  };
  for (const cut of [...findTextCuts(text), { at: text.length, kind: 'sentence' as const }]) {
    if (cut.kind === 'clause') {
      clauses.push(cut);
      continue;
    }
    if (cut.at - last > LONG_SENTENCE_CHARS) for (const { at } of clauses) push(at, COST.clause);
    clauses = [];
    push(cut.at, COST[cut.kind]);
  }
  cuts.pop();
  return cuts;
}

/** Returns cuts within a stretch without natural ones, as needed to fit, preferably at a nearby `mark`. */
function findForcedCuts(
  text: string,
  { from, to, room, mark = ' ' }: { from: number; to: number; room: number; mark?: string },
): CutPoint[] {
  const cuts: CutPoint[] = [];
  // Fences and headers may take all the room; each cut must still be after the previous one.
  const left = Math.max(ROOM_CHARS_MIN, room);
  let last = from;
  while (to - last > Math.min(left, UNBROKEN_CHARS)) {
    const cut = mark === ' ' ? findStepCut(text, last) : null;
    if (cut === null && to - last <= left) break;
    cuts.push(cut ?? findForcedCut(text, { from: last, room: left, mark }));
    last = cuts.at(-1)?.at ?? to;
  }
  return cuts;
}

function findStepCut(text: string, from: number): CutPoint | null {
  const step = findLastSpace(text, from, STEP_CHARS);
  return step > 0 && !isInSpan(text, from + step) ? { at: from + step, cost: COST.space } : null;
}

function findForcedCut(
  text: string,
  { from, room, mark }: { from: number; room: number; mark: string },
): CutPoint {
  const near = text.slice(from, from + room);
  const border = near.lastIndexOf(mark);
  if (mark !== ' ' && border > 0) return { at: from + border, cost: COST.space };
  const space = findLastSpace(text, from, room);
  if (space <= 0)
    return { at: moveBeforeFence(text, from, findInsideCut(text, from, from + room)), cost: COST.inside };
  const link = isInSpan(text, from + space) ? Math.max(near.lastIndexOf('['), near.lastIndexOf('`')) : -1;
  return { at: from + (link > room / 2 ? link : space), cost: COST.space };
}

/** Finds the last space or line break of a stretch behind which no code fence would begin; relative to `from`, -1 for none. */
function findLastSpace(text: string, from: number, length: number): number {
  for (let at = Math.min(from + length, text.length) - 1; at >= from; at -= 1)
    if ((text[at] === ' ' || text[at] === '\n') && !opensFence(text, at)) return at - from;
  return -1;
}

const opensFence = (text: string, at: number): boolean =>
  OPENS_FENCE.test(text.slice(at, at + FENCE_CHARS_MAX));

/** Moves a cut inside a long run of backticks or tildes so that the rest does not read as a code fence. */
function moveBeforeFence(text: string, from: number, at: number): number {
  const left = LEFT_OF_RUN.exec(text.slice(at, at + FENCE_CHARS_MAX + 1))?.[0].length ?? 0;
  const earlier = at - (FENCE_CHARS_MAX + 1 - left);
  return left >= FENCE_CHARS_MIN && left <= FENCE_CHARS_MAX && earlier > from ? earlier : at;
}

/** Returns a cut between two words of a script without spaces, after a mark of an address, or at worst between two characters. */
function findInsideCut(text: string, from: number, bound: number): number {
  const start = Math.max(from + 1, bound - WORDS_CHARS);
  const near = text.slice(start, bound + WORDS_CHARS);
  let best = start;
  for (const { index } of segmenter.segment(near)) {
    if (start + index > bound) break;
    best = start + index;
  }
  if (best > start) return best;
  const last = text.charCodeAt(bound - 1);
  return last >= 0xd800 && last <= 0xdbff ? bound - 1 : bound;
}
