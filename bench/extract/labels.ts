import { wordsOf } from './word-f1.ts';

export type Labelled = {
  /** Words of each block. */
  words: number[];
  /** For each block, the share of its words that the marked text contains in the same order. */
  labels: number[];
  goldWords: number;
};

const RUN = 3;
const AROUND = 6;

/**
 * Labels each block that belongs to the marked text: a word counts if the marked text contains a run of three words of the page
 * around it. A text that the page repeats more often than the marked text keeps its label only where its neighbours have it too.
 */
export function labelBlocks(texts: string[], gold: string): Labelled {
  const goldWords = wordsOf(gold);
  const runs = new Set<string>();
  for (let at = 0; at + RUN <= goldWords.length; at += 1) runs.add(goldWords.slice(at, at + RUN).join(' '));
  const blocks = texts.map(wordsOf);
  const all = blocks.flat();
  const inGold = new Uint8Array(all.length);
  for (let at = 0; at + RUN <= all.length; at += 1) {
    if (runs.has(all.slice(at, at + RUN).join(' '))) inGold.fill(1, at, at + RUN);
  }
  const words = blocks.map(({ length }) => length);
  const labels: number[] = [];
  let at = 0;
  for (const { length } of blocks) {
    let hits = 0;
    for (let word = at; word < at + length; word += 1) hits += inGold[word] ?? 0;
    labels.push(length === 0 ? 0 : hits / length);
    at += length;
  }
  dropSpareCopies(blocks, labels, goldWords);
  return { words, labels, goldWords: goldWords.length };
}

function dropSpareCopies(blocks: string[][], labels: number[], goldWords: string[]): void {
  const gold = ` ${goldWords.join(' ')} `;
  const copies = new Map<string, number[]>();
  for (const [index, words] of blocks.entries()) {
    if ((labels[index] ?? 0) < 0.5) continue;
    const key = words.join(' ');
    const places = copies.get(key);
    if (places === undefined) copies.set(key, [index]);
    else places.push(index);
  }
  const before = [...labels];
  for (const [key, places] of copies) {
    if (places.length < 2) continue;
    const allowed = Math.max(1, gold.split(` ${key} `).length - 1);
    const ranked = places
      .map((index) => ({ index, support: supportAt(index, blocks, before) }))
      .sort((one, other) => other.support - one.support);
    for (const { index } of ranked.slice(allowed)) labels[index] = 0;
  }
}

/** Share of the words in the blocks around that carry the label. */
function supportAt(index: number, blocks: string[][], labels: number[]): number {
  let words = 1;
  let labelled = 0;
  for (
    let other = Math.max(0, index - AROUND);
    other <= index + AROUND && other < blocks.length;
    other += 1
  ) {
    if (other === index) continue;
    const length = blocks[other]?.length ?? 0;
    words += length;
    labelled += length * (labels[other] ?? 0);
  }
  return labelled / words;
}
