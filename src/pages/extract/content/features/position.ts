import type { FeatureGroup, PageView } from '../comments.ts';
import { findPhraseBit, matchPhrases } from '../comments.ts';
import type { Region } from '../regions.ts';

/** Short texts that follow an article: buttons to share and to subscribe, related pages, comments, the next page. */
const ENDS = ['share', 'subscribe', 'related', 'comments', 'previousNext'] as const;
const BITS = ENDS.map(findPhraseBit);
const END_WORDS_MAX = 8;
const LONG_WORDS = 15;
/** Values for "no title" and "no end yet". */
const NO_TITLE = -999;
const NO_END = -1;

/** Features of a block's position between the page's title and the ends of an article, and whether it is a comment. */
export const landmarks: FeatureGroup = {
  names: [
    ...['inComments', 'page:commentShare', 'page:outsideWords', 'titleShare:best'],
    ...['sinceTitled', 'wordsSinceTitled', 'longSinceTitled', 'longAhead'],
    ...['inTitledBox', 'titledBoxShare', 'upToTitledBox', 'sinceEnd', 'wordsSinceEnd'],
    ...ENDS.map((name) => `passed:${name}`),
  ],
  prepare(view) {
    const { cut, blocks, comments, title, container } = view;
    const { words, long, passed, lastEnd } = countPassed(view);
    const all = Math.max(1, cut.regions[0]?.sum.words ?? 1);
    const longAll = Math.max(1, long[blocks.length] ?? 1);
    const box = findCommonRegion(blocks[title.at]?.region ?? null, container);
    const holdsBox = markAncestors(box, cut.regions.length);
    const apart = blocks.reduce((sum, { tally }, at) => sum + (comments[at] === 1 ? tally.words : 0), 0);
    const start = Math.max(0, title.at);
    return (row, at, index) => {
      const region = blocks[index]?.region;
      if (region === undefined) return;
      const end = lastEnd[index] ?? NO_END;
      const hasTitle = title.at !== -1;
      row[at++] = comments[index] ?? 0;
      row[at++] = apart / all;
      row[at++] = long[blocks.length] ?? 0;
      row[at++] = title.share;
      row[at++] = hasTitle ? index - title.at : NO_TITLE;
      row[at++] = hasTitle ? (words[index] ?? 0) - (words[start] ?? 0) : NO_TITLE;
      row[at++] = ((long[index] ?? 0) - (long[start] ?? 0)) / longAll;
      row[at++] = (longAll - (long[index] ?? 0)) / longAll;
      row[at++] = box !== null && index >= box.from && index < box.to ? 1 : 0;
      row[at++] = box === null ? -1 : box.sum.words / all;
      row[at++] = countStepsTo(region, holdsBox);
      row[at++] = end === NO_END ? NO_END : index - end;
      row[at++] = end === NO_END ? NO_END : (words[index] ?? 0) - (words[end] ?? 0);
      for (let kind = 0; kind < BITS.length; kind += 1) row[at++] = passed[index * BITS.length + kind] ?? 0;
    };
  },
};

/** Features of a block's position on the page. */
export const position: FeatureGroup = {
  names: ['index', 'indexShare', 'wordsBeforeShare', 'depth', 'fromEnd', 'textBeforeShare'],
  prepare({ cut, blocks }) {
    const pageWords = Math.max(1, cut.regions[0]?.sum.words ?? 1);
    const before = new Float64Array(blocks.length + 1);
    const running = new Float64Array(blocks.length + 1);
    for (const [index, { tally }] of blocks.entries()) {
      before[index + 1] = (before[index] ?? 0) + tally.words;
      running[index + 1] = (running[index] ?? 0) + (tally.words > 10 ? tally.words - tally.linkWords : 0);
    }
    const runningWords = Math.max(1, running[blocks.length] ?? 1);
    return (row, at, index) => {
      row[at++] = index;
      row[at++] = index / blocks.length;
      row[at++] = (before[index] ?? 0) / pageWords;
      row[at++] = blocks[index]?.region.depth ?? 0;
      row[at++] = blocks.length - index;
      row[at++] = (running[index] ?? 0) / runningWords;
    };
  },
};

/** Counts before each block: words, words of long texts other than comments, how often each end was passed, and the last end. */
function countPassed({ blocks, texts, comments, title }: PageView): {
  words: Float64Array;
  long: Float64Array;
  passed: Uint16Array;
  lastEnd: Int32Array;
} {
  const words = new Float64Array(blocks.length + 1);
  const long = new Float64Array(blocks.length + 1);
  const passed = new Uint16Array((blocks.length + 1) * BITS.length);
  const lastEnd = new Int32Array(blocks.length + 1).fill(NO_END);
  for (const [index, { tally }] of blocks.entries()) {
    const isLong = tally.words >= LONG_WORDS && comments[index] !== 1;
    words[index + 1] = (words[index] ?? 0) + tally.words;
    long[index + 1] = (long[index] ?? 0) + (isLong ? tally.words - tally.linkWords : 0);
    const isShort = index > title.at && tally.words <= END_WORDS_MAX;
    const bits = isShort ? matchPhrases(texts[index] ?? '', tally.words) : 0;
    lastEnd[index + 1] = lastEnd[index] ?? NO_END;
    for (let kind = 0; kind < BITS.length; kind += 1) {
      const says = (bits & (BITS[kind] as number)) !== 0;
      passed[(index + 1) * BITS.length + kind] = (passed[index * BITS.length + kind] ?? 0) + (says ? 1 : 0);
      if (says) lastEnd[index + 1] = index;
    }
  }
  return { words, long, passed, lastEnd };
}

/** Finds the smallest region around both. */
function findCommonRegion(one: Region | null, other: Region): Region | null {
  if (one === null) return null;
  let up: Region | null = other;
  while (up !== null && !(up.from <= one.from && up.to >= one.to)) up = up.parent;
  return up;
}

function markAncestors(region: Region | null, count: number): Uint8Array {
  const holds = new Uint8Array(count);
  for (let up = region; up !== null; up = up.parent) holds[up.index] = 1;
  return holds;
}

function countStepsTo(region: Region, holds: Uint8Array): number {
  let steps = 0;
  for (let up: Region | null = region; up !== null && holds[up.index] === 0; up = up.parent) steps += 1;
  return steps;
}
