import {
  detectTableKind,
  isHeaderCell,
  isTable,
  listCells,
  listRows,
  readCellText,
  type TreeElement,
} from '../../table-shape.ts';
import { HINTS } from '../hints.ts';
import { isInMargin } from '../margin.ts';
import type { Block, Region } from '../regions.ts';

/** Elements that are kept or dropped as a whole: code without some lines is worse than none. */
const WHOLE = new Set(['pre', 'dl']);
const LISTS = new Set(['ul', 'ol']);
/** Maximum words of a block in a unit that is judged as a whole; with longer ones, blocks are judged one by one. */
const CELL_WORDS_MAX = 120;
const WHOLE_SHARE = 0.5;
/** Share kept above which a table is the content, if it has most of the words kept on the page: a chart, a ranking. */
const MAIN_SHARE = 0.2;
/** Share of a list's items above which all are kept. */
const LIST_SHARE = 0.65;
/** Share of a list's items below which none is kept: a lone kept item is an accident. */
const LONE_SHARE = 0.1;
const LIST_ITEMS_MIN = 4;

/** Keeps or leaves tables, code and definition lists as a whole, and completes lists that are mostly kept. */
export function completeUnits(regions: Region[], blocks: Block[], kept: boolean[]): void {
  const keptWords = countKeptWords(blocks, kept, { from: 0, to: blocks.length });
  for (let index = regions.length - 1; index >= 0; index -= 1) {
    const region = regions[index];
    if (region === undefined || region.to - region.from < 2) continue;
    if (isTable(region.element) || WHOLE.has(region.element.tag))
      decideWhole(region, blocks, kept, keptWords);
    else if (region.element.tag === 'blockquote') decideQuote(region, blocks, kept);
    else if (LISTS.has(region.element.tag)) decideList(region, blocks, kept);
  }
}

function decideWhole(region: Region, blocks: Block[], kept: boolean[], pageWords: number): void {
  const isData = isTable(region.element) && detectTableKind(region.element) === 'data';
  // The cells of a layout table are judged one by one.
  if (isTable(region.element) && !isData) return;
  const within = blocks.slice(region.from, region.to);
  // Data tables may have long texts in their rows.
  if (!isData && within.some(({ tally }) => tally.words > CELL_WORDS_MAX)) return;
  const keptWords = countKeptWords(blocks, kept, region);
  const isMain = isData && keptWords > pageWords / 2 && keptWords > region.sum.words * MAIN_SHARE;
  kept.fill(isMain || keptWords > region.sum.words * WHOLE_SHARE, region.from, region.to);
}

function countKeptWords(blocks: Block[], kept: boolean[], { from, to }: Pick<Region, 'from' | 'to'>): number {
  let words = 0;
  for (let at = from; at < to; at += 1) if (kept[at]) words += blocks[at]?.tally.words ?? 0;
  return words;
}

/** Completes a quotation of which only a short rest is missing, such as its author and source. */
function decideQuote(region: Region, blocks: Block[], kept: boolean[]): void {
  const keptWords = countKeptWords(blocks, kept, region);
  if (keptWords > 0 && region.sum.words - keptWords <= REST_WORDS_MAX)
    kept.fill(true, region.from, region.to);
}
const REST_WORDS_MAX = 30;

function decideList(region: Region, blocks: Block[], kept: boolean[]): void {
  let keptCount = 0;
  let keptWords = 0;
  for (let at = region.from; at < region.to; at += 1) {
    if (!kept[at]) continue;
    keptCount += 1;
    keptWords += blocks[at]?.tally.words ?? 0;
  }
  const count = region.to - region.from;
  if (count < LIST_ITEMS_MIN) return;
  if (keptCount > count * LIST_SHARE && keptWords > region.sum.words * LIST_SHARE)
    kept.fill(true, region.from, region.to);
  else if (keptCount < count * LONE_SHARE && keptWords < region.sum.words * LONE_SHARE)
    kept.fill(false, region.from, region.to);
}

/** Names of boxes whose tables are not the content, whatever they hold. */
const OTHER_CONTENT =
  HINTS.related | HINTS.share | HINTS.advert | HINTS.consent | HINTS.subscribe | HINTS.login | HINTS.comment;
const DATA_ROWS_MIN = 2;
const DATA_LINK_SHARE_MAX = 0.9;
const ROW_SHARE_MIN = 0.5;
/** A cell that is a number with its unit; a number with a point behind it counts the items of a list. */
const NUMBER = /^[^\p{L}\d]{0,3}\d[\d\s.,:/–-]{0,18}(?:%|\p{L}{0,3})(?<!\.)$/u;
const HAS_LETTER = /\p{L}/u;

/**
 * Keeps a table of data where some text beside it is kept: one that names its columns, or has labels and numbers in most rows. The model
 * scores its short cells one by one and often calls all of them unlikely.
 */
export function keepDataTables(regions: Region[], kept: boolean[]): void {
  for (const region of regions) {
    if (region.to - region.from < 2 || !isTable(region.element)) continue;
    if (region.sum.linkWords > region.sum.words * DATA_LINK_SHARE_MAX || isOtherContent(region)) continue;
    const section = findSection(region);
    if (section === null || !hasKeptAround(kept, section, region) || !listsData(region.element)) continue;
    kept.fill(true, region.from, region.to);
  }
}

function isOtherContent(region: Region): boolean {
  if (isInMargin(region)) return true;
  for (let up: Region | null = region; up !== null; up = up.parent)
    if ((up.hints & OTHER_CONTENT) !== 0) return true;
  return false;
}

/** Finds the nearest element around a table that holds something else too. */
function findSection(table: Region): Region | null {
  let up = table.parent;
  while (up !== null && up.to - up.from === table.to - table.from) up = up.parent;
  return up;
}

function hasKeptAround(kept: readonly boolean[], section: Region, table: Region): boolean {
  for (let at = section.from; at < section.to; at += 1)
    if (kept[at] && (at < table.from || at >= table.to)) return true;
  return false;
}

function listsData(table: TreeElement): boolean {
  if (detectTableKind(table) !== 'data') return false;
  const rows = listRows(table)
    .map(({ row }) => listCells(row))
    .filter((cells) => cells.length > 1);
  if (rows.length <= DATA_ROWS_MIN) return false;
  if (rows.some((cells) => cells.filter(isHeaderCell).length > 1)) return true;
  const numbered = rows.filter((cells) => {
    const texts = cells.map((cell) => readCellText(cell).trim());
    return texts.some((text) => NUMBER.test(text)) && texts.some((text) => HAS_LETTER.test(text));
  });
  return numbered.length > rows.length * ROW_SHARE_MIN;
}
