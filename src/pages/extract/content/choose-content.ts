/**
 * Chooses the main content of a page. The page is cut into blocks, a trained forest of decision trees scores each block from
 * features of its text and surroundings, and rules then correct the choice. The result is marked in the tree; no text is changed.
 */
import type { Tree } from '../tree.ts';
import { hasSeparateComments, suppressComments } from './comments.ts';
import { buildFeatureTable, FEATURE_NAMES } from './features/table.ts';
import { predictProbabilities, readForest } from './forest.ts';
import { isInMargin } from './margin.ts';
import { markKept } from './mark-kept.ts';
import { MODEL } from './model-table.ts';
import { buildPageView } from './page-view.ts';
import { completeUnits } from './rules/complete-units.ts';
import { fillHoles, keepFigures, keepUnexplained } from './rules/fill-holes.ts';
import { followHeadings } from './rules/headings.ts';
import { selectBlocks } from './rules/select.ts';
import type { PageView } from './view.ts';

/** The view of the page, each block's probability of being content, and whether it is kept. */
type ContentChoice = { view: PageView; probabilities: Float32Array; kept: boolean[] };

/** Maximum words of a short page, which has little to leave out and gives the model little evidence. */
const SHORT_PAGE_WORDS = 80;

/** The trained model. */
export const forest = readForest(MODEL);

/**
 * Chooses the main content of a page and sets `kept` on every node of its tree. A text is kept when its block is, an
 * element when anything in it is; pictures, breaks and rules are kept where the text around them is. Folded elements
 * that are kept lose the attributes that hide them.
 */
export function chooseContent(tree: Tree, page: { url: string }): ContentChoice {
  const view = buildPageView(tree, page.url);
  const probabilities = predictProbabilities(forest, buildFeatureTable(view), FEATURE_NAMES.length);
  const kept = chooseBlocks(view, probabilities);
  markKept(tree, view.cut, kept);
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
  ['heading of the text below', ({ blocks }, _, kept) => followHeadings(blocks, kept)],
  [
    'figure or table between kept texts',
    ({ cut, blocks }, _, kept) => keepFigures(cut.regions, blocks, kept),
  ],
  ['text of documentation without a reason against it', (view, _, kept) => keepUnexplained(view, kept)],
  ['short page', keepShortPage],
];

/** Decides which blocks are kept, from the probability of each to be content. */
export function chooseBlocks(view: PageView, probabilities: Float32Array): boolean[] {
  const kept = view.blocks.map(() => false);
  const judged = suppressComments(view, probabilities);
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
