import { isElement, type Tree, type TreeElement } from '../tree.ts';
import { collectClues } from './clues.ts';
import { markComments } from './comments.ts';
import { findMainContainer } from './container.ts';
import { findPageTitle } from './page-title.ts';
import { computePlaceDistances } from './places.ts';
import { type Block, cutBlocks } from './regions.ts';
import type { PageView } from './view.ts';

const TEXT_CHARS_MAX = 400;
/** White space other than single spaces. */
const UNEVEN = /[^\S ]| {2}/;

/** Cuts a page into blocks and computes what its features need. */
export function buildPageView(tree: Tree, url: string): PageView {
  const cut = cutBlocks(tree);
  const texts = cut.blocks.map(buildBlockText);
  const clues = collectClues(listTreeElements(tree), url);
  const title = findPageTitle(cut.blocks, texts, clues);
  return {
    cut,
    blocks: cut.blocks,
    texts,
    clues,
    title,
    comments: markComments(cut, texts, title.at),
    container: findMainContainer(cut),
    distances: computePlaceDistances(cut.regions),
  };
}

/** Lists all elements of a tree, parents before their children. */
export function listTreeElements(tree: Tree): TreeElement[] {
  const elements: TreeElement[] = [tree.root];
  for (let at = 0; at < elements.length; at += 1) {
    for (const child of elements[at]?.children ?? []) if (isElement(child)) elements.push(child);
  }
  return elements;
}

function buildBlockText({ texts }: Block): string {
  let joined = '';
  for (const { text } of texts) {
    joined += text.length > TEXT_CHARS_MAX * 4 ? text.slice(0, TEXT_CHARS_MAX * 4) : text;
    if (joined.length > TEXT_CHARS_MAX * 4) break;
  }
  const trimmed = joined.trim();
  return (UNEVEN.test(trimmed) ? trimmed.replace(/\s+/g, ' ') : trimmed).slice(0, TEXT_CHARS_MAX);
}
