import { stripVTControlCharacters } from 'node:util';
import type { Article } from '../article.ts';
import { readMarkdown } from './markdown/read-markdown.ts';
import { buildPlainArticle } from './plain-article.ts';
import { fenceCode } from './text.ts';

const CELLS_MAX = 10_000;
/** Maximum characters of one output; logs of training runs are longer. */
const OUTPUT_CHARS_MAX = 20_000;

/** Reads a notebook (nbformat 4): text cells as they are, code cells with their language, outputs below them; null for other JSON. */
export function readNotebook(value: unknown, url: string, rawChars: number): Article | null {
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

const toRecord = (value: unknown): Record<string, unknown> =>
  // Every object can be read as a record.
  typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
