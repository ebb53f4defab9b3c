import { escapeUTF8 } from 'entities';
import type { PdfBlock } from './blocks.ts';
import { createJoiner, type JoinLines } from './join-lines.ts';
import type { Line } from './page-lines.ts';

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
      return renderTable(block.rows, join);
    case 'paragraph':
      return `<p>${join(block.lines)}</p>`;
  }
}

/** Renders a table; the first row is its head if it is bold. */
function renderTable(rows: Line[][], join: JoinLines): string {
  const head = rows[0]?.every((cell) => cell.bold) === true;
  const html = rows.map((row, at) => {
    const tag = head && at === 0 ? 'th' : 'td';
    return `<tr>${row.map((cell) => `<${tag}>${join([cell])}</${tag}>`).join('')}</tr>`;
  });
  return `<table>${html.join('\n')}</table>`;
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
  for (const { ordinal, lines } of items) {
    const x = lines[0]?.x0 ?? 0;
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
