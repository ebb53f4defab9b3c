import type { FeatureGroup } from '../comments.ts';
import type { Block, Region } from '../regions.ts';

type PatternKind = { count: number; words: number; linkWords: number; first: number; last: number };
const LEVELS = [0, 1, 2];
/** Numbers for each region in the result of `computeSignatures`. */
export const SIGNATURES = 4;

/** Features of how often the page repeats a block's pattern of elements: cards, menus, rows, posts. */
export const repetition: FeatureGroup = {
  names: [
    ...LEVELS.flatMap((level) =>
      ['count', 'words', 'linkShare', 'spread', 'pageShare'].map((name) => `alike${level}:${name}`),
    ),
    'sameText',
    'sameTextBefore',
  ],
  prepare({ cut, blocks, texts, signatures }) {
    const kinds = LEVELS.map(() => new Map<number, PatternKind>());
    const copies = new Map<string, number>();
    const before = new Uint16Array(blocks.length);
    const pageWords = Math.max(1, cut.regions[0]?.sum.words ?? 1);
    for (let index = 0; index < blocks.length; index += 1) {
      const block = blocks[index] as Block;
      for (const level of LEVELS)
        recordKind(
          kinds[level] as Map<number, PatternKind>,
          findSignature(block, level, signatures),
          block,
          index,
        );
      const text = texts[index] ?? '';
      before[index] = copies.get(text) ?? 0;
      copies.set(text, (copies.get(text) ?? 0) + 1);
    }
    return (row, at, index) => {
      const block = blocks[index];
      if (block === undefined) return;
      for (const level of LEVELS) {
        const kind = kinds[level]?.get(findSignature(block, level, signatures));
        row[at++] = kind?.count ?? 0;
        row[at++] = kind === undefined ? 0 : kind.words / kind.count;
        row[at++] = kind === undefined ? 0 : kind.linkWords / Math.max(1, kind.words);
        row[at++] = kind === undefined ? 0 : (kind.last - kind.first) / blocks.length;
        row[at++] = kind === undefined ? 0 : kind.words / pageWords;
      }
      row[at++] = copies.get(texts[index] ?? '') ?? 1;
      row[at++] = before[index] ?? 0;
    };
  },
};

function recordKind(
  kinds: Map<number, PatternKind>,
  signature: number,
  { tally }: Block,
  index: number,
): void {
  const kind = kinds.get(signature);
  if (kind === undefined) {
    kinds.set(signature, {
      count: 1,
      words: tally.words,
      linkWords: tally.linkWords,
      first: index,
      last: index,
    });
    return;
  }
  kind.count += 1;
  kind.words += tally.words;
  kind.linkWords += tally.linkWords;
  kind.last = index;
}

/**
 * Computes for each region four numbers: its tag with its first class, the same with its parent's mixed in, with its parent's and
 * grandparent's, and with those of all its ancestors.
 */
export function computeSignatures(regions: Region[]): Int32Array {
  const signatures = new Int32Array(regions.length * SIGNATURES);
  const numberOf = createNameNumbering();
  for (const { index, parent, element } of regions) {
    const own = numberOf(element.tag, element.attributes.class ?? '');
    const at = index * SIGNATURES;
    const above = parent === null ? 0 : parent.index * SIGNATURES;
    signatures[at] = own;
    signatures[at + 1] = mix(own, signatures[above] ?? 0);
    signatures[at + 2] = mix(own, signatures[above + 1] ?? 0);
    signatures[at + 3] = mix(own, signatures[above + 3] ?? 0);
  }
  return signatures;
}

/** Creates a numbering of tags with the first of their classes; each spelling is parsed once. */
function createNameNumbering(): (tag: string, classes: string) => number {
  const numbers = new Map<string, number>();
  const written = new Map<string, Map<string, number>>();
  return (tag, classes) => {
    const ofTag = written.get(tag) ?? new Map<string, number>();
    if (ofTag.size === 0) written.set(tag, ofTag);
    let number = ofTag.get(classes);
    if (number !== undefined) return number;
    const name = `${tag}.${readFirstWord(classes)}`;
    number = numbers.get(name) ?? numbers.size + 1;
    numbers.set(name, number);
    ofTag.set(classes, number);
    return number;
  };
}

function mix(own: number, above: number): number {
  return (Math.imul(own, 0x9e3779b1) ^ Math.imul(above, 0x85ebca6b)) | 0;
}

function readFirstWord(classes: string): string {
  const text = classes.trimStart();
  const end = text.search(/\s/);
  return (end === -1 ? text : text.slice(0, end)).slice(0, 60).replace(/\d+/g, '0');
}

/** Finds the signature of a level. 0: tag with two levels above; 1: the region's class only; 2: the pattern of the region two levels up. */
function findSignature({ region }: Block, level: number, signatures: Int32Array): number {
  if (level === 0) return signatures[region.index * SIGNATURES + 2] ?? 0;
  if (level === 1) return signatures[region.index * SIGNATURES] ?? 0;
  const above = region.parent?.parent ?? region;
  return signatures[above.index * SIGNATURES + 1] ?? 0;
}
