import type { Block, Region } from './regions.ts';

/** A caption longer than this is a text of its own and is judged as one. */
const CAPTION_WORDS_MAX = 80;

/** A figure between kept texts is kept with its caption: the text speaks of it. */
export function keepFigures(regions: Region[], blocks: Block[], kept: boolean[]): void {
  for (const region of regions) {
    if (region.element.tag !== 'figure' || region.to === region.from) continue;
    const before = blocks[region.from - 1];
    const after = blocks[region.to];
    if (before === undefined || after === undefined || !kept[region.from - 1] || !kept[region.to]) continue;
    if (region.sum.words <= CAPTION_WORDS_MAX) kept.fill(true, region.from, region.to);
  }
}
