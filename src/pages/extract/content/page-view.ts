import { isElement, type Tree, type TreeElement } from '../table-shape.ts';
import { collectClues } from './clues.ts';
import { type FeatureGroup, markComments, type PageView } from './comments.ts';
import { findConcealed } from './concealed.ts';
import { computeSignatures } from './features/repetition.ts';
import { HINTS } from './hints.ts';
import { findPageTitle } from './page-title.ts';
import { type Block, type CutPage, cutBlocks, type Region } from './regions.ts';

const HINT_NAMES = [
  ...(['navigation', 'header', 'footer', 'aside', 'related', 'consent', 'comment', 'article'] as const),
  ...(['main', 'content', 'byline', 'tags', 'search', 'product', 'card', 'post', 'form'] as const),
  ...(['modal', 'caption', 'description', 'review', 'edit'] as const),
];
const TAGS = ['li', 'ul', 'table', 'tr', 'article', 'main', 'section', 'footer', 'nav', 'form', 'body'];
/** The kinds of places whose distance above a block is measured, in this order. */
const PLACE_NAMES: readonly string[] = [
  ...HINT_NAMES.map((name) => `hint:${name}`),
  ...TAGS.map((tag) => `in:${tag}`),
];
/** Maximum distance in regions; it means this far, further or nowhere. */
export const FAR = 15;
const HINT_BITS = HINT_NAMES.map((name) => HINTS[name]);
const TAG_AT = new Map(TAGS.map((tag, index) => [tag, HINT_NAMES.length + index]));
/** Distances from a block up to each kind of place, in regions. */
export const placesAbove: FeatureGroup = {
  names: PLACE_NAMES,
  prepare({ blocks, distances }) {
    const width = PLACE_NAMES.length;
    return (row, at, index) => {
      const from = (blocks[index]?.region.index ?? 0) * width;
      for (let kind = 0; kind < width; kind += 1) row[at + kind] = distances[from + kind] ?? FAR;
    };
  },
};

const AGAINST =
  HINTS.navigation |
  HINTS.footer |
  HINTS.aside |
  HINTS.related |
  HINTS.consent |
  HINTS.subscribe |
  HINTS.modal;
const FOR = HINTS.article | HINTS.main | HINTS.content | HINTS.post;
/** Minimum words of running text; shorter blocks are labels and links, which do not show where the text is. */
const RUNNING_WORDS_MIN = 8;
/** Share of the running text that the container must hold. */
const SHARE = 0.7;
const STEPS_UP_MAX = 12;

const TEXT_CHARS_MAX = 400;
/** White space other than single spaces. */
const UNEVEN = /[^\S ]| {2}/;

/** Cuts a page into blocks and computes what its features need. */
export function buildPageView(tree: Tree, url: string): PageView {
  const elements = listTreeElements(tree);
  const cut = cutBlocks(tree);
  const texts = cut.blocks.map(buildBlockText);
  const clues = collectClues(elements, url);
  const title = findPageTitle(cut.blocks, texts, clues);
  return {
    cut,
    concealed: new Set(findConcealed(elements)),
    blocks: cut.blocks,
    texts,
    clues,
    title,
    comments: markComments(cut, texts, title.at),
    ruled: null,
    signatures: computeSignatures(cut.regions),
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

/** Finds the deepest region with most of the page's running text; text in boilerplate counts a tenth. */
function findMainContainer({ regions, blocks }: CutPage): Region {
  const running = new Float64Array(regions.length);
  for (const block of blocks) {
    const plain = block.tally.words - block.tally.linkWords;
    if (plain >= RUNNING_WORDS_MIN)
      running[block.region.index] = (running[block.region.index] ?? 0) + plain * computeTrust(block);
  }
  for (let index = regions.length - 1; index > 0; index -= 1) {
    const parent = regions[index]?.parent;
    if (parent) running[parent.index] = (running[parent.index] ?? 0) + (running[index] ?? 0);
  }
  const enough = (running[0] ?? 0) * SHARE;
  let best = regions[0] as Region;
  for (const region of regions) {
    if (region.from < best.from || region.to > best.to || region.depth <= best.depth) continue;
    if ((running[region.index] ?? 0) >= enough && region.childRegions > 1) best = region;
  }
  return best;
}

function computeTrust({ region }: Block): number {
  let step = 0;
  for (let up: Region | null = region; up !== null && step < STEPS_UP_MAX; up = up.parent, step += 1) {
    if ((up.hints & FOR) !== 0) return 1;
    if ((up.hints & AGAINST) !== 0) return 0.1;
  }
  return 1;
}

/** Computes for each region one byte per kind of place: the number of regions up to the nearest one, 0 for the region itself. */
function computePlaceDistances(regions: Region[]): Uint8Array {
  const width = PLACE_NAMES.length;
  const distances = new Uint8Array(regions.length * width).fill(FAR);
  for (const { index, parent, hints, element } of regions) {
    const at = index * width;
    if (parent !== null) {
      const above = parent.index * width;
      for (let kind = 0; kind < width; kind += 1) {
        const distance = distances[above + kind] ?? FAR;
        distances[at + kind] = distance < FAR ? distance + 1 : FAR;
      }
    }
    if (hints !== 0) {
      for (let kind = 0; kind < HINT_BITS.length; kind += 1)
        if ((hints & (HINT_BITS[kind] as number)) !== 0) distances[at + kind] = 0;
    }
    const tag = TAG_AT.get(element.tag);
    if (tag !== undefined) distances[at + tag] = 0;
  }
  return distances;
}
