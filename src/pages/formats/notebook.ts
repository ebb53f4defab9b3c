import { stripVTControlCharacters } from 'node:util';
import type { Article } from '../article.ts';
import { readMarkdown } from './markdown/read-markdown.ts';
import { plainArticle } from './plain-article.ts';
import { fenced } from './text.ts';

const CELLS_MAX = 10_000;
/** Characters of one output that are written; logs of training runs are longer. */
const OUTPUT_CHARS_MAX = 20_000;

/** A notebook (nbformat 4): text cells as they are, code cells with their language, outputs below them; null for other JSON. */
export function readNotebook(value: unknown, url: string, rawChars: number): Article | null {
  const { nbformat, cells, metadata } = record(value);
  if (typeof nbformat !== 'number' || !Array.isArray(cells)) return null;
  const { name: language } = record(record(metadata).language_info);
  const blocks = cells
    .slice(0, CELLS_MAX)
    .flatMap((cell) => blocksOf(record(cell), typeof language === 'string' ? language : 'python'));
  const { markdown, headings, links } = readMarkdown(blocks.join('\n\n'), url);
  const { title } = record(metadata);
  return plainArticle(url, {
    kind: 'document',
    title: typeof title === 'string' ? title : (headings[0] ?? ''),
    markdown,
    headings,
    links,
    rawChars,
  });
}

function blocksOf(cell: Record<string, unknown>, language: string): string[] {
  const source = text(cell.source).trim();
  if (source === '') return [];
  if (cell.cell_type === 'markdown') return [source];
  if (cell.cell_type !== 'code') return [fenced(source, '')];
  const outputs = Array.isArray(cell.outputs) ? cell.outputs.map((output) => outputText(record(output))) : [];
  return [fenced(source, language), ...outputs.filter((output) => output !== '')];
}

/** The output as text: tables and pictures in their plain form, which for pictures says nothing and is left out. */
function outputText({ text: stream, data, ename, evalue }: Record<string, unknown>): string {
  const forms = record(data);
  const markdown = text(forms['text/markdown']);
  if (markdown !== '') return markdown.trim();
  const error = typeof ename === 'string' ? `${ename}: ${text(evalue)}` : '';
  const shown = (text(stream) || text(forms['text/plain']) || error).trimEnd();
  const isObject = /^<[^<>\n]{1,200}>$/.test(shown.trim());
  if (shown.trim() === '' || isObject) return '';
  const kept = shown.length > OUTPUT_CHARS_MAX ? `${shown.slice(0, OUTPUT_CHARS_MAX)}\n…` : shown;
  return fenced(stripVTControlCharacters(kept), '');
}

/** A text, which notebooks write as one or as a list of lines. */
function text(value: unknown): string {
  if (Array.isArray(value)) return value.filter((line) => typeof line === 'string').join('');
  return typeof value === 'string' ? value : '';
}

const record = (value: unknown): Record<string, unknown> =>
  // Any object has names and values.
  typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
