import { escapeUTF8 } from 'entities';

/** Collects the HTML of paragraphs, lists and tables while a document is read. */
export type TextFlow = {
  /** Adds text to the open paragraph. */
  text(text: string, marks?: Marks): void;
  /** Adds inline HTML to the open paragraph. */
  inline(html: string): void;
  /** Ends the open paragraph; one without text is left out. */
  paragraph(kind: ParagraphKind): void;
  openTable(): void;
  openRow(): void;
  openCell(spans?: Spans): void;
  closeCell(): void;
  closeRow(): void;
  closeTable(): void;
  /** The finished blocks. */
  blocks(): string[];
};

/** The columns and rows that a cell spans; a mark stays in the HTML where that is known only later. */
type Spans = { columns: number; rows: number; mark?: number };

type Marks = { bold?: boolean; italic?: boolean; struck?: boolean; link?: string | null };
export type ParagraphKind =
  | { kind: 'text' }
  | { kind: 'heading'; level: number }
  | { kind: 'item'; level: number; ordered: boolean; start?: number }
  | { kind: 'code' };

const SPAN_MAX = 1_000;
const LIST_DEPTH_MAX = 8;
const TABLE_DEPTH_MAX = 20;

/** A container of blocks: the document, a table or a cell. `tags` are those of its open lists, from the outermost. */
type Container = { blocks: string[]; tags: string[]; list: string; code: string[]; rows: number };

const createContainer = (start: string[] = []): Container => ({
  blocks: start,
  tags: [],
  list: '',
  code: [],
  rows: 0,
});

export function createTextFlow(): TextFlow {
  let pieces: string[] = [];
  const closeParagraph = (kind: ParagraphKind): void => {
    const html = pieces.join('').replaceAll('</strong><strong>', '').replaceAll('</em><em>', '');
    pieces = [];
    const container = places.top();
    const isHead = container.blocks[0]?.startsWith('<th') === true;
    addParagraph(container, isHead ? html.replace(/<\/?strong>/g, '') : html, kind);
  };
  const places = createPlaces(() => closeParagraph({ kind: 'text' }));
  return {
    text: (text, marks) => {
      if (text !== '') pieces.push(applyMarks(text, marks));
    },
    inline: (html) => {
      pieces.push(html);
    },
    paragraph: closeParagraph,
    openTable: () => places.enter('<table>'),
    openRow() {
      if (places.isBeyond()) return;
      places.top().rows += 1;
      places.top().blocks.push('<tr>');
    },
    // The first row is the head of the table.
    openCell: (spans) => places.enter(`<${places.top().rows === 1 ? 'th' : 'td'}${formatSpans(spans)}>`),
    closeCell: () => places.leave(''),
    closeRow() {
      if (!places.isBeyond()) places.top().blocks.push('</tr>');
    },
    closeTable: () => places.leave('</table>'),
    blocks: places.end,
  };
}

/** Tracks the open tables and cells. Tables deeper than the bound become text of the cell around them. */
function createPlaces(endParagraph: () => void) {
  const document = createContainer();
  const stack = [document];
  let beyond = 0;
  const peekTop = (): Container => stack.at(-1) ?? document;
  const leave = (end: string): void => {
    endParagraph();
    if (beyond > 0) {
      beyond -= 1;
      return;
    }
    const closed = peekTop();
    if (closed === document) return;
    endRuns(closed);
    stack.pop();
    peekTop().blocks.push(`${closed.blocks.join('')}${end}`);
  };
  return {
    top: peekTop,
    isBeyond: () => beyond > 0,
    leave,
    enter(start: string): void {
      if (stack.length > TABLE_DEPTH_MAX) {
        beyond += 1;
        return;
      }
      endRuns(peekTop());
      stack.push(createContainer([start]));
    },
    /** Closes everything that is open; returns the blocks of the document. */
    end(): string[] {
      beyond = 0;
      while (stack.length > 1) leave('');
      endParagraph();
      endRuns(document);
      return document.blocks;
    },
  };
}

function applyMarks(
  text: string,
  { bold = false, italic = false, struck = false, link = null }: Marks = {},
): string {
  let html = escapeUTF8(text);
  if (text.trim() !== '' && bold) html = `<strong>${html}</strong>`;
  if (text.trim() !== '' && italic) html = `<em>${html}</em>`;
  if (text.trim() !== '' && struck) html = `<del>${html}</del>`;
  return link === null || link === '' ? html : `<a href="${escapeUTF8(link)}">${html}</a>`;
}

function formatSpans({ columns, rows, mark }: Spans = { columns: 1, rows: 1 }): string {
  const formatSpan = (name: string, span: number): string =>
    span > 1 ? ` ${name}="${Math.min(span, SPAN_MAX)}"` : '';
  const later = mark === undefined ? '' : ` data-cell="${mark}"`;
  return formatSpan('colspan', columns) + formatSpan('rowspan', rows) + later;
}

/** Ends the listing and the lists that the next paragraph does not continue. */
function endRuns(container: Container): void {
  if (container.code.length > 0)
    container.blocks.push(`<pre><code>${container.code.join('\n')}</code></pre>`);
  if (container.list !== '') container.blocks.push(container.list + closeTags(container.tags.splice(0)));
  container.code = [];
  container.list = '';
}

function closeTags(tags: string[]): string {
  return tags
    .reverse()
    .map((tag) => `</li></${tag}>`)
    .join('');
}

function addParagraph(container: Container, html: string, kind: ParagraphKind): void {
  if (kind.kind === 'code') {
    if (container.list !== '') endRuns(container);
    container.code.push(html.replaceAll('<br>', '\n'));
    return;
  }
  if (html.replace(/<[^<>]*>/g, '').trim() === '') return;
  if (kind.kind === 'item') {
    if (container.code.length > 0) endRuns(container);
    container.list += renderItem(container.tags, html, kind);
    return;
  }
  endRuns(container);
  container.blocks.push(
    kind.kind === 'heading' ? `<h${kind.level}>${html}</h${kind.level}>` : `<p>${html}</p>`,
  );
}

/** Renders an item, opening and closing lists down to its level. */
function renderItem(
  tags: string[],
  html: string,
  { level, ordered, start = 1 }: { level: number; ordered: boolean; start?: number },
): string {
  const depth = Math.min(Math.max(level, 0), LIST_DEPTH_MAX) + 1;
  const tag = ordered ? 'ol' : 'ul';
  let out = closeTags(tags.splice(depth));
  if (tags.length === depth && tags.at(-1) === tag) out += '</li><li>';
  else if (tags.length === depth) out += closeTags(tags.splice(depth - 1));
  while (tags.length < depth) {
    tags.push(tag);
    out += tags.length === depth && ordered && start !== 1 ? `<ol start="${start}"><li>` : `<${tag}><li>`;
  }
  return out + html;
}
