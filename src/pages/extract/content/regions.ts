import { isMedia } from '../embeds.ts';
import { isElement, NO_ATTRIBUTES, type Tree, type TreeElement, type TreeText } from '../table-shape.ts';
import { detectVisibility, isUnseen } from './hidden.ts';
import { detectHints, HINTS } from './hints.ts';

// Looked up once: texts are strings of many internal kinds (slices of the page, decoded, joined), for which looking up the method
// per character takes longer than the method.
const { charCodeAt } = String.prototype;

/** A visible block-level element with sums over its subtree. Regions form a tree; the page is `regions[0]`. */
export type Region = {
  element: TreeElement;
  parent: Region | null;
  depth: number;
  /** Index among the regions in page order. */
  index: number;
  /** Bits of `HINTS` that its own class, id, role and tag give. */
  hints: number;
  /** Blocks [from, to) in page order that lie within. */
  from: number;
  to: number;
  /** Sums over those blocks. */
  sum: Tally;
  childRegions: number;
};

/** A run of text and inline elements within one region: the unit that is kept or left out as a whole. */
export type Block = {
  region: Region;
  texts: TreeText[];
  tally: Tally;
  /** Hints of the inline elements around its texts. */
  hints: number;
};

/** Content without text, and the index of the block after it. */
type Media = { element: TreeElement; at: number };

export type CutPage = { regions: Region[]; blocks: Block[]; hidden: Set<TreeElement>; media: Media[] };

/** Maximum blocks of a page, against hostile ones; later texts join the last block. Real pages have some hundreds, rarely 3,000. */
export const BLOCKS_MAX = 20_000;

const INLINE = new Set(
  (
    'a abbr acronym b bdi bdo big button cite code data del dfn em font i img input ins kbd label mark math nobr output ' +
    'picture q rb rp rt ruby s samp small source span strike strong sub sup time tt u var wbr meter progress slot video'
  ).split(' '),
);

type Frame = {
  element: TreeElement;
  next: number;
  region: Region;
  opensRegion: boolean;
  inLink: boolean;
  hints: number;
};

/** Cuts the page into blocks, in one walk without recursion. */
export function cutBlocks(tree: Tree): CutPage {
  const cut: CutPage = { regions: [], blocks: [], hidden: new Set(), media: [] };
  const root = openRegion(cut, tree.root, null, 0);
  const stack: Frame[] = [
    { element: tree.root, next: 0, region: root, opensRegion: true, inLink: false, hints: 0 },
  ];
  const controlled = new Set<string>();
  let block: Block | null = null;
  let breaks = 0;
  for (let frame = stack.at(-1); frame !== undefined; frame = stack.at(-1)) {
    const node = frame.element.children[frame.next];
    frame.next += 1;
    if (node === undefined) {
      stack.pop();
      if (frame.opensRegion) {
        frame.region.to = cut.blocks.length;
        block = null;
      }
      continue;
    }
    if (!isElement(node)) {
      if (node.text.trim() === '') continue;
      if (block === null || breaks > 1) block = openBlock(cut, frame.region);
      block.texts.push(node);
      block.hints |= frame.hints;
      tallyText(block.tally, node.text, frame.inLink);
      breaks = 0;
      continue;
    }
    if (node.tag === 'br') {
      breaks += 1;
      continue;
    }
    if (node.attributes !== NO_ATTRIBUTES) recordControlled(node, controlled);
    const isControlled = controlled.size > 0 && controlled.has(node.attributes.id ?? '');
    const visibility = isControlled ? detectControlledVisibility(node) : detectVisibility(node);
    if (isMedia(node) && !isUnseen(node)) cut.media.push({ element: node, at: cut.blocks.length });
    if (visibility === 'hidden') {
      cut.hidden.add(node);
      continue;
    }
    const folded = visibility === 'folded' ? HINTS.folded : 0;
    const inline = INLINE.has(node.tag);
    if (!inline) {
      block = null;
      breaks = 0;
    }
    if (node.children.length === 0) continue;
    stack.push({
      element: node,
      next: 0,
      region: inline ? frame.region : openRegion(cut, node, frame.region, folded),
      opensRegion: !inline,
      inLink: frame.inLink || (node.tag === 'a' && node.attributes.href !== undefined),
      hints: inline ? frame.hints | detectHints(node) | folded : 0,
    });
  }
  sumRegions(cut);
  return cut;
}

/** Records the id of the element that a heading's button or a tab opens. */
function recordControlled({ attributes, parent }: TreeElement, controlled: Set<string>): void {
  const target = attributes['aria-controls'];
  if (target === undefined || target === '') return;
  const opens =
    attributes['aria-expanded'] !== undefined && /^(?:h[1-6]|dt|summary)$/.test(parent?.tag ?? '');
  if (opens || attributes.role === 'tab') controlled.add(target);
}

/** Detects the visibility of an element that a button opens: if hidden, it is only folded. */
function detectControlledVisibility(element: TreeElement): 'shown' | 'folded' | 'hidden' {
  const visibility = detectVisibility(element);
  return visibility === 'hidden' && isUnseen(element) ? 'folded' : visibility;
}

function openRegion(cut: CutPage, element: TreeElement, parent: Region | null, folded: number): Region {
  const region: Region = {
    element,
    parent,
    depth: parent === null ? 0 : parent.depth + 1,
    index: cut.regions.length,
    hints: detectHints(element) | folded,
    from: cut.blocks.length,
    to: cut.blocks.length,
    sum: createTally(),
    childRegions: 0,
  };
  if (parent !== null) parent.childRegions += 1;
  cut.regions.push(region);
  return region;
}

function openBlock(cut: CutPage, region: Region): Block {
  const last = cut.blocks.at(-1);
  if (last !== undefined && cut.blocks.length >= BLOCKS_MAX) return last;
  const block: Block = { region, texts: [], tally: createTally(), hints: 0 };
  cut.blocks.push(block);
  return block;
}

/** Children follow their parents, so one backward pass sums the tree. */
function sumRegions({ regions, blocks }: CutPage): void {
  for (const { region, tally } of blocks) addTally(region.sum, tally);
  for (let index = regions.length - 1; index > 0; index -= 1) {
    const region = regions[index];
    if (region?.parent) addTally(region.parent.sum, region.sum);
  }
}

function addTally(sum: Tally, part: Tally): void {
  sum.chars += part.chars;
  sum.words += part.words;
  sum.linkWords += part.linkWords;
  sum.links += part.links;
  sum.commas += part.commas;
  sum.stops += part.stops;
  sum.digits += part.digits;
  sum.capitals += part.capitals;
}

/** Counts of a text. A word is a run of letters and digits; two ideographs or kana count as one word. */
type Tally = {
  /** Characters other than white space. */
  chars: number;
  words: number;
  linkWords: number;
  /** Texts within links. */
  links: number;
  commas: number;
  /** Sentence ends: . ! ? and their full-width forms. */
  stops: number;
  digits: number;
  capitals: number;
};

function createTally(): Tally {
  return { chars: 0, words: 0, linkWords: 0, links: 0, commas: 0, stops: 0, digits: 0, capitals: 0 };
}

/** Adds one text to a tally, in one pass over its characters. */
function tallyText(tally: Tally, text: string, inLink: boolean): void {
  let words = 0;
  let ideographs = 0;
  let chars = 0;
  let inWord = false;
  const { length } = text;
  for (let index = 0; index < length; index += 1) {
    const code = charCodeAt.call(text, index);
    // Fast path: most characters are lower-case letters.
    if (code >= 97 && code <= 122) {
      if (!inWord) words += 1;
      inWord = true;
      chars += 1;
      continue;
    }
    if (isIdeograph(code)) {
      ideographs += 1;
      chars += 1;
      inWord = false;
      continue;
    }
    const letter = isWordCode(code);
    if (letter && !inWord) words += 1;
    inWord = letter;
    if (code > 32 && code !== 0xa0) chars += 1;
    if (code >= 48 && code <= 57) tally.digits += 1;
    else if (code >= 65 && code <= 90) tally.capitals += 1;
    else if (code === 44 || code === 0xff0c || code === 0x3001 || code === 0x60c) tally.commas += 1;
    else if (
      code === 46 ||
      code === 33 ||
      code === 63 ||
      code === 0x3002 ||
      code === 0xff01 ||
      code === 0xff1f
    )
      tally.stops += 1;
  }
  words += Math.ceil(ideographs / 2);
  tally.chars += chars;
  tally.words += words;
  if (inLink) {
    tally.linkWords += words;
    tally.links += 1;
  }
}

function isWordCode(code: number): boolean {
  if (code < 128)
    return (code >= 97 && code <= 122) || (code >= 65 && code <= 90) || (code >= 48 && code <= 57);
  return (
    code >= 0xc0 &&
    !(code >= 0x2000 && code <= 0x2bff) &&
    !(code >= 0x3000 && code <= 0x303f) &&
    code < 0xff00
  );
}

function isIdeograph(code: number): boolean {
  return (code >= 0x3040 && code <= 0x30ff) || (code >= 0x3400 && code <= 0x9fff);
}
