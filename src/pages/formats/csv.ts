import type { Article } from '../article.ts';
import { escapeMarkdown } from '../extract/markdown/inline/finish-inline.ts';
import { buildPlainArticle } from './plain-article.ts';

/** Maximum number of cells that are written; a longer table ends with a line that says so. */
const CELLS_MAX = 300_000;
const SEPARATORS = [',', '\t', ';', '|'];

/** Reads comma or tab separated values (RFC 4180) as a table; the separator is the one that the first lines agree on. */
export function readCsv(text: string, url: string): Article {
  const body = text.replace(/^\uFEFF/, '').trimEnd();
  const { rows, isCut } = parseRows(body, detectSeparator(body.slice(0, 4_096)));
  const rest = isCut ? '\n\nThe table goes on beyond the cells that are read.' : '';
  return buildPlainArticle(url, {
    kind: 'document',
    title: '',
    markdown: rows.length === 0 ? '' : formatMarkdownTable(rows) + rest,
    rawChars: text.length,
  });
}

/** Returns the separator that occurs most often in the first lines, and equally often in each. */
function detectSeparator(start: string): string {
  const lines = start
    .split(/\r\n?|\n/)
    .slice(0, 10)
    .filter((line) => line !== '');
  const score = (separator: string): number => {
    const counts = lines.map((line) => line.replace(/"[^"]*"/g, '').split(separator).length - 1);
    const usual = counts[0] ?? 0;
    return usual * counts.filter((count) => count === usual).length;
  };
  return SEPARATORS.reduce((best, separator) => (score(separator) > score(best) ? separator : best));
}

function parseRows(text: string, separator: string): { rows: string[][]; isCut: boolean } {
  const rows: string[][] = [];
  let row: string[] = [];
  let cells = 0;
  let columns = 0;
  let at = 0;
  while (at < text.length) {
    // Short rows are padded to the widest, so the bound counts padded cells too.
    if (Math.max(cells, columns * rows.length) >= CELLS_MAX) return { rows, isCut: true };
    const { value, end } = text[at] === '"' ? parseQuotedCell(text, at) : parsePlainCell(text, at, separator);
    row.push(value);
    cells += 1;
    at = end;
    if (text[at] === separator) {
      at += 1;
      if (at === text.length) row.push('');
      continue;
    }
    // Text between a closing quote and the separator is dropped.
    while (at < text.length && !/[\r\n]/.test(text[at] ?? '')) at += 1;
    at += text.startsWith('\r\n', at) ? 2 : 1;
    if (row.length > 1 || row[0] !== '') rows.push(row);
    columns = Math.max(columns, row.length);
    row = [];
  }
  if (row.length > 0) rows.push(row);
  return { rows, isCut: false };
}

function parseQuotedCell(text: string, at: number): { value: string; end: number } {
  let value = '';
  let from = at + 1;
  for (;;) {
    const quote = text.indexOf('"', from);
    if (quote === -1) return { value: value + text.slice(from), end: text.length };
    value += text.slice(from, quote);
    if (text[quote + 1] !== '"') return { value, end: quote + 1 };
    value += '"';
    from = quote + 2;
  }
}

function parsePlainCell(text: string, at: number, separator: string): { value: string; end: number } {
  let end = at;
  while (end < text.length && text[end] !== separator && text[end] !== '\n' && text[end] !== '\r') end += 1;
  return { value: text.slice(at, end), end };
}

/** Formats rows of plain text as a Markdown table; the first row is its head, short rows are padded. */
export function formatMarkdownTable(rows: string[][]): string {
  const columns = rows.reduce((most, row) => Math.max(most, row.length), 1);
  const formatRow = (row: string[]): string =>
    `| ${Array.from({ length: columns }, (_, at) => escapeCell(row[at] ?? '')).join(' | ')} |`;
  const [head = [], ...body] = rows;
  const rule = `|${' --- |'.repeat(columns)}`;
  return [formatRow(head), rule, ...body.map(formatRow)].join('\n');
}

function escapeCell(text: string): string {
  return text
    .split(/\r\n?|\n/)
    .map((line) => escapeMarkdown(line).replaceAll('|', '\\|'))
    .join('<br>');
}
