import { isElement, type Tree, type TreeElement } from '../tree.ts';
import { cluesOf } from './clues.ts';
import { inComments } from './comments.ts';
import { mainContainer } from './container.ts';
import { pageTitle } from './page-title.ts';
import { placeDistances } from './places.ts';
import { type Block, cutBlocks } from './regions.ts';
import type { PageView } from './view.ts';

const TEXT_CHARS_MAX = 400;
/** White space other than one space. */
const UNEVEN = /[^\S ]| {2}/;

/** Cuts a page into blocks and works out what its features need. */
export function viewPage(tree: Tree, url: string): PageView {
  const cut = cutBlocks(tree);
  const texts = cut.blocks.map(textOf);
  const clues = cluesOf(elementsOf(tree), url);
  const title = pageTitle(cut.blocks, texts, clues);
  return {
    cut,
    blocks: cut.blocks,
    texts,
    clues,
    title,
    comments: inComments(cut, texts, title.at),
    container: mainContainer(cut),
    distances: placeDistances(cut.regions),
  };
}

/** All elements of a tree, parents before their children. */
export function elementsOf(tree: Tree): TreeElement[] {
  const elements: TreeElement[] = [tree.root];
  for (let at = 0; at < elements.length; at += 1) {
    for (const child of elements[at]?.children ?? []) if (isElement(child)) elements.push(child);
  }
  return elements;
}

function textOf({ texts }: Block): string {
  let joined = '';
  for (const { text } of texts) {
    joined += text.length > TEXT_CHARS_MAX * 4 ? text.slice(0, TEXT_CHARS_MAX * 4) : text;
    if (joined.length > TEXT_CHARS_MAX * 4) break;
  }
  const trimmed = joined.trim();
  return (UNEVEN.test(trimmed) ? trimmed.replace(/\s+/g, ' ') : trimmed).slice(0, TEXT_CHARS_MAX);
}
