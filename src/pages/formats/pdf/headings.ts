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
/** A caption names a table or a figure, not a section; a line of several words in small letters is the middle of a sentence. */
const CAPTION = /^(?:table|figure|fig\.|exhibit|chart|tableau|tabelle|abbildung)\s*\p{Lu}?[-–.]?\d/iu;
const MIDDLE = /^\p{Ll}+(?:\s\S+){3}/u;

/** Measures the sizes of a document's lines; titles of its outline are headings whatever their type. */
export function measureTypography(all: Line[], outline: OutlineEntry[]): Typography {
  const lines = all.filter(({ table }) => table === null);
  const body = computeBodySize(lines);
  const leading = computeLeading(lines, body);
  const running = collectTextSizes(lines);
  const isRunning = (size: number): boolean =>
    running.some((known) => Math.abs(known - size) <= 0.04 * known);
  const sizes = collectHeadingSizes(lines, body).filter((size) => !isRunning(size));
  const isBoldRare = countBold(lines) < 0.5;
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
        /[.:]{4}|(?:\. ){4}/.test(line.text) ||
        CAPTION.test(line.text)
      )
        return 0;
      const depth = titles.get(normalizeTitle(line.text));
      if (depth !== undefined && (line.bold || line.size > body * 1.02))
        return Math.min(depth + 1, LEVEL_MAX);
      if (line.mono && !line.bold) return 0;
      if (MIDDLE.test(line.text)) return 0;
      if (line.size > body * LARGER && !isRunning(line.size))
        return Math.min(rankSize(line.size) || LEVEL_MAX, LEVEL_MAX);
      if (!line.bold || !isBoldRare || line.size < body * SMALLER || line.text.length > BOLD_CHARS_MAX)
        return 0;
      return isStandalone(line, { before, after }, leading) ? Math.min(sizes.length + 1, LEVEL_MAX) : 0;
    },
  };
}

/** Returns the share of bold text; where most of it is, bold type says nothing. */
function countBold(lines: Line[]): number {
  let [bold, all] = [0, 0];
  for (const line of lines) {
    all += line.text.length;
    if (line.bold) bold += line.text.length;
  }
  return bold / Math.max(1, all);
}

/** Paragraphs in larger type have this many lines, of this many characters on average. */
const RUNNING_LINES_MIN = 4;
const RUNNING_CHARS_MIN = 24;

/** Returns the sizes in which running text is set, whichever of them is the usual one: those of more paragraphs than other lines. */
function collectTextSizes(lines: Line[]): number[] {
  const sums = new Map<number, { running: number; all: number }>();
  let open: Line[] = [];
  const close = (): void => {
    const chars = open.reduce((sum, { text }) => sum + text.length, 0);
    const key = Math.round((open[0]?.size ?? 0) * 4) / 4;
    const sum = sums.get(key) ?? { running: 0, all: 0 };
    sum.all += chars;
    if (open.length >= RUNNING_LINES_MIN && chars >= RUNNING_CHARS_MIN * open.length) sum.running += chars;
    sums.set(key, sum);
    open = [];
  };
  for (const line of lines) {
    const last = open.at(-1);
    const gap = last === undefined ? 0 : last.y - line.y;
    const follows =
      last !== undefined && gap > 0 && gap < 2.2 * line.size && Math.abs(last.size - line.size) < 0.1;
    if (!follows) close();
    open.push(line);
  }
  close();
  return [...sums].flatMap(([size, { running, all }]) => (running > 0.5 * all ? [size] : []));
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
