import type { FeatureGroup } from '../comments.ts';
import type { Region } from '../regions.ts';

const LEVELS = ['own', 'up1', 'up2', 'up3', 'up5', 'section', 'top'];
const SECTION = /^(?:section|article|main|aside|nav|header|footer|form|ul|ol|table|dl|tbody|#root|body)$/;

/** Features of the regions around a block. */
export const surroundings: FeatureGroup = {
  names: [
    ...LEVELS.flatMap((level) =>
      ['words', 'linkShare', 'stopShare', 'blockWords', 'children'].map((name) => `${level}:${name}`),
    ),
    'inContainer',
    'containerShare',
    'containerDepthBelow',
    'sharedDepth',
    'overContainer',
    'containerWordShare',
  ],
  prepare({ cut, blocks, container }) {
    const pageWords = Math.max(1, cut.regions[0]?.sum.words ?? 1);
    const holds = new Uint8Array(cut.regions.length);
    for (let up: Region | null = container; up !== null; up = up.parent) holds[up.index] = 1;
    return (row, at, index) => {
      const region = blocks[index]?.region;
      if (region === undefined) return;
      const up1 = region.parent ?? region;
      const up2 = up1.parent ?? up1;
      const up3 = up2.parent ?? up2;
      const up5 = up3.parent?.parent ?? up3;
      const section = findNearestSection(region);
      for (const each of [region, up1, up2, up3, up5, section, findTopRegion(region, holds)]) {
        const { sum } = each;
        const words = Math.max(1, sum.words);
        row[at++] = sum.words;
        row[at++] = sum.linkWords / words;
        row[at++] = sum.stops / words;
        row[at++] = sum.words / Math.max(1, each.to - each.from);
        row[at++] = each.childRegions;
      }
      const inside = index >= container.from && index < container.to;
      let shared = region;
      while (holds[shared.index] === 0 && shared.parent !== null) shared = shared.parent;
      row[at++] = inside ? 1 : 0;
      row[at++] = container.sum.words / Math.max(1, shared.sum.words);
      row[at++] = region.depth - container.depth;
      row[at++] = container.depth - shared.depth;
      row[at++] = region.depth - shared.depth;
      row[at++] = container.sum.words / pageWords;
    };
  },
};

function findNearestSection(region: Region): Region {
  let up = region;
  while (up.parent !== null && !SECTION.test(up.element.tag)) up = up.parent;
  return up;
}

/** Finds the outermost region around the block that does not contain the main container. */
function findTopRegion(region: Region, holds: Uint8Array): Region {
  let up = region;
  while (up.parent !== null && holds[up.parent.index] === 0) up = up.parent;
  return up;
}
