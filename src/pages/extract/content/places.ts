import { HINTS } from './hints.ts';
import type { Region } from './regions.ts';
import type { FeatureGroup } from './view.ts';

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
const FAR = 15;

const HINT_BITS = HINT_NAMES.map((name) => HINTS[name]);
const TAG_AT = new Map(TAGS.map((tag, index) => [tag, HINT_NAMES.length + index]));

/** Computes for each region one byte per kind of place: the number of regions up to the nearest one, 0 for the region itself. */
export function computePlaceDistances(regions: Region[]): Uint8Array {
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
