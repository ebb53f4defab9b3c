import { stripVTControlCharacters } from 'node:util';
import type { Article } from '../article.ts';
import { readJsonFeed } from './feeds/feed-article.ts';
import { readMarkdown } from './markdown/read-markdown.ts';
import { buildPlainArticle } from './plain-article.ts';
import { fenceCode } from './text.ts';

const CELLS_MAX = 10_000;
/** Maximum characters of one output; logs of training runs are longer. */
const OUTPUT_CHARS_MAX = 20_000;
const toRecord = (value: unknown): Record<string, unknown> =>
  // Every object can be read as a record.
  typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};

/** Maximum length of indented JSON: a small document may grow many times by indentation; beyond this it stays unchanged. */
const INDENTED_CHARS_MAX = 2_000_000;

/** Reads a JSON body: indented, in a fence; a JSON Feed as its list, a notebook as its cells. Invalid JSON is shown unchanged. */
export function readJson(text: string, url: string): Article {
  const value = parseLossless(text);
  const known = readJsonFeed(value, url, text.length) ?? readNotebook(value, url, text.length);
  if (known !== null) return known;
  const indented =
    value === undefined || text.length > INDENTED_CHARS_MAX ? null : JSON.stringify(value, null, 2);
  const body = indented === null || indented.length > INDENTED_CHARS_MAX ? text.trim() : indented;
  return buildPlainArticle(url, {
    kind: 'json',
    title: '',
    markdown: body === '' ? '' : fenceCode(body, 'json'),
    rawChars: text.length,
  });
}

/** Parses JSON, or returns undefined where JavaScript would round a number: numbers keep their digits, so such text stays unchanged. */
function parseLossless(text: string): unknown {
  if (/\d{16}/.test(text)) return parseUnlessRounded(text);
  return parseJsonOrUndefined(text);
}

function parseUnlessRounded(text: string): unknown {
  const value = parseJsonOrUndefined(text);
  return value === undefined || /[:[,\s]-?\d{16,}\s*[,\]}]|\d\.\d{16,}/.test(text) ? undefined : value;
}

function parseJsonOrUndefined(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    // Deep nesting throws a RangeError.
    if (error instanceof SyntaxError || error instanceof RangeError) return undefined;
    throw error;
  }
}

/** Reads a notebook (nbformat 4): text cells as they are, code cells with their language, outputs below them; null for other JSON. */
function readNotebook(value: unknown, url: string, rawChars: number): Article | null {
  const { nbformat, cells, metadata } = toRecord(value);
  if (typeof nbformat !== 'number' || !Array.isArray(cells)) return null;
  const { name: language } = toRecord(toRecord(metadata).language_info);
  const blocks = cells
    .slice(0, CELLS_MAX)
    .flatMap((cell) => buildCellBlocks(toRecord(cell), typeof language === 'string' ? language : 'python'));
  const { markdown, headings, links } = readMarkdown(blocks.join('\n\n'), url);
  const { title } = toRecord(metadata);
  return buildPlainArticle(url, {
    kind: 'document',
    title: typeof title === 'string' ? title : (headings[0] ?? ''),
    markdown,
    headings,
    links,
    rawChars,
  });
}

function buildCellBlocks(cell: Record<string, unknown>, language: string): string[] {
  const source = joinLines(cell.source).trim();
  if (source === '') return [];
  if (cell.cell_type === 'markdown') return [source];
  if (cell.cell_type !== 'code') return [fenceCode(source, '')];
  const outputs = Array.isArray(cell.outputs)
    ? cell.outputs.map((output) => formatOutput(toRecord(output)))
    : [];
  return [fenceCode(source, language), ...outputs.filter((output) => output !== '')];
}

/** Writes an output as text: tables and pictures in their plain form, which for pictures says nothing and is left out. */
function formatOutput({ text: stream, data, ename, evalue }: Record<string, unknown>): string {
  const forms = toRecord(data);
  const markdown = joinLines(forms['text/markdown']);
  if (markdown !== '') return markdown.trim();
  const error = typeof ename === 'string' ? `${ename}: ${joinLines(evalue)}` : '';
  const shown = (joinLines(stream) || joinLines(forms['text/plain']) || error).trimEnd();
  const isObject = /^<[^<>\n]{1,200}>$/.test(shown.trim());
  if (shown.trim() === '' || isObject) return '';
  const kept = shown.length > OUTPUT_CHARS_MAX ? `${shown.slice(0, OUTPUT_CHARS_MAX)}\n…` : shown;
  return fenceCode(stripVTControlCharacters(kept), '');
}

/** Joins a text, which notebooks write as one string or as a list of lines. */
function joinLines(value: unknown): string {
  if (Array.isArray(value)) return value.filter((line) => typeof line === 'string').join('');
  return typeof value === 'string' ? value : '';
}
