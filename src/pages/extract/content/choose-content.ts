/**
 * Chooses the main content of a page. The page is cut into blocks, a trained forest of decision trees scores each block from
 * features of its text and surroundings, and rules then correct the choice. The result is marked in the tree; no text is changed.
 */

import { isElement, isTable, listCells, listRows, type Tree, type TreeElement } from '../table-shape.ts';
import type { PageView } from './comments.ts';
import { hasSeparateComments, suppressComments } from './comments.ts';
import { isOverPage } from './concealed.ts';
import { buildFeatureTable, FEATURE_NAMES } from './features/table.ts';
import { predictProbabilities, readForest } from './forest.ts';
import { detectHints, HINTS } from './hints.ts';
import { isInMargin } from './margin.ts';
import { MODEL } from './model-table.ts';
import { buildPageView } from './page-view.ts';
import type { CutPage, Region } from './regions.ts';
import { completeUnits, keepDataTables } from './rules/complete-units.ts';
import { fillHoles, keepFigures, keepUnexplained } from './rules/fill-holes.ts';
import { followHeadings } from './rules/headings.ts';
import { applyTableHints, followRule, markRuledBlocks, type OperatorRule } from './rules/operator-rules.ts';
import { selectBlocks } from './rules/select.ts';
import { smoothTemplates } from './smooth-templates.ts';

/** Elements in which a picture between kept texts does not necessarily belong to them. */
const PAGE = new Set(['#root', 'html', 'body']);
const AGAINST =
  HINTS.navigation |
  HINTS.footer |
  HINTS.related |
  HINTS.share |
  HINTS.advert |
  HINTS.consent |
  HINTS.subscribe |
  HINTS.login;
/** Maximum boxes around a picture that hold nothing else. */
const WRAPPERS_MAX = 8;
/** Elements without text that are kept with the text around them. */
const TEXTLESS = new Set(['br', 'source', 'wbr', 'col', 'colgroup', 'input']);
const HIDES = /display\s*:\s*none/i;

/** The view of the page, each block's probability of being content, and whether it is kept. */
type ContentChoice = { view: PageView; probabilities: Float32Array; kept: boolean[] };

/** Maximum words of a short page, which has little to leave out and gives the model little evidence. */
const SHORT_PAGE_WORDS = 80;

/** The trained model. */
export const forest = readForest(MODEL);

/**
 * Chooses the main content of a page and sets `kept` on every node of its tree. A text is kept when its block is, an
 * element when anything in it is; pictures, breaks and rules are kept where the text around them is. Folded elements
 * that are kept lose the attributes that hide them. The operator's rule for the site decides last.
 */
export function chooseContent(tree: Tree, page: { url: string; rule?: OperatorRule | null }): ContentChoice {
  const { url, rule = null } = page;
  if (rule !== null) applyTableHints(tree, rule);
  const view = buildPageView(tree, url);
  if (rule !== null) view.ruled = markRuledBlocks(tree, view.cut, rule);
  const probabilities = predictProbabilities(forest, buildFeatureTable(view), FEATURE_NAMES.length);
  const kept = chooseBlocks(view, probabilities);
  markKept(tree, view, kept);
  return { view, probabilities, kept };
}

/** The steps that decide which blocks are kept, in order; each may change earlier decisions. */
export const STEPS: [
  rule: string,
  apply: (view: PageView, probabilities: Float32Array, kept: boolean[]) => void,
][] = [
  ['best expected F1', ({ blocks }, probabilities, kept) => selectBlocks(blocks, probabilities, kept)],
  ['gap in code or a reference', fillHoles],
  [
    'table, list, code or quotation as a whole',
    ({ cut, blocks }, _, kept) => completeUnits(cut.regions, blocks, kept),
  ],
  ['table of data beside kept text', ({ cut }, _, kept) => keepDataTables(cut.regions, kept)],
  ['heading of the text below', ({ blocks }, _, kept) => followHeadings(blocks, kept)],
  [
    'figure or table between kept texts',
    ({ cut, blocks }, _, kept) => keepFigures(cut.regions, blocks, kept),
  ],
  ['text of documentation without a reason against it', (view, _, kept) => keepUnexplained(view, kept)],
  ['short page', keepShortPage],
  ['hidden by a rule of the page, or in a dialog over it', dropConcealed],
  ['rule for the site', (view, _, kept) => followRule(view, kept)],
];

/** Corrects the model's probabilities by what it cannot see: blocks of one template, and comments that are separate from the content. */
export function judgeBlocks(view: PageView, probabilities: Float32Array): Float32Array {
  return suppressComments(view, smoothTemplates(view, probabilities));
}

/** Decides which blocks are kept, from the probability of each to be content. */
export function chooseBlocks(view: PageView, probabilities: Float32Array): boolean[] {
  const kept = view.blocks.map(() => false);
  const judged = judgeBlocks(view, probabilities);
  for (const [, apply] of STEPS) apply(view, judged, kept);
  return kept;
}

/** Keeps a short page, or one of which nothing was kept, except margins and separate comments: too much beats nothing. */
function keepShortPage(view: PageView, _: Float32Array, kept: boolean[]): void {
  const { cut, blocks, comments } = view;
  if ((cut.regions[0]?.sum.words ?? 0) > SHORT_PAGE_WORDS && kept.includes(true)) return;
  const apart = hasSeparateComments(view);
  for (const [index, { region }] of blocks.entries())
    kept[index] = !isInMargin(region) && !(apart && comments[index] === 1);
}

/**
 * Drops what the page conceals. Where rules of its stylesheet hide most of what was chosen, a click or a script shows it: those elements
 * are then taken from the concealed ones.
 */
function dropConcealed({ blocks, concealed }: PageView, _: Float32Array, kept: boolean[]): void {
  if (concealed.size === 0) return;
  const within = blocks.map(({ region }) => {
    for (let up: Region | null = region; up !== null; up = up.parent)
      if (concealed.has(up.element)) return up.element;
    return null;
  });
  let words = 0;
  let styled = 0;
  for (const [index, { tally }] of blocks.entries()) {
    if (!kept[index]) continue;
    words += tally.words;
    const element = within[index];
    if (element !== null && element !== undefined && !isOverPage(element)) styled += tally.words;
  }
  if (styled > words / 2)
    for (const element of concealed) if (!isOverPage(element)) concealed.delete(element);
  for (const [index, element] of within.entries())
    if (element !== null && concealed.has(element)) kept[index] = false;
}

/** Marks the kept blocks in the tree. */
function markKept(tree: Tree, { cut, concealed }: PageView, kept: boolean[]): void {
  const { blocks, hidden } = cut;
  clear(tree.root);
  for (let index = 0; index < blocks.length; index += 1) {
    if (!kept[index]) continue;
    for (const text of blocks[index]?.texts ?? []) {
      text.kept = true;
      for (let up: TreeElement | null = text.parent; up !== null && !up.kept; up = up.parent) keep(up);
    }
  }
  tree.root.kept = true;
  keepMedia(cut, kept);
  // After everything else, since some are within a kept block or beside kept texts.
  for (const element of concealed) clear(element);
  keepAllTextless(tree.root, hidden);
}

function clear(root: TreeElement): void {
  const waiting = [root];
  for (let element = waiting.pop(); element !== undefined; element = waiting.pop()) {
    element.kept = false;
    for (const child of element.children) {
      if (isElement(child)) waiting.push(child);
      else child.kept = false;
    }
  }
}

/** Visits parents before children, so that a kept picture keeps its contents; skips elements that are not kept. */
function keepAllTextless(root: TreeElement, hidden: Set<TreeElement>): void {
  const waiting = [root];
  for (let element = waiting.pop(); element !== undefined; element = waiting.pop()) {
    keepTextless(element, hidden);
    for (const child of element.children) if (isElement(child) && child.kept) waiting.push(child);
  }
}

function keep(element: TreeElement): void {
  element.kept = true;
  const { hidden, style } = element.attributes;
  if (hidden !== undefined || (style !== undefined && HIDES.test(style))) unhide(element);
}

function unhide(element: TreeElement): void {
  const { hidden: _hidden, style: _style, ...others } = element.attributes;
  element.attributes = others;
}

function keepTextless(element: TreeElement, hidden: Set<TreeElement>): void {
  if (isTable(element)) keepRows(element);
  for (const child of element.children) {
    if (!isElement(child)) {
      if (!child.kept && child.text.trim() === '') child.kept = true;
    } else if (TEXTLESS.has(child.tag) && !hidden.has(child)) child.kept = true;
  }
}

/** Keeps the empty cells of kept rows, so that columns stay aligned. */
function keepRows(table: TreeElement): void {
  for (const { row } of listRows(table)) {
    if (row.kept) for (const cell of listCells(row)) cell.kept = true;
  }
}

/** Keeps media beside kept text, with the boxes that hold nothing else. */
function keepMedia({ blocks, media }: CutPage, kept: boolean[]): void {
  const withText = new Set<TreeElement>();
  for (const { texts } of blocks) {
    for (const text of texts)
      for (let up: TreeElement | null = text.parent; up !== null && !withText.has(up); up = up.parent)
        withText.add(up);
  }
  for (const { element, at } of media) {
    const before = at > 0 && (kept[at - 1] ?? false);
    const after = at < kept.length && (kept[at] ?? false);
    // A rule is kept only between kept texts.
    if (element.tag === 'hr' ? !before || !after : !before && !after) continue;
    const holder = findHolder(element, withText);
    if (holder === null) continue;
    const isKept = PAGE.has(holder.tag) ? before && (after || at === blocks.length) : holder.kept;
    if (!isKept) continue;
    keepBelow(element);
    for (let up = element.parent; up !== null && up !== holder; up = up.parent) up.kept = true;
  }
}

/** Finds the nearest element around media that also holds text; null when a box in between hints at other content. */
function findHolder(element: TreeElement, withText: ReadonlySet<TreeElement>): TreeElement | null {
  let up: TreeElement | null = element;
  for (let step = 0; up !== null && step <= WRAPPERS_MAX; step += 1, up = up.parent) {
    if (up !== element && (withText.has(up) || PAGE.has(up.tag))) return up;
    if ((detectHints(up) & AGAINST) !== 0) return null;
  }
  return null;
}

function keepBelow(element: TreeElement): void {
  element.kept = true;
  for (const child of element.children) {
    if (isElement(child)) keepBelow(child);
    else child.kept = true;
  }
}
