import { createNumberBuffer } from './features/table.ts';

/**
 * An ensemble of decision trees as flat arrays. Nodes are in preorder: the left child follows its parent, `right` is
 * the other one; `feature` -1 marks a leaf, whose `number` is added to the score.
 */
export type Forest = {
  feature: Int16Array;
  /** The threshold of a node (left when the feature is at most this), or the value of a leaf. */
  number: Float32Array;
  right: Int32Array;
  /** The first node of each tree. */
  roots: number[];
};

const LEAF = 0xffff;
const NODE_BYTES = 6;

/** Maximum node visits for one page; pages with very many blocks are scored by the first trees, which matter most. */
const VISITS_MAX = 4_000_000;

/**
 * Reads a forest from base64: for each node in preorder a little-endian uint16 (feature, or 65535 for a leaf) and
 * a float32 (threshold or value). A tree ends with its last leaf.
 */
export function readForest(base64: string): Forest {
  const bytes = Buffer.from(base64, 'base64');
  const count = bytes.length / NODE_BYTES;
  const forest: Forest = {
    feature: new Int16Array(count),
    number: new Float32Array(count),
    right: new Int32Array(count),
    roots: [],
  };
  const waiting: number[] = [];
  for (let node = 0; node < count; node += 1) {
    const feature = bytes.readUInt16LE(node * NODE_BYTES);
    forest.number[node] = bytes.readFloatLE(node * NODE_BYTES + 2);
    forest.feature[node] = feature === LEAF ? -1 : feature;
    const isRoot = node === 0 || (waiting.length === 0 && forest.feature[node - 1] === -1);
    if (isRoot) forest.roots.push(node);
    else if (forest.feature[node - 1] === -1) forest.right[waiting.pop() ?? 0] = node;
    if (feature !== LEAF) waiting.push(node);
  }
  return forest;
}

/** Predicts a probability for each row of a table of `width` columns. */
export function predictProbabilities(forest: Forest, table: Float32Array, width: number): Float32Array {
  const rows = table.length / width;
  const affordable = Math.floor(VISITS_MAX / Math.max(1, rows));
  const trees = Math.min(forest.roots.length, Math.max(TREES_MIN, affordable));
  const page: ForestRows = {
    ...transposeTable(table, width),
    order: new Int32Array(rows),
    aside: new Int32Array(rows),
    scores: new Float64Array(rows),
  };
  for (let tree = 0; tree < trees; tree += 1) {
    for (let row = 0; row < rows; row += 1) page.order[row] = row;
    if (rows > 0) addTree(forest, forest.roots[tree] as number, page, 0, rows);
  }
  return Float32Array.from(page.scores, (score) => 1 / (1 + Math.exp(-score)));
}
const TREES_MIN = 20;

type ForestRows = {
  /** The transposed table, column by column; a constant column has only its first value. */
  columns: Float32Array;
  isConstant: Uint8Array;
  /** Row numbers, with the rows that reach the same node side by side. */
  order: Int32Array;
  aside: Int32Array;
  scores: Float64Array;
};

/**
 * Adds a tree's values to the scores of rows [from, to) of `order`. All rows descend together and are partitioned at each
 * node: this avoids branch mispredictions, and a feature of the whole page is tested once.
 */
function addTree(forest: Forest, root: number, page: ForestRows, start: number, to: number): void {
  const { feature, number, right } = forest;
  const { columns, isConstant, order, scores } = page;
  let node = root;
  let from = start;
  for (let column = feature[node] as number; column >= 0; column = feature[node] as number) {
    const limit = number[node] as number;
    const base = column * scores.length;
    const middle =
      isConstant[column] === 0
        ? partitionRows(page, from, to, base, limit)
        : (columns[base] as number) <= limit
          ? to
          : from;
    if (middle > from && middle < to) addTree(forest, node + 1, page, from, middle);
    node = middle === to ? node + 1 : (right[node] as number);
    if (middle < to) from = middle;
  }
  const value = number[node] as number;
  for (let at = from; at < to; at += 1) {
    const row = order[at] as number;
    scores[row] = (scores[row] as number) + value;
  }
}

/** Moves the rows with at most `limit` before the others, keeping their order, and returns the index of the first of the others. */
function partitionRows(
  { columns, order, aside }: ForestRows,
  from: number,
  to: number,
  base: number,
  limit: number,
): number {
  let middle = from;
  let others = 0;
  for (let at = from; at < to; at += 1) {
    const row = order[at] as number;
    order[middle] = row;
    aside[others] = row;
    const isAtMost = +((columns[base + row] as number) <= limit);
    middle += isAtMost;
    others += 1 - isAtMost;
  }
  for (let at = 0; at < others; at += 1) order[middle + at] = aside[at] as number;
  return middle;
}

const numbers = createNumberBuffer();

function transposeTable(table: Float32Array, width: number): Pick<ForestRows, 'columns' | 'isConstant'> {
  const rows = table.length / width;
  const columns = numbers(table.length);
  const isConstant = new Uint8Array(width);
  for (let column = 0; column < width; column += 1) {
    const base = column * rows;
    const first = table[column] as number;
    columns[base] = first;
    let row = 1;
    while (row < rows && table[row * width + column] === first) row += 1;
    if (row >= rows) isConstant[column] = 1;
    else for (row = 1; row < rows; row += 1) columns[base + row] = table[row * width + column] as number;
  }
  return { columns, isConstant };
}
