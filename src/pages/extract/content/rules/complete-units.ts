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
 * scores its short cells one by one and often calls all of them unlikely. A table of links, and one whose section has no kept text but
 * which stands between kept texts, has to name its columns.
 */
export function keepDataTables(regions: Region[], kept: boolean[]): void {
  const tables = regions.filter(({ element, from, to }) => to - from > 1 && isTable(element));
  if (tables.length === 0) return;
  const places = findKeptPlaces(kept);
  for (const region of tables) {
    const place = isOtherContent(region) ? 'apart' : findPlace(region, places);
    if (place === 'apart') continue;
    const isMostlyLinks = region.sum.linkWords > region.sum.words * DATA_LINK_SHARE_MAX;
    if (listsData(region.element, isMostlyLinks || place === 'between'))
      kept.fill(true, region.from, region.to);
  }
}

function isOtherContent(region: Region): boolean {
  if (isInMargin(region)) return true;
  for (let up: Region | null = region; up !== null; up = up.parent)
    if ((up.hints & OTHER_CONTENT) !== 0) return true;
  return false;
}

/** For each place between blocks, the last kept block before it and the first behind it; -1 and the number of blocks for none. */
type KeptPlaces = { before: Int32Array; behind: Int32Array };

function findKeptPlaces(kept: readonly boolean[]): KeptPlaces {
  const { length } = kept;
  const before = new Int32Array(length + 1).fill(-1);
  const behind = new Int32Array(length + 1).fill(length);
  for (let at = 0; at < length; at += 1) before[at + 1] = kept[at] ? at : (before[at] ?? -1);
  for (let at = length - 1; at >= 0; at -= 1) behind[at] = kept[at] ? at : (behind[at + 1] ?? length);
  return { before, behind };
}

/** Finds whether a text of the table's own section is kept, or texts on both sides within an element that holds the table. */
function findPlace(table: Region, { before, behind }: KeptPlaces): 'beside' | 'between' | 'apart' {
  let isOwnSection = true;
  for (let up = table.parent; up !== null; up = up.parent) {
    if (up.to - up.from === table.to - table.from) continue;
    const isAbove = (before[table.from] ?? -1) >= up.from;
    const isBelow = (behind[table.to] ?? up.to) < up.to;
    if (isOwnSection && (isAbove || isBelow)) return 'beside';
    if (isAbove && isBelow) return 'between';
    isOwnSection = false;
  }
  return 'apart';
}

/** `needsNames`: only names of columns count, as in a table of links. */
function listsData(table: TreeElement, needsNames: boolean): boolean {
  if (detectTableKind(table) !== 'data') return false;
  const rows = listRows(table)
    .map(({ row }) => listCells(row))
    .filter((cells) => cells.length > 1);
  if (rows.length <= DATA_ROWS_MIN) return false;
  if (rows.some((cells) => cells.filter(isHeaderCell).length > 1)) return true;
  if (needsNames) return false;
  const numbered = rows.filter((cells) => {
    const texts = cells.map((cell) => readCellText(cell).trim());
    return texts.some((text) => NUMBER.test(text)) && texts.some((text) => HAS_LETTER.test(text));
  });
  return numbered.length > rows.length * ROW_SHARE_MIN;
}
