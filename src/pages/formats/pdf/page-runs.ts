import type { PdfEngine } from './engine.ts';
import {
  createGlyphs,
  type Glyphs,
  isRightToLeft,
  type Run,
  readMatrix,
  rotateUpright,
  type TextObject,
} from './glyphs.ts';

const AREAS_MAX = 500;
/** The engine's PDFACTION_GOTO and PDFACTION_URI. */
const GO_TO = 1;
const URI = 3;
/** Indexes of the scratch numbers after the enumeration position: the link that was found, and the area of that link. */
const LINK = 1;
const AREA = 4;

/** Maximum characters of one page; a page of a book has 3,000. */
const PAGE_CHARS_MAX = 200_000;
/** Line ends and hyphens that the engine adds. */
const LINE_ENDS = new Set([10, 13]);
const HYPHEN = 2;
const SOFT_HYPHEN = '\u00ad';

/** The texts of a page in the order in which they are drawn, and how their positions were turned. */
type PageRuns = { runs: Run[]; turn: PageTurn };
/** Quarter turns that set a page upright, and whether it is then mirrored, so that right-to-left lines begin at the left. */
export type PageTurn = { quarter: number; mirrored: boolean };

/** Reads the texts of a page in the order in which they are drawn, rotated upright. */
export function readPageRuns(engine: PdfEngine, page: number): PageRuns {
  const { call } = engine;
  const textPage = call.FPDFText_LoadPage(page);
  if (textPage === 0) return { runs: [], turn: { quarter: 0, mirrored: false } };
  try {
    const chars = Math.min(call.FPDFText_CountChars(textPage), PAGE_CHARS_MAX);
    const quarter = detectDirection(engine, textPage, chars);
    const read = createRuns(createGlyphs(engine, textPage, quarter), readLinkAreas(engine, page, quarter));
    for (let at = 0; at < chars; at += 1) read.take(at, call.FPDFText_GetUnicode(textPage, at));
    const runs = read.end();
    const mirrored = isMostlyRightToLeft(runs);
    return { runs: mirrored ? runs.map(mirrorRun) : runs, turn: { quarter, mirrored } };
  } finally {
    call.FPDFText_ClosePage(textPage);
  }
}

function isMostlyRightToLeft(runs: Run[]): boolean {
  let balance = 0;
  for (const { text } of runs)
    balance += isRightToLeft(text.trim().codePointAt(0) ?? 0) ? text.length : -text.length;
  return balance > 0;
}

/** Mirrors the coordinates of right-to-left pages, so that lines begin at the left. */
const mirrorRun = (run: Run): Run => ({ ...run, x0: -run.x1, x1: -run.x0, spaces: [] });

/** Returns the direction of most of a sample of the page's characters, in quarter turns. */
function detectDirection(engine: PdfEngine, textPage: number, chars: number): number {
  const counts = [0, 0, 0, 0];
  const step = Math.max(1, Math.floor(chars / 50));
  for (let at = 0; at < chars; at += step) {
    if (engine.call.FPDFText_GetTextObject(textPage, at) === 0) continue;
    const { quarter } = readMatrix(engine, textPage, at);
    counts[quarter] = (counts[quarter] ?? 0) + 1;
  }
  return counts.indexOf(Math.max(...counts));
}

/** Joins characters to runs. */
function createRuns(
  glyphs: Glyphs,
  areas: LinkArea[],
): { take(at: number, code: number): void; end(): Run[] } {
  const runs: Run[] = [];
  let run: Run | null = null;
  let [first, last] = [-1, -1];
  let row: LinkArea[] = [];
  let spaced = false;
  let ended = true;

  const close = (): void => {
    if (run === null) return;
    run.x1 = Math.max(glyphs.right(first), glyphs.right(last));
    // Right-to-left text ends at its left.
    run.x0 = Math.min(run.x0, glyphs.origin(last)[0]);
    if (run.text.trim() !== '') runs.push(run);
    run = null;
  };
  const start = (at: number, { size, font }: TextObject): Run => {
    close();
    const [x, y] = glyphs.origin(at);
    first = at;
    return { text: '', x0: x, x1: x, y, size, font, link: null, spaced, spaces: [] };
  };
  const add = (at: number, code: number, drawn: TextObject): void => {
    const isNew = drawn.object !== glyphs.before().object;
    if (isNew || ended) row = selectRow(areas, glyphs.origin(at)[1] + drawn.size * 0.3);
    const link = row.length === 0 ? null : findTarget(row, (glyphs.origin(at)[0] + glyphs.right(at)) / 2);
    const checked = isNew || spaced || ended;
    if (run === null || ended || run.link !== link || (checked && !glyphs.follow(run, { last, at, code }))) {
      run = start(at, drawn);
    } else if (spaced) {
      const [x0, x1] = [glyphs.right(last), glyphs.origin(at)[0]];
      if (x1 > x0) run.spaces.push({ at: run.text.length, x0, x1 });
      run.text += formatGap(run, x1 - x0);
    }
    run.link = link;
    run.text += code === HYPHEN ? SOFT_HYPHEN : String.fromCodePoint(code);
    last = at;
    [spaced, ended] = [false, false];
  };
  return {
    take(at, code) {
      const drawn = glyphs.drawn(at);
      // Drawn spaces count by their width, because the engine merges several into one.
      if (drawn !== null && isSpace(code)) spaced = true;
      else if (drawn !== null) {
        if (!drawn.aslant) add(at, code, drawn);
      } else if (LINE_ENDS.has(code)) ended = true;
      else if (code === HYPHEN && run !== null) run.text += SOFT_HYPHEN;
      else spaced = true;
    },
    end() {
      close();
      return runs;
    },
  };
}

const isSpace = (code: number): boolean => code === 32 || code === 160 || code === 9;

/** Selects the areas at a height. */
const selectRow = (areas: LinkArea[], y: number): LinkArea[] =>
  areas.length === 0 ? areas : areas.filter(({ y0, y1 }) => y0 <= y && y <= y1);

const findTarget = (row: LinkArea[], x: number): LinkArea['target'] | null =>
  row.find(({ x0, x1 }) => x0 <= x && x <= x1)?.target ?? null;

/** Returns the spaces of a gap: one, or in a listing as many as fit. */
function formatGap({ font, size }: Run, gap: number): string {
  return font.mono ? ' '.repeat(Math.max(1, Math.round(gap / (size * 0.6)))) : ' ';
}

/** An area of a page that links to an address, or to the page of the same file with this number. */
type LinkArea = { x0: number; x1: number; y0: number; y1: number; target: string | number };

/** Reads the link areas of a page, rotated like its text. */
function readLinkAreas(engine: PdfEngine, page: number, quarter: number): LinkArea[] {
  const { call, scratch } = engine;
  const areas: LinkArea[] = [];
  engine.clear();
  while (areas.length < AREAS_MAX && call.FPDFLink_Enumerate(page, scratch, scratch + 4 * LINK) !== 0) {
    const link = engine.integer(LINK);
    const target = readTarget(engine, link);
    if (target === null || call.FPDFLink_GetAnnotRect(link, scratch + 4 * AREA) === 0) continue;
    const [x0, y0] = rotateUpright(engine.float(AREA), engine.float(AREA + 3), quarter);
    const [x1, y1] = rotateUpright(engine.float(AREA + 2), engine.float(AREA + 1), quarter);
    areas.push({
      x0: Math.min(x0, x1),
      x1: Math.max(x0, x1),
      y0: Math.min(y0, y1),
      y1: Math.max(y0, y1),
      target,
    });
  }
  return areas;
}

function readTarget({ call, document, text }: PdfEngine, link: number): string | number | null {
  const action = call.FPDFLink_GetAction(link);
  const type = action === 0 ? 0 : call.FPDFAction_GetType(action);
  if (type === URI) {
    const address = text('utf-8', (buffer, bytes) =>
      call.FPDFAction_GetURIPath(document, action, buffer, bytes),
    );
    return address === '' ? null : address;
  }
  const place =
    type === GO_TO ? call.FPDFAction_GetDest(document, action) : call.FPDFLink_GetDest(document, link);
  const page = place === 0 ? -1 : call.FPDFDest_GetDestPageIndex(document, place);
  return page < 0 ? null : page + 1;
}
