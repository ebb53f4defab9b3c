/**
 * Says which block of one version of a page stands for which block of another: the same, edited, or moved elsewhere. Lines up what is
 * equal first, from the blocks that occur once in both, and then pairs what is alike between them. Knows nothing of noise.
 */
import { diffArrays } from 'diff';
import type { ComparableBlock } from './comparable-blocks.ts';

/** A pair of places: in the list of blocks before, and in the one after. */
type Pair = [before: number, after: number];

type Alignment = {
  /** Equal blocks in the same order. */
  same: Pair[];
  changed: Pair[];
  moved: Pair[];
  removed: number[];
  added: number[];
};

/** Blocks at least this alike, from 0 to 1, are one that was edited. */
const ALIKE_MIN = 0.5;
/** Blocks in different places must be more alike, and longer. */
const ALIKE_ELSEWHERE_MIN = 0.75;
const WORDS_ELSEWHERE_MIN = 6;
/** Bounds on the work for pages that have little in common. */
const EDITS_MAX = 400;
const COMPARED_MAX = 40_000;
const DEPTH_MAX = 40;
/** A moved block shorter than this says too little; lists and tables have short rows of their own. */
const MOVED_CHARS_MIN = 12;

type Range = { before: [number, number]; after: [number, number] };

/** Aligns two lists of blocks. Every block is in exactly one part of the result. */
export function alignBlocks(
  before: readonly ComparableBlock[],
  after: readonly ComparableBlock[],
): Alignment {
  const same: Pair[] = [];
  alignRange(
    { before: before.map(({ key }) => key), after: after.map(({ key }) => key), same },
    { before: [0, before.length], after: [0, after.length] },
    0,
  );
  same.sort(([one], [other]) => one - other);
  const changed = listGaps(same, before.length, after.length).flatMap((gap) => pairAlike(before, after, gap));
  const [usedBefore, usedAfter] = [new Set<number>(), new Set<number>()];
  const use = ([one, other]: Pair): void => {
    usedBefore.add(one);
    usedAfter.add(other);
  };
  for (const pair of [...same, ...changed]) use(pair);
  const listLeft = (blocks: readonly unknown[], used: Set<number>): number[] =>
    [...blocks.keys()].filter((place) => !used.has(place));
  const moved = pairMoved(before, after, listLeft(before, usedBefore), listLeft(after, usedAfter));
  for (const pair of moved) use(pair);
  const elsewhere = pairElsewhere(before, after, listLeft(before, usedBefore), listLeft(after, usedAfter));
  for (const pair of elsewhere) use(pair);
  return {
    same,
    changed: [...changed, ...elsewhere],
    moved,
    removed: listLeft(before, usedBefore),
    added: listLeft(after, usedAfter),
  };
}

type Keys = { before: readonly string[]; after: readonly string[]; same: Pair[] };

/** Finds the equal blocks of a range: at both ends, then around keys that are unique in both, as a patience diff does. */
function alignRange(keys: Keys, range: Range, depth: number): void {
  const [start, startAfter] = [range.before[0], range.after[0]];
  let [end, endAfter] = [range.before[1], range.after[1]];
  let at = 0;
  while (
    start + at < end &&
    startAfter + at < endAfter &&
    keys.before[start + at] === keys.after[startAfter + at]
  ) {
    keys.same.push([start + at, startAfter + at]);
    at += 1;
  }
  while (
    end > start + at &&
    endAfter > startAfter + at &&
    keys.before[end - 1] === keys.after[endAfter - 1]
  ) {
    end -= 1;
    endAfter -= 1;
    keys.same.push([end, endAfter]);
  }
  const inner: Range = { before: [start + at, end], after: [startAfter + at, endAfter] };
  if (start + at >= end || startAfter + at >= endAfter) return;
  const anchors = depth < DEPTH_MAX ? findAnchors(keys, inner) : [];
  if (anchors.length === 0) {
    keys.same.push(...diffRange(keys, inner));
    return;
  }
  let [from, fromAfter] = [inner.before[0], inner.after[0]];
  for (const [one, other] of anchors) {
    alignRange(keys, { before: [from, one], after: [fromAfter, other] }, depth + 1);
    keys.same.push([one, other]);
    [from, fromAfter] = [one + 1, other + 1];
  }
  alignRange(keys, { before: [from, inner.before[1]], after: [fromAfter, inner.after[1]] }, depth + 1);
}

/** Finds the longest run in both orders of keys that occur once in each range. */
function findAnchors({ before, after }: Keys, range: Range): Pair[] {
  const afterOnce = listOnce(after, range.after);
  const pairs: Pair[] = [...listOnce(before, range.before)]
    .flatMap(([key, place]): Pair[] => {
      const other = afterOnce.get(key);
      return other === undefined ? [] : [[place, other]];
    })
    .sort(([one], [other]) => one - other);
  return findRisingRun(pairs);
}

function listOnce(keys: readonly string[], [from, to]: [number, number]): Map<string, number> {
  const once = new Map<string, number>();
  const seen = new Set<string>();
  for (let place = from; place < to; place += 1) {
    const key = keys[place] ?? '';
    if (seen.has(key)) once.delete(key);
    else once.set(key, place);
    seen.add(key);
  }
  return once;
}

/** Returns the longest subsequence whose second places rise (patience sorting). */
function findRisingRun(pairs: readonly Pair[]): Pair[] {
  const tops: number[] = [];
  const back: number[] = [];
  for (const [index, [, place]] of pairs.entries()) {
    let [low, high] = [0, tops.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((pairs[tops[middle] ?? 0]?.[1] ?? 0) < place) low = middle + 1;
      else high = middle;
    }
    back.push(low === 0 ? -1 : (tops[low - 1] ?? -1));
    tops[low] = index;
  }
  const run: Pair[] = [];
  for (let index = tops.at(-1) ?? -1; index !== -1; index = back[index] ?? -1) {
    const pair = pairs[index];
    if (pair !== undefined) run.push(pair);
  }
  return run.reverse();
}

/** Compares a range whose keys all repeat; gives up where there is little in common. */
function diffRange({ before, after }: Keys, range: Range): Pair[] {
  let [at, atAfter] = [range.before[0], range.after[0]];
  const parts = diffArrays(before.slice(...range.before), after.slice(...range.after), {
    maxEditLength: EDITS_MAX,
  });
  return (parts ?? []).flatMap(({ added, removed, value }): Pair[] => {
    const [from, fromAfter] = [at, atAfter];
    if (!added) at += value.length;
    if (!removed) atAfter += value.length;
    return added || removed ? [] : value.map((_, place) => [from + place, fromAfter + place]);
  });
}

/** Lists the ranges between equal blocks. */
function listGaps(same: readonly Pair[], beforeCount: number, afterCount: number): Range[] {
  const gaps: Range[] = [];
  let [from, fromAfter] = [0, 0];
  for (const [one, other] of [...same, [beforeCount, afterCount] as Pair]) {
    if (one > from && other > fromAfter) gaps.push({ before: [from, one], after: [fromAfter, other] });
    [from, fromAfter] = [one + 1, other + 1];
  }
  return gaps;
}

/** Pairs the blocks of a gap. The parts of a large gap are compared with the parts at the same share of it. */
function pairAlike(
  before: readonly ComparableBlock[],
  after: readonly ComparableBlock[],
  gap: Range,
): Pair[] {
  const {
    before: [from, to],
    after: [fromAfter, toAfter],
  } = gap;
  if ((to - from) * (toAfter - fromAfter) <= COMPARED_MAX) return pairInOrder(before, after, gap);
  if (to - from < 2 || toAfter - fromAfter < 2) return [];
  const [middle, middleAfter] = [(from + to) >> 1, (fromAfter + toAfter) >> 1];
  return [
    ...pairAlike(before, after, { before: [from, middle], after: [fromAfter, middleAfter] }),
    ...pairAlike(before, after, { before: [middle, to], after: [middleAfter, toAfter] }),
  ];
}

/** Pairs blocks so that together they are most alike, in order (Needleman and Wunsch 1970). */
function pairInOrder(
  before: readonly ComparableBlock[],
  after: readonly ComparableBlock[],
  { before: [from, to], after: [fromAfter, toAfter] }: Range,
): Pair[] {
  const rows = to - from;
  const columns = toAfter - fromAfter;
  const width = columns + 1;
  const best = new Float64Array((rows + 1) * width);
  const alike = new Map<number, number>();
  for (let row = 1; row <= rows; row += 1) {
    for (let column = 1; column <= columns; column += 1) {
      const place = row * width + column;
      const skip = Math.max(best[place - width] ?? 0, best[place - 1] ?? 0);
      const likeness = measureLikeness(before[from + row - 1], after[fromAfter + column - 1]);
      best[place] = skip;
      if (likeness < ALIKE_MIN) continue;
      alike.set(place, likeness);
      best[place] = Math.max(skip, (best[place - width - 1] ?? 0) + likeness);
    }
  }
  const pairs: Pair[] = [];
  for (let [row, column] = [rows, columns]; row > 0 && column > 0; ) {
    const place = row * width + column;
    const likeness = alike.get(place);
    if (likeness !== undefined && best[place] === (best[place - width - 1] ?? 0) + likeness) {
      pairs.push([from + row - 1, fromAfter + column - 1]);
      row -= 1;
      column -= 1;
    } else if (best[place] === best[place - width]) row -= 1;
    else column -= 1;
  }
  return pairs.reverse();
}

const isRunningText = ({ kind }: ComparableBlock): boolean => kind === 'text' || kind === 'item';

/** Returns the share of words that two blocks have in common, from 0 to 1 (Dice 1945); rows with the same first cell are alike. */
function measureLikeness(one: ComparableBlock | undefined, other: ComparableBlock | undefined): number {
  if (one === undefined || other === undefined) return 0;
  if (one.kind !== other.kind && !(isRunningText(one) && isRunningText(other))) return 0;
  const total = one.words.length + other.words.length;
  if (total === 0) return one.kind === other.kind ? ALIKE_MIN : 0;
  const counts = new Map<string, number>();
  for (const word of one.words) counts.set(word, (counts.get(word) ?? 0) + 1);
  let shared = 0;
  for (const word of other.words) {
    const left = counts.get(word) ?? 0;
    if (left === 0) continue;
    counts.set(word, left - 1);
    shared += 1;
  }
  const likeness = (2 * shared) / total;
  if (one.kind !== 'row' || likeness >= ALIKE_MIN) return likeness;
  return readFirstCell(one) === readFirstCell(other) ? ALIKE_MIN : likeness;
}

const readFirstCell = ({ key }: ComparableBlock): string => key.split('|', 2).join('|');

/** Pairs equal blocks that stand in different places. */
function pairMoved(
  before: readonly ComparableBlock[],
  after: readonly ComparableBlock[],
  removed: readonly number[],
  added: readonly number[],
): Pair[] {
  const places = new Map<string, number[]>();
  for (const place of added) {
    const key = after[place]?.key ?? '';
    places.set(key, [...(places.get(key) ?? []), place]);
  }
  return removed.flatMap((place): Pair[] => {
    const block = before[place];
    if (block === undefined) return [];
    const isList = block.kind === 'item' || block.kind === 'row';
    if (!isList && block.key.length < MOVED_CHARS_MIN) return [];
    const other = places.get(block.key)?.shift();
    return other === undefined ? [] : [[place, other]];
  });
}

/** Pairs long blocks that were moved and edited. */
function pairElsewhere(
  before: readonly ComparableBlock[],
  after: readonly ComparableBlock[],
  removed: readonly number[],
  added: readonly number[],
): Pair[] {
  const isLong = (block: ComparableBlock | undefined): boolean =>
    (block?.words.length ?? 0) >= WORDS_ELSEWHERE_MIN;
  const from = removed.filter((place) => isLong(before[place]));
  const open = new Set(added.filter((place) => isLong(after[place])));
  if (from.length * open.size > COMPARED_MAX) return [];
  return from.flatMap((place): Pair[] => {
    let found: { at: number; likeness: number } | null = null;
    for (const at of open) {
      const likeness = measureLikeness(before[place], after[at]);
      if (likeness >= ALIKE_ELSEWHERE_MIN && likeness > (found?.likeness ?? 0)) found = { at, likeness };
    }
    if (found === null) return [];
    open.delete(found.at);
    return [[place, found.at]];
  });
}
