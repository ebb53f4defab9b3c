import type { Tree } from '../tree.ts';
import { completeUnits } from './complete-units.ts';
import { FEATURE_NAMES, featureTable } from './features/table.ts';
import { fillHoles, keepFigures } from './fill-holes.ts';
import { predict, readForest } from './forest.ts';
import { followHeadings } from './headings.ts';
import { inMargin } from './margin.ts';
import { markKept } from './mark-kept.ts';
import { MODEL } from './model-table.ts';
import { viewPage } from './page-view.ts';
import { select } from './select.ts';
import type { PageView } from './view.ts';

/** How much of the page's shown text was chosen, in characters without white space. */
type ContentChoice = { keptChars: number; totalChars: number };

/** A page this short has little to leave out, and little evidence for the model. */
const SHORT_PAGE_WORDS = 80;

const forest = readForest(MODEL);

/**
 * Chooses the main content of a page: sets `kept` on every node of the tree. A text is kept when its block is, an
 * element when anything in it is; pictures, breaks and rules are kept where the text around them is. What is folded
 * away and kept loses the attributes that hide it.
 */
export function chooseContent(tree: Tree, page: { url: string }): ContentChoice {
  const view = viewPage(tree, page.url);
  let kept = keptBlocks(view, predict(forest, featureTable(view), FEATURE_NAMES.length));
  // A page that is short or of an unknown kind is better read with too much than not at all.
  const isShort = (view.cut.regions[0]?.sum.words ?? 0) <= SHORT_PAGE_WORDS;
  if (isShort || !kept.includes(true)) kept = view.blocks.map(({ region }) => !inMargin(region));
  markKept(tree, view.cut, kept);
  let keptChars = 0;
  let totalChars = 0;
  for (const [index, { tally }] of view.blocks.entries()) {
    totalChars += tally.chars;
    if (kept[index]) keptChars += tally.chars;
  }
  return { keptChars, totalChars };
}

/** Which blocks are kept, from the probability of each to be content. */
export function keptBlocks(view: PageView, probabilities: Float32Array): boolean[] {
  const { cut, blocks } = view;
  const kept = select(blocks, probabilities);
  fillHoles(view, probabilities, kept);
  completeUnits(cut.regions, blocks, kept);
  followHeadings(blocks, kept);
  keepFigures(cut.regions, blocks, kept);
  return kept;
}
