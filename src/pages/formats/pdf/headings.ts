import type { PdfEngine } from './engine.ts';
import type { Line } from './page-lines.ts';

const ENTRIES_MAX = 2_000;
const DEPTH_MAX = 6;

/** The typography of a document, measured before its lines are read one by one. */
export type Typography = {
  /** The font size of most of its text. */
  body: number;
  /** The usual distance between two base lines, in font sizes. */
  leading: number;
  /** Returns the heading level of a line, 0 when it is no heading. */
  levelOf(line: Line, around: { before: Line | null; after: Line | null }): number;
};

const LARGER = 1.12;
const HEADING_CHARS_MAX = 200;
const BOLD_CHARS_MAX = 100;
/** Minimum size of a bold heading, as a share of the text's size. */
const SMALLER = 0.6;
const LEVEL_MAX = 6;

/** Measures the sizes of a document's lines; titles of its outline are headings whatever their type. */
export function measureTypography(all: Line[], outline: OutlineEntry[]): Typography {
  const lines = all.filter(({ table }) => table === null);
  const body = computeBodySize(lines);
  const leading = computeLeading(lines, body);
  const sizes = collectHeadingSizes(lines, body);
  const titles = new Map(outline.map(({ title, depth }) => [normalizeTitle(title), depth]));
  const rankSize = (size: number): number =>
    sizes.findIndex((known) => Math.abs(known - size) <= 0.04 * known) + 1;
  return {
    body,
    leading,
    levelOf(line, { before, after }) {
      if (
        !/\p{L}/u.test(line.text) ||
        line.text.length > HEADING_CHARS_MAX ||
        /[.:]{4}|(?:\. ){4}/.test(line.text)
      )
        return 0;
      const depth = titles.get(normalizeTitle(line.text));
      if (depth !== undefined && (line.bold || line.size > body * 1.02))
        return Math.min(depth + 1, LEVEL_MAX);
      if (line.mono && !line.bold) return 0;
      if (line.size > body * LARGER) return Math.min(rankSize(line.size) || LEVEL_MAX, LEVEL_MAX);
      if (!line.bold || line.size < body * SMALLER || line.text.length > BOLD_CHARS_MAX) return 0;
      return isStandalone(line, { before, after }, leading) ? Math.min(sizes.length + 1, LEVEL_MAX) : 0;
    },
  };
}

/** Checks that a bold line is separated from the text above and alone at its height. */
function isStandalone(
  line: Line,
  { before, after }: { before: Line | null; after: Line | null },
  leading: number,
): boolean {
  if (/[,;:.]$/.test(line.text)) return false;
  for (const other of [before, after])
    if (other !== null && other.page === line.page && Math.abs(other.y - line.y) < 0.3 * line.size)
      return false;
  if (before === null || before.page !== line.page || before.y < line.y) return true;
  const gap = before.y - line.y;
  return gap > 1.15 * leading * Math.max(line.size, before.size) || (before.bold && before.size >= line.size);
}

function computeBodySize(lines: Line[]): number {
  const chars = new Map<number, number>();
  for (const { size, text, mono } of lines) {
    const key = Math.round(size * 4) / 4;
    chars.set(key, (chars.get(key) ?? 0) + (mono ? 0.5 : 1) * text.length);
  }
  let [usual, most] = [10, 0];
  for (const [size, count] of chars) if (count > most) [usual, most] = [size, count];
  return usual;
}

function computeLeading(lines: Line[], body: number): number {
  const gaps: number[] = [];
  for (const [at, line] of lines.entries()) {
    const before = lines[at - 1];
    if (before === undefined || before.page !== line.page || Math.abs(line.size - body) > 0.05 * body)
      continue;
    const gap = (before.y - line.y) / line.size;
    if (gap > 0.8 && gap < 2.5) gaps.push(gap);
  }
  gaps.sort((a, b) => a - b);
  // A low percentile is the distance within paragraphs; larger gaps separate paragraphs.
  return gaps[Math.floor(gaps.length * 0.4)] ?? 1.3;
}

/** Returns the sizes above that of the text, largest first; nearly equal sizes count as one. */
function collectHeadingSizes(lines: Line[], body: number): number[] {
  const larger = lines.filter(({ size, text }) => size > body * LARGER && text.length <= HEADING_CHARS_MAX);
  const sizes: number[] = [];
  for (const size of larger.map((line) => line.size).sort((a, b) => b - a)) {
    const last = sizes.at(-1);
    if (last === undefined || last - size > 0.04 * last) sizes.push(size);
  }
  return sizes;
}

/** Keeps only letters and digits: outlines write numbers and spaces in their own way. */
const normalizeTitle = (text: string): string =>
  text
    .toLowerCase()
    .replace(/^(?:(?:chapter|section|appendix|part)\s)?[\s\d.]*/, '')
    .replace(/[^\p{L}\p{N}]/gu, '');

/** An entry of the outline that a viewer shows beside the pages. */
type OutlineEntry = { title: string; depth: number };

/** Reads the outline of a document, in order. A cyclic outline ends at the bound. */
export function readOutline({ call, document, text }: PdfEngine): OutlineEntry[] {
  const entries: OutlineEntry[] = [];
  const visit = (parent: number, depth: number): void => {
    if (depth >= DEPTH_MAX) return;
    let entry = call.FPDFBookmark_GetFirstChild(document, parent);
    while (entry !== 0 && entries.length < ENTRIES_MAX) {
      const bookmark = entry;
      const title = text('utf-16le', (buffer, bytes) => call.FPDFBookmark_GetTitle(bookmark, buffer, bytes));
      entries.push({ title: title.trim(), depth });
      visit(bookmark, depth + 1);
      entry = call.FPDFBookmark_GetNextSibling(document, bookmark);
    }
  };
  visit(0, 0);
  return entries;
}
