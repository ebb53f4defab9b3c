import type { Chunk, Place } from '../../src/text/chunk/chunk-markdown.ts';
import { createLineScanner } from '../../src/text/markup/scan-lines.ts';

/** Properties that the chunks and the pruned text of any page must have. Each function returns its violations, in words. */

const CHARS_MAX = 700;
const LEFT_OUT = '[…]';
const FENCE_LINE = /^(?:[ \t]*>)*[ \t]*(?:(?:[-*+]|\d{1,9}[.)])[ \t]+)*(`{3,20}|~{3,20})(?![`~])[^`]*$/;

/** Slices join to the page; chunks fit their size, cut no word, close fences and keep tables rectangular. */
export function chunkViolations(markdown: string, chunks: Chunk[]): string[] {
  const broken: string[] = [];
  const joined = chunks.map(({ start, end }) => markdown.slice(start, end)).join('');
  if (joined !== markdown && /[\p{L}\p{N}]/u.test(markdown))
    broken.push('the slices do not add up to the page');
  const ragged = hasRaggedTable(markdown) || hasWideRow(markdown);
  for (const chunk of chunks) {
    const { markdown: text, start, end, added } = chunk;
    if (text.length > CHARS_MAX) broken.push(`${text.length} characters`);
    const own = text.slice(added?.before.length ?? 0, text.length - (added?.after.length ?? 0));
    if (!markdown.slice(start, end).includes(own))
      broken.push('the text is not its slice and what was added');
    if (!areFencesClosed(text)) broken.push(`an open fence: ${JSON.stringify(text)}`);
    if (!ragged && hasRaggedTable(text)) broken.push(`a ragged table: ${JSON.stringify(text)}`);
    if (cutsWord(markdown, start))
      broken.push(`a cut word: ${JSON.stringify(markdown.slice(start - 20, start + 20))}`);
  }
  return broken;
}

/** Without marks of omissions and the lines that cuts add, the pruned text is a subsequence of the page's lines. */
export function prunedViolations(markdown: string, pruned: string): string[] {
  const broken: string[] = [];
  if (!areFencesClosed(pruned)) broken.push('an open fence in the pruned text');
  if (!(hasRaggedTable(markdown) || hasWideRow(markdown)) && hasRaggedTable(pruned))
    broken.push('a ragged table in the pruned text');
  const frames = frameLines(markdown);
  let from = 0;
  for (const line of pruned.split('\n')) {
    const wanted = line.trim();
    if (wanted === '' || wanted === LEFT_OUT || frames.has(wanted) || FENCE_LINE.test(line)) continue;
    // Quote marks are added to a chunk that begins inside a quoted line.
    const bare = wanted.replace(/^(?:>\s?)+/, '');
    const at = [wanted, bare].map((text) => markdown.indexOf(text, from)).find((place) => place !== -1);
    if (at === undefined) broken.push(`not on the page, or out of order: ${JSON.stringify(line)}`);
    else from = at + bare.length;
  }
  return broken;
}

/** The pruned text contains every run's slice of the page, in order; between them are only headings, frames and marks. */
export function runViolations(
  markdown: string,
  pruned: { markdown: string; runs: readonly Place[] },
  chunks: readonly Chunk[],
): string[] {
  const broken: string[] = [];
  const between: string[] = [];
  let from = 0;
  let last = 0;
  for (const { start, end } of pruned.runs) {
    const slice = markdown.slice(start, end);
    const at = findFromLineStart(pruned.markdown, slice, from);
    if (start < last || slice.trim() !== slice || slice === '')
      broken.push(`not a run: ${JSON.stringify({ start, end })}`);
    last = end;
    if (at === -1) broken.push(`a run that is not shown: ${JSON.stringify(slice)}`);
    else {
      between.push(pruned.markdown.slice(from, at));
      from = at + slice.length;
    }
  }
  between.push(pruned.markdown.slice(from));
  const known = new Set([...frameLines(markdown), ...headingLines(markdown, chunks)]);
  for (const line of between.join('\n').split('\n')) {
    const text = line.trim().replace(/^(?:>\s?)+/, '');
    const isMark = text === '' || text === LEFT_OUT || known.has(text) || FENCE_LINE.test(line);
    if (!isMark) broken.push(`text outside all runs: ${JSON.stringify(line)}`);
  }
  return broken;
}

/** Finds text where it begins a line: a row of dashes is also a part of a longer one in a header that is repeated. */
function findFromLineStart(text: string, slice: string, from: number): number {
  const beginsLine = (at: number): boolean =>
    /^[\s>]*$/.test(text.slice(text.lastIndexOf('\n', at - 1) + 1, at));
  let at = text.indexOf(slice, from);
  while (at !== -1 && !(beginsLine(at) && /^(?:\n|$)/.test(text.slice(at + slice.length))))
    at = text.indexOf(slice, at + 1);
  return at;
}

function headingLines(markdown: string, chunks: readonly Chunk[]): string[] {
  return chunks
    .flatMap(({ headings = [] }) => headings)
    .flatMap(({ start, end }) => markdown.slice(start, end).split('\n'))
    .map((line) => line.trim().replace(/^(?:>\s?)+/, ''));
}

/** Whether every code fence is closed, by its marks or by the end of the enclosing quote (CommonMark 0.31). */
export function areFencesClosed(text: string): boolean {
  return fencesIn(text).isClosed;
}

/** Whether each line is code or a fence, and whether the last fence is closed; CommonMark's examples hold the scanner to account. */
function fencesIn(text: string): { isCode: boolean[]; isClosed: boolean } {
  const scanner = createLineScanner();
  let isClosed = true;
  const isCode = text.split('\n').map((line) => {
    const { kind, opens } = scanner.scan(line);
    if (kind === 'fence') isClosed = opens === null;
    else if (kind !== 'code') isClosed = true;
    return kind === 'fence' || kind === 'code';
  });
  return { isCode, isClosed };
}

/** The number of columns in each row, for each table outside code. */
function tables(text: string): number[][] {
  const found: number[][] = [];
  let open: number[] | null = null;
  const { isCode } = fencesIn(text);
  for (const [place, line] of text.split('\n').entries()) {
    if (isCode[place] || !(open === null ? /^\s*\|/ : /\|/).test(line)) {
      open = null;
      continue;
    }
    if (open === null) {
      open = [];
      found.push(open);
    }
    open.push(line.trim().replaceAll('\\|', '').split('|').length);
  }
  return found;
}

function hasRaggedTable(text: string): boolean {
  return tables(text).some((rows) => new Set(rows).size > 1);
}

/** Whether a row is too wide for one chunk together with its table's header, so that it must be cut. */
function hasWideRow(text: string): boolean {
  // A row after the first need not begin with a bar.
  const lines = text.split('\n').filter((line) => line.includes('|'));
  return lines.some((line) => line.length > CHARS_MAX / 2 - 50);
}

/** Table headers with their delimiter lines, which chunks that begin inside a table repeat. */
function frameLines(markdown: string): Set<string> {
  const frames = new Set<string>();
  let last = '';
  for (const line of markdown.split('\n')) {
    const text = line.trim().replace(/^(?:>\s?)+/, '');
    if (text.includes('-') && /^[-:| \t]+$/.test(text))
      for (const frame of [last, line.trim()]) frames.add(frame);
    last = line.trim();
  }
  return frames;
}

/** Whether the offset splits a word that would have fitted into half a chunk. */
function cutsWord(markdown: string, at: number): boolean {
  const before = /[A-Za-z0-9]+$/.exec(markdown.slice(Math.max(0, at - CHARS_MAX / 2), at))?.[0].length ?? 0;
  const after = /^[A-Za-z0-9]+/.exec(markdown.slice(at, at + CHARS_MAX / 2))?.[0].length ?? 0;
  if (before === 0 || after === 0) return false;
  const run = /\S+$/.exec(markdown.slice(Math.max(0, at - CHARS_MAX), at))?.[0].length ?? 0;
  const rest = /^\S+/.exec(markdown.slice(at, at + CHARS_MAX))?.[0].length ?? 0;
  return run + rest <= CHARS_MAX / 2;
}
