/** The kind of a line of Markdown: code is never changed, HTML is rewritten as a block. */
export type LineKind = 'blank' | 'text' | 'code' | 'html';

/** Elements that begin a block of HTML, which ends at a blank line (https://spec.commonmark.org/0.31.2/#html-blocks, kind 6). */
const BLOCK_TAG =
  /^<\/?(?:address|article|aside|blockquote|body|center|details|dialog|dd|dir|div|dl|dt|fieldset|figcaption|figure|footer|form|h[1-6]|head|header|hr|html|iframe|legend|li|link|main|menu|nav|noframes|ol|p|param|picture|search|section|summary|table|tbody|td|tfoot|th|thead|tr|track|ul|video)(?=[\s/>]|$)/i;
/** One tag alone on its line begins a block too (kind 7). */
const LONE_TAG =
  /^<\/?(?:a|b|big|br|em|font|i|img|kbd|small|span|strong|sub|sup|u)(?:\s[^<>]{0,4000})?\/?>\s{0,99}$/i;
/** Elements whose text is taken literally, to the end of the element (kind 1). */
const RAW_TAG = /^<(script|pre|style|textarea)(?=[\s>]|$)/i;
const FENCE = /^(`{3,}|~{3,})(.*)$/s;
const ITEM = /^(?:[-+*]|\d{1,9}[.)])(?:[ \t]{1,4}(?=\S)|[ \t]|$)/;
const QUOTE = /^(?: {0,3}>[ \t]?)+/;

/** The state of the scan between two lines. */
type ScanState = {
  /** The open fence. */
  fence: string | null;
  /** The text that ends the open block of HTML: an end tag, a comment's end, or '' for a blank line. */
  html: string | null;
  /** The columns at which the text of the open list items begins. */
  items: number[];
  last: LineKind;
  /** The number of open tables, which continue over blank lines as long as only HTML follows. */
  tables: number;
};

/** Classifies every line. */
export function classifyLines(lines: readonly string[]): LineKind[] {
  const state: ScanState = { fence: null, html: null, items: [], last: 'blank', tables: 0 };
  return lines.map((line, at) => {
    state.last = classifyLine(line, state, lines[at + 1] ?? '');
    return state.last;
  });
}

function classifyLine(written: string, state: ScanState, next: string): LineKind {
  const quote = QUOTE.exec(written)?.[0] ?? '';
  const line = written.slice(quote.length);
  const text = line.trimStart();
  if (state.fence !== null) return scanFence(text, state);
  if (state.html !== null) return scanHtml(line, state, next);
  if (text === '') return 'blank';
  const indent = measureIndent(line);
  closeItems(state, indent);
  const inside = indent - (state.items.at(-1) ?? 0);
  if (inside >= 4 && state.last !== 'text') return 'code';
  const fence = FENCE.exec(text);
  if (fence?.[1] !== undefined && !(fence[1].startsWith('`') && fence[2]?.includes('`'))) {
    state.fence = fence[1];
    return 'code';
  }
  const item = ITEM.exec(text)?.[0];
  if (item !== undefined) return scanItem(text.slice(item.length), { state, column: indent + item.length });
  return quote === '' && state.items.length === 0 ? scanBlockStart(text, state) : 'text';
}

/** Opens a list item, whose text may itself begin a fence. */
function scanItem(text: string, { state, column }: { state: ScanState; column: number }): LineKind {
  state.items.push(column);
  const fence = FENCE.exec(text);
  if (fence?.[1] !== undefined && !fence[2]?.includes('`')) state.fence = fence[1];
  return 'text';
}

function scanFence(text: string, state: ScanState): LineKind {
  const closing = FENCE.exec(text);
  if (closing?.[1]?.startsWith(state.fence ?? '') && closing[2]?.trim() === '') state.fence = null;
  return 'code';
}

/** Begins a block of HTML, or classifies the line as text. */
function scanBlockStart(text: string, state: ScanState): LineKind {
  const raw = RAW_TAG.exec(text)?.[1];
  const end = raw !== undefined ? `</${raw.toLowerCase()}>` : text.startsWith('<!--') ? '-->' : '';
  if (end !== '') {
    state.html = text.toLowerCase().includes(end, 4) ? null : end;
    return 'html';
  }
  if (!BLOCK_TAG.test(text) && (state.last === 'text' || !LONE_TAG.test(text))) return 'text';
  state.html = '';
  state.tables = countOpenTables(text);
  return 'html';
}

function scanHtml(line: string, state: ScanState, next: string): LineKind {
  if (state.html !== '') {
    if (line.toLowerCase().includes(state.html ?? '')) state.html = null;
    return 'html';
  }
  state.tables += countOpenTables(line);
  if (line.trim() !== '') return 'html';
  if (state.tables > 0 && /^\s{0,99}</.test(next)) return 'html';
  state.html = null;
  state.tables = 0;
  return 'blank';
}

const countOpenTables = (line: string): number =>
  (line.match(/<table\b/gi)?.length ?? 0) - (line.match(/<\/table\b/gi)?.length ?? 0);

/** Closes each list item whose text begins further right than the line, unless the line continues a paragraph. */
function closeItems(state: ScanState, indent: number): void {
  if (state.last === 'text' && state.items.length > 0 && indent === 0) return;
  while (state.items.length > 0 && indent < (state.items.at(-1) ?? 0)) state.items.pop();
}

function measureIndent(line: string): number {
  let column = 0;
  for (const char of line) {
    if (char === ' ') column += 1;
    else if (char === '\t') column += 4 - (column % 4);
    else break;
  }
  return column;
}
