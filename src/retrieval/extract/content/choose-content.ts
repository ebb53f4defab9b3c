import { isElement, type Tree, type TreeElement } from '../tree.ts';
import { type Cut, cutBlocks } from './regions.ts';
import { decide } from './rules.ts';

/** How much of the page's shown text was chosen, in characters without white space. */
export type ContentChoice = { keptChars: number; totalChars: number };

/**
 * Chooses the main content of a page: sets `kept` on every node of the tree. A text is kept when its block is, an
 * element when anything in it is; pictures, breaks and rules are kept where the text around them is.
 */
export function chooseContent(tree: Tree, _page: { url: string }): ContentChoice {
  const cut = cutBlocks(tree);
  const kept = decide(cut);
  markKept(tree, cut, kept);
  let keptChars = 0;
  let totalChars = 0;
  for (const [index, { tally }] of cut.blocks.entries()) {
    totalChars += tally.chars;
    if (kept[index]) keptChars += tally.chars;
  }
  return { keptChars, totalChars };
}

/** Elements without text of their own that follow the text around them. */
const TEXTLESS = new Set([
  'img',
  'br',
  'hr',
  'picture',
  'source',
  'video',
  'wbr',
  'input',
  'math',
  'col',
  'iframe',
]);

function markKept(tree: Tree, { blocks, hidden }: Cut, kept: boolean[]): void {
  const elements: TreeElement[] = [tree.root];
  for (let at = 0; at < elements.length; at += 1) {
    const element = elements[at] as TreeElement;
    element.kept = false;
    for (const child of element.children) {
      if (!isElement(child)) child.kept = false;
      else elements.push(child);
    }
  }
  for (const [index, block] of blocks.entries()) {
    if (!kept[index]) continue;
    for (const text of block.texts) {
      text.kept = true;
      for (let up: TreeElement | null = text.parent; up !== null && !up.kept; up = up.parent) up.kept = true;
    }
  }
  tree.root.kept = true;
  for (const element of elements) keepTextless(element, hidden);
}

/** Parents come before their children, so that a kept picture keeps what it holds. */
function keepTextless(element: TreeElement, hidden: Set<TreeElement>): void {
  const kept = element.kept && element.tag !== 'body' && element.tag !== 'html' && element.tag !== '#root';
  for (const child of element.children) {
    if (!isElement(child)) {
      if (kept && child.text.trim() === '') child.kept = true;
    } else if (kept && TEXTLESS.has(child.tag) && !hidden.has(child)) child.kept = true;
  }
}
