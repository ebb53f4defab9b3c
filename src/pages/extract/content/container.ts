import { HINTS } from './hints.ts';
import type { Block, CutPage, Region } from './regions.ts';

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

/** Finds the deepest region with most of the page's running text; text in boilerplate counts a tenth. */
export function findMainContainer({ regions, blocks }: CutPage): Region {
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

const STEPS_UP_MAX = 12;

function computeTrust({ region }: Block): number {
  let step = 0;
  for (let up: Region | null = region; up !== null && step < STEPS_UP_MAX; up = up.parent, step += 1) {
    if ((up.hints & FOR) !== 0) return 1;
    if ((up.hints & AGAINST) !== 0) return 0.1;
  }
  return 1;
}
