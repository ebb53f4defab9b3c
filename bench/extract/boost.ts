/** A tree as flat arrays in preorder: the left child follows its node; `feature` -1 marks a leaf. */
export type GrownTree = { feature: number[]; threshold: number[]; right: number[]; value: number[] };

export type BoostOptions = {
  trees: number;
  leaves: number;
  rate: number;
  /** Shares of the rows and of the columns that each tree sees. */
  rowShare: number;
  columnShare: number;
  /** Minimum sum of second derivatives in a leaf, and the ridge on leaf values. */
  hessianMin: number;
  ridge: number;
  seed: number;
};

/** Rows in bins, column by column: `bins[column * rows + row]`; a value v lies in the first bin with v <= edge. */
export type Binned = { rows: number; columns: number; bins: Uint8Array; edges: Float32Array[] };

const BINS_MAX = 64;

/** Cuts each column of a row-major table at quantiles of a sample of its values. */
export function binned(table: Float32Array, columns: number): Binned {
  const rows = table.length / columns;
  const bins = new Uint8Array(rows * columns);
  const edges: Float32Array[] = [];
  const step = Math.max(1, Math.floor(rows / 40_000));
  for (let column = 0; column < columns; column += 1) {
    const sample: number[] = [];
    for (let row = 0; row < rows; row += step) sample.push(table[row * columns + column] ?? 0);
    const cuts = quantiles(Float32Array.from(sample).sort());
    edges.push(cuts);
    for (let row = 0; row < rows; row += 1) {
      bins[column * rows + row] = binOf(cuts, table[row * columns + column] ?? 0);
    }
  }
  return { rows, columns, bins, edges };
}

function quantiles(sorted: Float32Array): Float32Array {
  const cuts: number[] = [];
  for (let bin = 1; bin < BINS_MAX; bin += 1) {
    const cut = sorted[Math.floor((bin * sorted.length) / BINS_MAX)] ?? 0;
    if (cut !== cuts.at(-1) && cut !== sorted.at(-1)) cuts.push(cut);
  }
  return Float32Array.from(cuts);
}

function binOf(cuts: Float32Array, value: number): number {
  let low = 0;
  let high = cuts.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (value <= (cuts[middle] ?? 0)) high = middle;
    else low = middle + 1;
  }
  return low;
}

/** What `boost` needs, as one value. */
export type BoostTask = {
  data: Binned;
  rows: Int32Array;
  target: { labels: Float32Array; weights: Float32Array };
  options: BoostOptions;
};

/** `boost` for a thread. */
export function boostTask({ data, rows, target, options }: BoostTask): GrownTree[] {
  return boost(data, rows, target, options);
}

/** Gradient boosting of the weighted logistic loss on labels in [0, 1], trees grown leaf by leaf. */
export function boost(
  data: Binned,
  rows: Int32Array,
  target: { labels: Float32Array; weights: Float32Array },
  options: BoostOptions,
): GrownTree[] {
  const random = generator(options.seed);
  const scores = new Float32Array(data.rows);
  const gradients = new Float32Array(data.rows);
  const hessians = new Float32Array(data.rows);
  const trees: GrownTree[] = [];
  for (let round = 0; round < options.trees; round += 1) {
    for (const row of rows) {
      const p = 1 / (1 + Math.exp(-(scores[row] ?? 0)));
      const weight = target.weights[row] ?? 0;
      gradients[row] = weight * (p - (target.labels[row] ?? 0));
      hessians[row] = weight * Math.max(1e-6, p * (1 - p));
    }
    const sample = rows.filter(() => random() < options.rowShare);
    const columns = [...data.edges.keys()].filter(
      (column) => (data.edges[column]?.length ?? 0) > 0 && random() < options.columnShare,
    );
    const tree = growTree(data, { rows: sample, columns, gradients, hessians }, options);
    addScores(data, tree, rows, scores);
    trees.push(withThresholds(tree, data.edges));
  }
  return trees;
}

type Task = { rows: Int32Array; columns: number[]; gradients: Float32Array; hessians: Float32Array };
type Split = { gain: number; column: number; bin: number };
type Leaf = {
  rows: Int32Array;
  sums: Float64Array;
  g: number;
  h: number;
  split: Split | null;
  left: Leaf | null;
  right: Leaf | null;
};

function growTree(data: Binned, task: Task, options: BoostOptions): GrownTree {
  const root = leafOf(data, task, task.rows, null, options);
  const open = [root];
  for (let leaves = 1; leaves < options.leaves; leaves += 1) {
    let best: Leaf | null = null;
    for (const leaf of open) {
      if (leaf.split !== null && (best?.split == null || leaf.split.gain > best.split.gain)) best = leaf;
    }
    if (best?.split == null) break;
    divide(data, task, best, best.split, options);
    open.splice(open.indexOf(best), 1);
    if (best.left !== null && best.right !== null) open.push(best.left, best.right);
  }
  return flatten(root, options);
}

function divide(data: Binned, task: Task, leaf: Leaf, split: Split, options: BoostOptions): void {
  const at = split.column * data.rows;
  const goesLeft = (row: number): boolean => (data.bins[at + row] ?? 0) <= split.bin;
  const left = leaf.rows.filter(goesLeft);
  const right = leaf.rows.filter((row) => !goesLeft(row));
  // The larger side's sums follow by subtraction, which halves the work.
  if (left.length < right.length) {
    leaf.left = leafOf(data, task, left, null, options);
    leaf.right = leafOf(data, task, right, { whole: leaf.sums, part: leaf.left.sums }, options);
  } else {
    leaf.right = leafOf(data, task, right, null, options);
    leaf.left = leafOf(data, task, left, { whole: leaf.sums, part: leaf.right.sums }, options);
  }
  leaf.rows = new Int32Array(0);
  leaf.sums = new Float64Array(0);
}

function leafOf(
  data: Binned,
  task: Task,
  rows: Int32Array,
  difference: { whole: Float64Array; part: Float64Array } | null,
  options: BoostOptions,
): Leaf {
  const sums = difference === null ? summed(data, task, rows) : difference.whole;
  if (difference !== null) {
    for (let at = 0; at < sums.length; at += 1) sums[at] = (sums[at] ?? 0) - (difference.part[at] ?? 0);
  }
  let g = 0;
  let h = 0;
  for (let bin = 0; bin < BINS_MAX; bin += 1) {
    g += sums[bin * 2] ?? 0;
    h += sums[bin * 2 + 1] ?? 0;
  }
  return {
    rows,
    sums,
    g,
    h,
    split: bestSplit(sums, task.columns, { g, h }, options),
    left: null,
    right: null,
  };
}

/** For each column and bin the sums of first and second derivatives. */
function summed(data: Binned, { columns, gradients, hessians }: Task, rows: Int32Array): Float64Array {
  const sums = new Float64Array(columns.length * BINS_MAX * 2);
  // Gathered once in row order, then read for every column: several times faster than by row number.
  const g = Float32Array.from(rows, (row) => gradients[row] as number);
  const h = Float32Array.from(rows, (row) => hessians[row] as number);
  for (let each = 0; each < columns.length; each += 1) {
    const from = (columns[each] ?? 0) * data.rows;
    addColumn(sums.subarray(each * BINS_MAX * 2), data.bins.subarray(from, from + data.rows), rows, g, h);
  }
  return sums;
}

function addColumn(
  sums: Float64Array,
  bins: Uint8Array,
  rows: Int32Array,
  g: Float32Array,
  h: Float32Array,
): void {
  for (let index = 0; index < rows.length; index += 1) {
    const at = (bins[rows[index] as number] as number) * 2;
    sums[at] = (sums[at] as number) + (g[index] as number);
    sums[at + 1] = (sums[at + 1] as number) + (h[index] as number);
  }
}

function bestSplit(
  sums: Float64Array,
  columns: number[],
  total: { g: number; h: number },
  { hessianMin, ridge }: BoostOptions,
): Split | null {
  const whole = (total.g * total.g) / (total.h + ridge);
  let best: Split | null = null;
  for (const [each, column] of columns.entries()) {
    let g = 0;
    let h = 0;
    for (let bin = 0; bin < BINS_MAX - 1; bin += 1) {
      const at = (each * BINS_MAX + bin) * 2;
      if (sums[at + 1] === 0) continue;
      g += sums[at] ?? 0;
      h += sums[at + 1] ?? 0;
      if (h < hessianMin) continue;
      if (total.h - h < hessianMin) break;
      const other = total.g - g;
      const gain = (g * g) / (h + ridge) + (other * other) / (total.h - h + ridge) - whole;
      if (gain > 1e-4 && (best === null || gain > best.gain)) best = { gain, column, bin };
    }
  }
  return best;
}

function flatten(root: Leaf, { rate, ridge }: BoostOptions): GrownTree {
  const tree: GrownTree = { feature: [], threshold: [], right: [], value: [] };
  const visit = (leaf: Leaf): void => {
    const at = tree.feature.length;
    const inner = leaf.left !== null && leaf.right !== null && leaf.split !== null;
    tree.feature.push(inner ? (leaf.split?.column ?? 0) : -1);
    tree.threshold.push(inner ? (leaf.split?.bin ?? 0) : 0);
    tree.value.push(inner ? 0 : (-leaf.g / (leaf.h + ridge)) * rate);
    tree.right.push(0);
    if (leaf.left === null || leaf.right === null) return;
    visit(leaf.left);
    tree.right[at] = tree.feature.length;
    visit(leaf.right);
  };
  visit(root);
  return tree;
}

/** During training, thresholds are bin numbers. */
function addScores(data: Binned, tree: GrownTree, rows: Int32Array, scores: Float32Array): void {
  const { feature, threshold, right, value } = tree;
  for (const row of rows) {
    let node = 0;
    for (let column = feature[0] ?? -1; column >= 0; column = feature[node] ?? -1) {
      const bin = data.bins[column * data.rows + row] ?? 0;
      node = bin <= (threshold[node] ?? 0) ? node + 1 : (right[node] ?? 0);
    }
    scores[row] = (scores[row] ?? 0) + (value[node] ?? 0);
  }
}

function withThresholds(tree: GrownTree, edges: Float32Array[]): GrownTree {
  const threshold = tree.feature.map((column, node) =>
    column < 0 ? 0 : (edges[column]?.[tree.threshold[node] ?? 0] ?? 0),
  );
  return { ...tree, threshold };
}

/** A small seeded generator (mulberry32), so that a training can be repeated. */
export function generator(seed: number): () => number {
  let state = seed | 0;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}
