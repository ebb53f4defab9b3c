import { escapeUTF8 } from 'entities';
import type { PdfBlock } from './blocks.ts';
import type { Line, PdfTable } from './page-lines.ts';

/** Items whose texts begin within this many points are on one level. */
const LEVEL_POINTS = 4;
/** Width of a monospaced character, and the gap between base lines that counts as an empty line, in multiples of the font size. */
const MONO_WIDTH = 0.6;
const EMPTY_LINE = 1.9;

/** Renders the blocks of a document as HTML, for the writer of Markdown. */
export function renderBlocks(blocks: PdfBlock[], url: string): string[] {
  const linkTo = (page: number): string => `${url}#page=${page}`;
  const join = createJoiner(blocks, linkTo);
  const parts: string[] = [];
  for (let at = 0; at < blocks.length; at += 1) {
    const block = blocks[at];
    if (block === undefined) break;
    if (block.kind !== 'item') {
      parts.push(renderBlock(block, { join, linkTo }));
      continue;
    }
    const items = [block];
    for (let next = blocks[at + 1]; next?.kind === 'item'; next = blocks[at + 1]) {
      items.push(next);
      at += 1;
    }
    parts.push(renderList(items, join));
  }
  return parts;
}

function renderBlock(
  block: Exclude<PdfBlock, { kind: 'item' }>,
  { join, linkTo }: { join: JoinLines; linkTo(page: number): string },
): string {
  switch (block.kind) {
    case 'page':
      return `<p><a href="${escapeUTF8(linkTo(block.page))}">Page ${block.page}</a></p>`;
    case 'heading':
      return `<h${block.level}>${join(block.lines)}</h${block.level}>`;
    case 'code':
      return `<pre><code>${escapeUTF8(formatListing(block.lines))}</code></pre>`;
    case 'table':
      return renderTable(block.table, join);
    case 'paragraph':
      return `<p>${join(block.lines)}</p>`;
  }
}

/**
 * Renders a table. Its first row is its head, as almost every document writes it: GFM has no table without one. The rows of a head of
 * several rows stay apart, so that each cell keeps its row.
 */
function renderTable({ rows, cells }: PdfTable, join: JoinLines): string {
  const html = Array.from({ length: rows }, (): string[] => []);
  const sorted = [...cells].sort((a, b) => a.column - b.column);
  const next = new Uint16Array(rows);
  for (const { row, column, lastRow, lastColumn, lines } of sorted) {
    const line = html[row];
    if (line === undefined) continue;
    const tag = row === 0 ? 'th' : 'td';
    for (let blank = next[row] ?? 0; blank < column; blank += 1) line.push(`<${tag}></${tag}>`);
    const wide = lastColumn > column ? ` colspan="${lastColumn - column + 1}"` : '';
    const deep = lastRow > row ? ` rowspan="${lastRow - row + 1}"` : '';
    line.push(`<${tag}${wide}${deep}>${join(lines)}</${tag}>`);
    for (let own = row; own <= lastRow; own += 1) next[own] = lastColumn + 1;
  }
  return `<table>${html.map((line) => `<tr>${line.join('')}</tr>`).join('\n')}</table>`;
}

type Item = Extract<PdfBlock, { kind: 'item' }>;
type OpenList = { x: number; tag: 'ol' | 'ul'; number: number };

/** Renders items as nested lists, by their indents. */
function renderList(items: Item[], join: JoinLines): string {
  const open: OpenList[] = [];
  let html = '';
  const closeTo = (depth: number): void => {
    while (open.length > depth) html += `</li></${open.pop()?.tag}>`;
  };
  for (const { ordinal, x, lines } of items) {
    const number = ordinal !== null && /^\d+$/.test(ordinal) ? Number(ordinal) : null;
    const tag = number === null ? 'ul' : 'ol';
    while (open.length > 0 && x < (open.at(-1)?.x ?? 0) - LEVEL_POINTS) closeTo(open.length - 1);
    const list = open.at(-1);
    const isDeeper = list === undefined || x > list.x + LEVEL_POINTS;
    if (!isDeeper && list.tag === tag && (number === null || number === list.number + 1)) {
      html += '</li><li>';
      list.number += 1;
    } else {
      if (!isDeeper) closeTo(open.length - 1);
      html += number === null ? '<ul><li>' : `<ol start="${number}"><li>`;
      open.push({ x, tag, number: number ?? 0 });
    }
    html += ordinal !== null && number === null ? `(${ordinal}) ${join(lines)}` : join(lines);
  }
  closeTo(0);
  return html;
}

/** Writes the lines of a listing with their indents, and an empty line for each wide gap. */
function formatListing(lines: Line[]): string {
  const left = lines.reduce((least, line) => Math.min(least, line.x0), lines[0]?.x0 ?? 0);
  let text = '';
  for (const [at, line] of lines.entries()) {
    const before = lines[at - 1];
    const gap = before === undefined ? 0 : before.y - line.y;
    const isSameLine = before !== undefined && Math.abs(gap) < 0.3 * line.size && line.x0 > before.x1;
    if (before !== undefined) text += isSameLine ? '  ' : gap > EMPTY_LINE * line.size ? '\n\n' : '\n';
    const indent = isSameLine ? 0 : Math.max(0, Math.round((line.x0 - left) / (line.size * MONO_WIDTH)));
    text += ' '.repeat(indent) + line.text;
  }
  return text.replaceAll('\u00ad', '-');
}

/** Joins the lines of one paragraph to inline HTML. */
type JoinLines = (lines: Line[]) => string;
type Piece = { text: string; link: string | number | null; mono: boolean };

const WITHOUT_SPACES = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\u3000-\u303f\uff00-\uffef]$/u;
const FIRST_WORD = /^[\p{L}\p{M}]+/u;

/** Joins lines as their text was before it was broken: a hyphen stays where the document writes the word with one elsewhere. */
function createJoiner(blocks: PdfBlock[], linkTo: (page: number) => string): JoinLines {
  let words: Set<string> | null = null;
  const decideJoint = (before: string, after: string): { cut: boolean; space: string } => {
    const [head, tail] = [findBrokenWord(before), FIRST_WORD.exec(after)?.[0]];
    if (head !== undefined && tail !== undefined) {
      words ??= collectWords(blocks);
      return { cut: isBroken(head, tail, words), space: '' };
    }
    if (/[-\u00ad]$/.test(before)) return { cut: false, space: /\s-$/.test(before) ? ' ' : '' };
    return { cut: false, space: /\s$/.test(before) || WITHOUT_SPACES.test(before) ? '' : ' ' };
  };
  return (lines) => {
    const pieces: Piece[] = [];
    for (const line of lines) {
      const last = pieces.at(-1);
      if (last !== undefined) {
        const { cut, space } = decideJoint(last.text, line.text);
        last.text = (cut ? last.text.slice(0, -1) : last.text) + space;
      }
      addRuns(pieces, line);
    }
    return pieces
      .map((piece) => renderPiece(piece, linkTo))
      .join('')
      .replaceAll('\u00ad', '-')
      .trim();
  };
}

/** Returns the letters before a hyphen that ends a text. */
function findBrokenWord(text: string): string | undefined {
  if (!/[-\u00ad]$/.test(text)) return undefined;
  const word = text.slice(text.lastIndexOf(' ') + 1, -1).replace(/^[^\p{L}]+/u, '');
  return /^[\p{L}\p{M}-]+$/u.test(word) && !word.endsWith('-') ? word : undefined;
}

/** Checks whether a hyphen at the end of a line was inserted by the line break. */
function isBroken(head: string, tail: string, words: Set<string>): boolean {
  const whole = (head.split('-').at(-1) + tail).toLowerCase();
  if (words.has(`${head}-${tail}`.toLowerCase())) return false;
  return words.has(whole) || (/^\p{Ll}/u.test(tail) && !head.includes('-'));
}

function addRuns(pieces: Piece[], line: Line): void {
  for (const { text, link, font } of line.runs) {
    const mono = font.mono;
    const last = pieces.at(-1);
    if (last !== undefined && last.link === link && last.mono === mono) last.text += text;
    else pieces.push({ text, link, mono });
  }
}

function renderPiece({ text, link, mono }: Piece, linkTo: (page: number) => string): string {
  const inner =
    mono && text.trim() !== ''
      ? `<code>${escapeUTF8(text.trim())}</code>${/\s$/.test(text) ? ' ' : ''}`
      : escapeUTF8(text);
  if (link === null) return inner;
  return `<a href="${escapeUTF8(typeof link === 'number' ? linkTo(link) : link)}">${inner}</a>`;
}

/** Collects the words of a document that are written within one line. */
function collectWords(blocks: PdfBlock[]): Set<string> {
  const words = new Set<string>();
  for (const block of blocks) {
    if (block.kind === 'page' || block.kind === 'code') continue;
    for (const line of block.kind === 'table' ? block.table.cells.flatMap(({ lines }) => lines) : block.lines)
      for (const [word] of line.text.matchAll(/\p{L}[\p{L}\p{M}-]*/gu))
        if (!word.endsWith('-')) words.add(word.toLowerCase());
  }
  return words;
}
