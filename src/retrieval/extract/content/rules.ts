import { HINTS } from './hints.ts';
import type { Block, Cut, Region } from './regions.ts';

/** Places whose text is about the site and not about the page. */
const BOILERPLATE =
  HINTS.navigation |
  HINTS.footer |
  HINTS.aside |
  HINTS.related |
  HINTS.share |
  HINTS.advert |
  HINTS.consent |
  HINTS.subscribe |
  HINTS.breadcrumb |
  HINTS.pagination |
  HINTS.login |
  HINTS.modal;
const BODY = HINTS.article | HINTS.main | HINTS.content | HINTS.post | HINTS.comment | HINTS.description;

/** Share of the page's running text that a container must hold to be the main one. */
const CONTAINER_SHARE = 0.75;
const LINK_DENSITY_MAX = 0.6;

/** Whether each block belongs to the main content. */
export function decide(cut: Cut): boolean[] {
  const container = mainContainer(cut);
  return cut.blocks.map((block, index) => {
    if (index < container.from || index >= container.to) return false;
    if (inBoilerplate(block, container)) return false;
    const { words, linkWords } = block.tally;
    return words > 0 && (linkWords / words <= LINK_DENSITY_MAX || isHeading(block.region));
  });
}

/** The deepest region that holds most of the running text outside boilerplate. */
function mainContainer({ regions, blocks }: Cut): Region {
  const running = new Array<number>(regions.length).fill(0);
  for (const block of blocks) {
    const plain = block.tally.words - block.tally.linkWords;
    if (plain >= 8 && !inBoilerplate(block, null))
      running[block.region.index] = (running[block.region.index] ?? 0) + plain;
  }
  for (let index = regions.length - 1; index > 0; index -= 1) {
    const parent = regions[index]?.parent;
    if (parent) running[parent.index] = (running[parent.index] ?? 0) + (running[index] ?? 0);
  }
  const enough = (running[0] ?? 0) * CONTAINER_SHARE;
  let best = regions[0] as Region;
  for (const region of regions) {
    if (region.parent === best && (running[region.index] ?? 0) >= enough && region.childRegions > 1)
      best = region;
    else if (
      region.depth > best.depth &&
      within(region, best) &&
      (running[region.index] ?? 0) >= enough &&
      region.childRegions > 1
    )
      best = region;
  }
  return best;
}

function within(region: Region, outer: Region): boolean {
  return region.from >= outer.from && region.to <= outer.to;
}

function inBoilerplate(block: Block, container: Region | null): boolean {
  for (
    let region: Region | null = block.region;
    region !== null && region !== container;
    region = region.parent
  ) {
    if (region.element.tag === 'body') return false;
    if ((region.hints & BOILERPLATE) !== 0 && (region.hints & BODY) === 0) return true;
  }
  return false;
}

function isHeading({ element }: Region): boolean {
  return /^h[1-6]$/.test(element.tag);
}
