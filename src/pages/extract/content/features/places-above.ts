import { FAR, PLACE_NAMES } from '../places.ts';
import type { FeatureGroup } from '../view.ts';

/** How far up each kind of place is. */
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
