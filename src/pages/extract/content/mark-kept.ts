import { isTable, listCells, listRows } from '../table-shape.ts';
import { isElement, type Tree, type TreeElement } from '../tree.ts';
import { keepMedia } from './keep-media.ts';
import type { CutPage } from './regions.ts';

/** Elements without text that are kept with the text around them. */
const TEXTLESS = new Set(['br', 'source', 'wbr', 'col', 'colgroup', 'input']);

const HIDES = /display\s*:\s*none/i;

/** Marks the kept blocks in the tree. */
export function markKept(tree: Tree, cut: CutPage, kept: boolean[]): void {
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
