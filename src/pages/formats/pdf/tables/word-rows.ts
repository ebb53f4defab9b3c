import type { Run } from '../glyphs.ts';
import { buildLine, type Line, needsSpace } from '../page-lines.ts';

/** Base lines nearer than this, in font sizes, are one row of text. */
const SAME_ROW = 0.35;
/** Signs smaller than this share of a line's size may stand this far above or below its base line. */
const SMALLER = 0.8;
const RAISED = 0.55;

/** Returns the words of a line, each as a run of its own. Numbers written with spaces between thousands stay whole. */
export function splitWords(line: Line): Run[] {
  const words: Run[] = [];
  for (const run of line.runs) {
    let [from, x0] = [0, run.x0];
    const add = (to: number, x1: number): void => {
      const text = run.text.slice(from, to).trim();
      if (text !== '') words.push({ ...run, text, x0, x1, spaces: [] });
    };
    for (const space of run.spaces) {
      const isWithinNumber =
        space.x1 - space.x0 < 0.4 * run.size &&
        /\d$/.test(run.text.slice(0, space.at)) &&
        /(?:^|\D)\d{1,3}(?: \d{3}){0,9}$/.test(run.text.slice(from, space.at)) &&
        /^\s\d{3}(?!\d)/.test(run.text.slice(space.at));
      if (isWithinNumber) continue;
      add(space.at, space.x0);
      [from, x0] = [space.at, space.x1];
    }
    add(run.text.length, run.x1);
  }
  return words;
}

/** Groups words by their height, from the top, each group from left to right. Raised and lowered signs stay with their line. */
export function groupRows(words: Run[]): Run[][] {
  const rows: Run[][] = [];
  let [y, size] = [0, 0];
  for (const word of [...words].sort((a, b) => b.y - a.y || a.x0 - b.x0)) {
    const row = rows.at(-1);
    const drop = y - word.y;
    const isSmaller = Math.min(word.size, size) < SMALLER * Math.max(word.size, size);
    if (row !== undefined && drop <= (isSmaller ? RAISED : SAME_ROW) * Math.max(word.size, size)) {
      row.push(word);
      if (word.size > 1.1 * size) [y, size] = [word.y, word.size];
    } else {
      rows.push([word]);
      [y, size] = [word.y, word.size];
    }
  }
  return rows.map((row) => row.sort((a, b) => a.x0 - b.x0));
}

/** Builds the lines of a cell from its words. */
export function buildCellLines(words: Run[], page: number): Line[] {
  return groupRows(words).map((row) => {
    const runs = row.map((run) => ({ ...run }));
    for (const [at, run] of runs.entries()) {
      const next = runs[at + 1];
      if (next !== undefined && (needsSpace(run, next) || next.x0 - run.x1 > 0.12 * run.size))
        run.text += ' ';
    }
    return buildLine(runs, page);
  });
}

/** Splits a row of words into groups with gaps of at least `gap` font sizes between them. */
export function splitSegments(row: Run[], gap: number): Run[][] {
  const segments: Run[][] = [];
  let end = Number.NEGATIVE_INFINITY;
  for (const word of row) {
    if (word.x0 - end >= gap * word.size) segments.push([]);
    segments.at(-1)?.push(word);
    end = Math.max(end, word.x1);
  }
  return segments;
}

/**
 * Finds the white strips between columns: at least `width` points wide, crossed by at most a share of the rows, with text on both sides.
 * Returns the middle of each.
 */
export function findGutters(
  rows: Run[][],
  { width, crossedMax }: { width: number; crossedMax: number },
): { x0: number; x1: number }[] {
  const edges: [x: number, change: number][] = [];
  for (const row of rows)
    for (const { x0, x1 } of mergeExtents(row)) {
      edges.push([x0, 1], [x1, -1]);
    }
  edges.sort((a, b) => a[0] - b[0] || a[1] - b[1]);
  const limit = Math.floor(crossedMax * rows.length);
  const gutters: { x0: number; x1: number }[] = [];
  let covered = 0;
  let start: number | null = null;
  for (const [x, change] of edges) {
    covered += change;
    if (covered <= limit) start ??= x;
    else if (start !== null) {
      if (x - start >= width) gutters.push({ x0: start, x1: x });
      start = null;
    }
  }
  const [left, right] = [edges[0]?.[0] ?? 0, edges.at(-1)?.[0] ?? 0];
  return gutters.filter(({ x0, x1 }) => x0 > left && x1 < right);
}

function mergeExtents(row: Run[]): { x0: number; x1: number }[] {
  const merged: { x0: number; x1: number }[] = [];
  for (const { x0, x1 } of row) {
    const last = merged.at(-1);
    if (last !== undefined && x0 <= last.x1) last.x1 = Math.max(last.x1, x1);
    else merged.push({ x0, x1 });
  }
  return merged;
}

/** Checks for a bullet or the number of a list item. */
export const isListSign = (text: string): boolean =>
  /^(?:[•◦▪▫‣●○■□◆◇➢➤✓✔⁃∙·\uf0b7\uf0a7\uf0d8*–—o-]|\(?(?:\d{1,3}|[a-z]|[ivxl]{1,5})[.)])$/iu.test(text);

/** Checks for a number, or a sign that stands for one in tables. */
export const isNumeric = (text: string): boolean =>
  (/\d/.test(text) && !/\p{L}/u.test(text)) || /^(?:[-–—.:*†‡]+|n\.?\/?a\.?)$/i.test(text);
