import { type MarkdownBlock, markdownBlocks } from './markdown-blocks.ts';
import { sentenceEnds } from './sentences.ts';

/**
 * The smallest part of a page that a chunk may begin or end at. `before` and `after` are what a chunk must add when it
 * begins or ends inside the piece's block: a table's header, a code block's fences.
 */
export type Piece = {
  start: number;
  end: number;
  kind: MarkdownBlock['kind'];
  headingPath: string[];
  firstOfBlock: boolean;
  lastOfBlock: boolean;
  before: string;
  after: string;
};

/** Cuts a page into pieces that fit into `charsMax` with what their block makes a chunk add. */
export function piecesOf(markdown: string, charsMax: number): Piece[] {
  return markdownBlocks(markdown)
    .filter(({ kind }) => kind !== 'rule')
    .flatMap((block) => blockPieces(markdown, block, charsMax));
}

function blockPieces(markdown: string, block: MarkdownBlock, charsMax: number): Piece[] {
  const { before, after } = frameOf(markdown, block, charsMax);
  const room = charsMax - before.length - after.length;
  const ends = endsOf(markdown, block, room);
  return ends.map((end, index) => ({
    start: index === 0 ? block.start : skipSpace(markdown, ends[index - 1] ?? block.start, block.kind),
    end,
    kind: block.kind,
    headingPath: block.headingPath,
    firstOfBlock: index === 0,
    lastOfBlock: index === ends.length - 1,
    before,
    after,
  }));
}

/** What a chunk that cuts this block must repeat. A header longer than half a chunk is not repeated. */
function frameOf(
  markdown: string,
  block: MarkdownBlock,
  charsMax: number,
): { before: string; after: string } {
  const none = { before: '', after: '' };
  const text = markdown.slice(block.start, block.end);
  if (block.kind === 'code') {
    const opening = text.slice(0, text.indexOf('\n') === -1 ? text.length : text.indexOf('\n'));
    const marks = /^\s*(`+|~+)/.exec(opening)?.[1] ?? '```';
    return opening.length > charsMax / 2 ? none : { before: `${opening}\n`, after: `\n${marks}` };
  }
  if (block.kind === 'table') {
    const lines = text.split('\n', 2);
    const header = `${lines.join('\n')}\n`;
    return lines.length === 2 && header.length <= charsMax / 2 ? { before: header, after: '' } : none;
  }
  return none;
}

/** Where the block may be cut: sentence ends in prose, line ends in code, tables and lists; its own end is the last. */
function endsOf(markdown: string, block: MarkdownBlock, room: number): number[] {
  const { start, end, kind } = block;
  const text = markdown.slice(start, end);
  const natural = kind === 'paragraph' ? sentenceEnds(text) : lineEnds(text, kind);
  const ends: number[] = [];
  let last = 0;
  for (const stop of [...natural, text.length]) {
    while (stop - last > room) {
      last = forcedEnd(text, last, room);
      ends.push(start + last);
    }
    if (stop > last) {
      last = stop;
      ends.push(start + stop);
    }
  }
  return ends.length > 0 ? ends : [end];
}

function lineEnds(text: string, kind: MarkdownBlock['kind']): number[] {
  const ends: number[] = [];
  let from = 0;
  if (kind === 'code') from = text.indexOf('\n') + 1;
  // The header and its rule stay with the first row.
  if (kind === 'table') from = text.indexOf('\n', text.indexOf('\n') + 1) + 1;
  for (let at = text.indexOf('\n', from); at !== -1; at = text.indexOf('\n', at + 1)) ends.push(at);
  // The closing fence stays with the last line of the code.
  if (kind === 'code') ends.pop();
  return ends;
}

/** A sentence or line longer than the room is cut at a space, or where there is none between two characters. */
function forcedEnd(text: string, from: number, room: number): number {
  const space = text.lastIndexOf(' ', from + room);
  if (space > from + room / 2) return space;
  const hard = from + room;
  const code = text.charCodeAt(hard - 1);
  return code >= 0xd800 && code <= 0xdbff ? hard - 1 : hard;
}

function skipSpace(text: string, at: number, kind: MarkdownBlock['kind']): number {
  let start = at;
  // In code and lists the indentation of the next line carries meaning: only the line break is passed over.
  const blank = kind === 'paragraph' ? /\s/ : /\n/;
  while (start < text.length && blank.test(text[start] ?? '')) start += 1;
  return start;
}
