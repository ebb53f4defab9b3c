import { readTokenizer } from './read-tokenizer.ts';
import { DIMENSIONS_MAX, reserveMemory, rowProducts } from './row-products.ts';
import { openSafetensors, type Tensor } from './safetensors.ts';
import { quantizeRows, type TokenTable } from './token-table.ts';

/** Where the parts of a static model are: the `safetensors` file and the `tokenizer.json`. */
export type StaticModelFiles = { vectors: string; tokenizer: string };

const WEIGHTS = 'weights';
const MAPPING = 'mapping';

/**
 * A static model as Model2Vec and WordLlama write it: one matrix with a row for each token; optionally `weights` (one for each
 * token) and `mapping` (the row of each token). Throws with one line that says what is missing.
 */
export function openStaticModel(vectors: Uint8Array, tokenizerJson: string): TokenTable {
  const { names, tensor } = openSafetensors(vectors);
  const matrixName = names.find((name) => name !== WEIGHTS && name !== MAPPING);
  if (matrixName === undefined) throw new Error('the safetensors file has no matrix of vectors');
  const matrix = tensor(matrixName);
  const [count, dimensions, ...more] = matrix.shape;
  if (count === undefined || dimensions === undefined || more.length > 0 || dimensions > DIMENSIONS_MAX)
    throw new Error(`the tensor ${matrixName} is not a matrix of at most ${DIMENSIONS_MAX} columns`);
  const { tokens, tokenize } = readTokenizer(tokenizerJson);
  const optional = (name: string): Tensor | null => (names.includes(name) ? tensor(name) : null);
  const mapping = optional(MAPPING)?.values ?? null;
  const known = mapping?.length ?? count;
  if (tokens.length > known)
    throw new Error(`the tokenizer has ${tokens.length} tokens, but only ${known} have vectors`);
  const packed = quantizeRows(matrix.values, dimensions);
  const weights = optional(WEIGHTS)?.values ?? null;
  const byToken = mapping === null ? packed : mapped(packed, mapping);
  return { tokens, tokenize, ...computable(weights === null ? byToken : weighed(byToken, weights)) };
}

type Packed = Pick<TokenTable, 'dimensions' | 'rows' | 'scales'>;

/** A row for each token, where several share one. */
function mapped({ dimensions, rows, scales }: Packed, mapping: Float32Array): Packed {
  const out = new Int8Array(mapping.length * dimensions);
  for (const [token, row] of mapping.entries())
    out.set(rows.subarray(row * dimensions, (row + 1) * dimensions), token * dimensions);
  return { dimensions, rows: out, scales: mapping.map((row) => scales[row] ?? 0) };
}

function weighed(packed: Packed, weights: Float32Array): Packed {
  return { ...packed, scales: packed.scales.map((scale, token) => scale * (weights[token] ?? 1)) };
}

/** With its rows where WebAssembly can reach them. */
function computable({ dimensions, rows, scales }: Packed): Packed & Pick<TokenTable, 'products'> {
  const memory = reserveMemory(rows.length);
  const reachable = new Int8Array(memory.buffer, 0, rows.length);
  reachable.set(rows);
  const products = rowProducts({ rows: reachable, dimensions, memory });
  return { dimensions, rows: reachable, scales, products };
}
