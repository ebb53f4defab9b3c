/**
 * Counts what a page shows as structure and how much of it stands in the Markdown. The two sides are counted apart: what the page shows
 * comes from its tree and what arrived from the Markdown, so that whatever the writer loses shows as a difference.
 */
import { classifyLines, isDelimiterRow, readLineStart } from '../../text/markup/scan-lines.ts';
import type { PageView } from './content/comments.ts';
import { findLeftOutReasons, type LeftOutReason } from './content/left-out-reasons.ts';
import type { Region } from './content/regions.ts';
import { renderMath } from './markdown/inline/math.ts';
import { detectTableKind, isElement, isTable, listCells, listRows, readCellText } from './table-shape.ts';

/** The kinds of structure that are counted: data tables and their rows, blocks of code, formulas, figures, items of lists, headings, words. */
export const STRUCTURES = [
  'tables',
  'rows',
  'code',
  'formulas',
  'figures',
  'items',
  'sections',
  'words',
] as const;
type Structure = (typeof STRUCTURES)[number];

/** `[kept, found]` for each kind; and the words that were left out on purpose, by reason. */
export type Completeness = Record<Structure, [kept: number, found: number]> & {
  leftOut: Partial<Record<LeftOutReason, number>>;
};

const HEADING = /^h[1-6]$/;
const FORMULA = /(?<![\\$])\$\$?[^$]{1,2000}\$/g;
const IMAGE = /!\[/g;

/** Counts the structure of a page whose content was chosen as `kept`, block by block, and written as `markdown`. */
export function measureCompleteness(
  view: PageView,
  kept: readonly boolean[],
  markdown: string,
): Completeness {
  const reasons = findLeftOutReasons(view, kept);
  const found = countFound(view, reasons);
  const arrived = countArrived(markdown);
  const words = sumWords(view, (index) => kept[index] === true);
  const leftOut: Completeness['leftOut'] = {};
  for (const [index, reason] of reasons.entries()) {
    const count = view.blocks[index]?.tally.words ?? 0;
    if (reason !== null && reason !== 'score' && count > 0) leftOut[reason] = (leftOut[reason] ?? 0) + count;
  }
  const pair = (kind: Exclude<Structure, 'words'>): [number, number] => [
    Math.min(arrived[kind], found[kind]),
    found[kind],
  ];
  return {
    tables: pair('tables'),
    rows: pair('rows'),
    code: pair('code'),
    formulas: pair('formulas'),
    figures: pair('figures'),
    items: pair('items'),
    sections: pair('sections'),
    words: [words, sumWords(view, (index) => reasons[index] === null || reasons[index] === 'score')],
    leftOut,
  };
}

type Counts = Record<Exclude<Structure, 'words'>, number>;

const createCounts = (): Counts => ({
  tables: 0,
  rows: 0,
  code: 0,
  formulas: 0,
  figures: 0,
  items: 0,
  sections: 0,
});

function sumWords({ blocks }: PageView, isCounted: (index: number) => boolean): number {
  let words = 0;
  for (let index = 0; index < blocks.length; index += 1)
    if (isCounted(index)) words += blocks[index]?.tally.words ?? 0;
  return words;
}

/** Counts what the page shows, without what is left out for a named reason. */
function countFound({ cut, blocks }: PageView, reasons: readonly (LeftOutReason | null)[]): Counts {
  const counts = createCounts();
  const wanted = new Float64Array(blocks.length + 1);
  for (const [index, { tally }] of blocks.entries()) {
    const isWanted = reasons[index] === null || reasons[index] === 'score';
    wanted[index + 1] = (wanted[index] ?? 0) + (isWanted ? tally.words : 0);
  }
  const isWanted = ({ from, to, sum }: Region): boolean =>
    to > from && sum.words > 0 && ((wanted[to] ?? 0) - (wanted[from] ?? 0)) * 2 >= sum.words;
  /** The unit whose inside is not counted again: a cell may hold a list, and a line of code a link. */
  let unit: Region | null = null;
  for (const region of cut.regions) {
    if (unit !== null && region.from < unit.to && region.depth > unit.depth) continue;
    unit = null;
    if (!isWanted(region)) continue;
    const { element } = region;
    if (isTable(element)) {
      const kind = detectTableKind(element);
      if (kind === 'code') counts.code += 1;
      if (kind === 'data') {
        counts.tables += 1;
        counts.rows += listRows(element).filter(({ row }) =>
          listCells(row).some((cell) => readCellText(cell).trim() !== ''),
        ).length;
      }
      if (kind !== 'layout') unit = region;
    } else if (element.tag === 'pre') {
      counts.code += 1;
      unit = region;
    } else if (element.tag === 'li') counts.items += 1;
    else if (HEADING.test(element.tag)) counts.sections += 1;
  }
  for (const { element, at } of cut.media) {
    const near = reasons[at] ?? null;
    const isNamed = near !== null && near !== 'score';
    if (element.tag === 'img' && element.parent?.tag === 'figure' && !isNamed) counts.figures += 1;
  }
  counts.formulas = countFormulas(cut.regions[0], cut.hidden);
  return counts;
}

function countFormulas(root: Region | undefined, hidden: ReadonlySet<object>): number {
  let formulas = 0;
  const waiting = root === undefined ? [] : [root.element];
  for (let element = waiting.pop(); element !== undefined; element = waiting.pop()) {
    if (element.kept && element.tag !== '#root') {
      const written = renderMath(element);
      if (written !== null) {
        if (written !== '') formulas += 1;
        continue;
      }
    }
    for (const child of element.children) if (isElement(child) && !hidden.has(child)) waiting.push(child);
  }
  return formulas;
}

/** Counts what stands in the Markdown. */
function countArrived(markdown: string): Counts {
  const counts = createCounts();
  const lines = markdown.split('\n');
  let isInFence = false;
  for (const [at, kind] of classifyLines(lines).entries()) {
    const line = lines[at] ?? '';
    if (kind === 'fence') {
      isInFence = !isInFence;
      if (isInFence) counts.code += 1;
    }
    if (kind !== 'text') continue;
    const { rest, marker, headingLevel } = readLineStart(line);
    if (isDelimiterRow(rest)) {
      counts.tables += 1;
      // A table without names of columns has an empty row above.
      if (/^\|[\s|]*$/.test(lines[at - 1] ?? '')) counts.rows -= 1;
    } else if (rest.startsWith('|')) counts.rows += 1;
    if (marker !== '') counts.items += 1;
    if (headingLevel > 0) counts.sections += 1;
    counts.figures += line.match(IMAGE)?.length ?? 0;
    counts.formulas += line.match(FORMULA)?.length ?? 0;
  }
  return counts;
}
