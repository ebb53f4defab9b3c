import { alignBlocks } from './align-blocks.ts';
import { type ComparableBlock, cutComparableBlocks } from './comparable-blocks.ts';

/** Fewer changes in a row are no habit. */
const CHANGES_MIN = 3;

/**
 * Finds the places of a page whose content was replaced between every two of its visits. A place is named by the blocks beside it, as
 * `listNeighbours` does. What is only added to, such as a list of releases, is none.
 */
export function findRecurringPlaces(texts: readonly string[]): ReadonlySet<string> {
  if (texts.length <= CHANGES_MIN) return new Set();
  const visits = texts.map(cutComparableBlocks);
  let places: ReadonlySet<string> | null = null;
  for (const [index, after] of visits.entries()) {
    const before = visits[index - 1];
    if (before === undefined) continue;
    const found = findReplacedPlaces(before, after);
    const known: ReadonlySet<string> = places ?? found;
    places = new Set([...found].filter((place) => known.has(place)));
  }
  return places ?? new Set();
}

/** Finds the places where something of the earlier version went and something else came. */
function findReplacedPlaces(
  before: readonly ComparableBlock[],
  after: readonly ComparableBlock[],
): Set<string> {
  const { changed, removed, added } = alignBlocks(before, after);
  const replaced = (pairs: number[], blocks: readonly ComparableBlock[]): Set<string> =>
    new Set(pairs.flatMap((place) => listNeighbours(blocks, place)));
  const gone = replaced(removed, before);
  const come = replaced(added, after);
  return new Set([
    ...changed.flatMap(([, place]) => listNeighbours(after, place)),
    ...[...gone].filter((place) => come.has(place)),
  ]);
}

/** Names a place of a page by what stands before and behind it: the block there, under its headings. */
export function listNeighbours(blocks: readonly ComparableBlock[], place: number): string[] {
  const path = blocks[place]?.headings.join(' > ') ?? '';
  const name = (side: string, block: ComparableBlock | undefined): string =>
    `${side} ${path} > ${block?.key ?? ''}`;
  return [name('behind', blocks[place - 1]), name('before', blocks[place + 1])];
}
