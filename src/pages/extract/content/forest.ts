/**
 * An ensemble of decision trees as flat arrays. Nodes are in preorder: the left child follows its parent, `right` is
 * the other one; `feature` -1 marks a leaf, whose `value` is added to the score.
 */
type Forest = {
  feature: Int16Array;
  /** The threshold of a node (left when the feature is at most this), or the value of a leaf. */
  number: Float32Array;
  right: Int32Array;
  /** Where each tree begins. */
  roots: number[];
};

const LEAF = 0xffff;
const NODE_BYTES = 6;

/** Bound on the work for one page: pages of very many blocks are judged by the first trees, which matter most. */
const VISITS_MAX = 4_000_000;

/**
 * Reads a forest written as base64: for each node in preorder a little-endian uint16 (feature, or 65535 for a leaf) and
 * a float32 (threshold or value). A tree ends where its last leaf is.
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

/** Probabilities for the rows of a table of `width` columns. */
export function predict(forest: Forest, table: Float32Array, width: number): Float32Array {
  const rows = table.length / width;
  const { feature, number, right, roots } = forest;
  const trees = Math.min(roots.length, Math.max(20, Math.floor(VISITS_MAX / Math.max(1, rows))));
  const scores = new Float32Array(rows);
  for (let row = 0; row < rows; row += 1) {
    const at = row * width;
    let score = 0;
    for (let tree = 0; tree < trees; tree += 1) {
      let node = roots[tree] as number;
      for (let column = feature[node] as number; column >= 0; column = feature[node] as number) {
        node =
          (table[at + column] as number) <= (number[node] as number) ? node + 1 : (right[node] as number);
      }
      score += number[node] as number;
    }
    scores[row] = 1 / (1 + Math.exp(-score));
  }
  return scores;
}
