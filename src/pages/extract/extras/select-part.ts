import { detectVisibility } from '../content/hidden.ts';
import { listTreeElements } from '../content/page-view.ts';
import { isElement, type Tree, type TreeElement, type TreeText } from '../tree.ts';
import type { Selection } from './extras-types.ts';
import { findMatchingElements } from './selector.ts';

/**
 * Marks the selected part of a tree as kept. Without includes, the main content stays marked. `commentTexts` are the texts of the
 * page's comments.
 */
export function selectPart(
  tree: Tree,
  { include, exclude, whole, comments = false }: Selection,
  commentTexts: readonly TreeText[],
): void {
  const excluded = exclude.flatMap((selector) => findMatchingElements(tree.root, selector));
  const included = include.flatMap((selector) => findMatchingElements(tree.root, selector));
  if (include.length > 0 || whole) {
    clear(tree);
    for (const element of include.length > 0 ? included : [tree.root]) keepWithin(element);
  }
  if (comments) for (const text of commentTexts) keepText(text);
  for (const element of excluded) element.kept = false;
}

function clear(tree: Tree): void {
  for (const element of listTreeElements(tree)) {
    element.kept = false;
    for (const child of element.children) child.kept = false;
  }
  tree.root.kept = true;
}

function keepText(text: TreeText): void {
  text.kept = true;
  for (let up: TreeElement | null = text.parent; up !== null && !up.kept; up = up.parent) up.kept = true;
}

/** Keeps an element with everything visible in it, and its ancestors. */
function keepWithin(selected: TreeElement): void {
  for (let up: TreeElement | null = selected; up !== null && !up.kept; up = up.parent) up.kept = true;
  const waiting: TreeElement[] = [selected];
  for (let element = waiting.pop(); element !== undefined; element = waiting.pop()) {
    element.kept = true;
    for (const child of element.children) {
      if (!isElement(child)) child.kept = true;
      else if (detectVisibility(child) !== 'hidden') waiting.push(child);
    }
  }
}
