import { toNfkc } from '../words/compatible.ts';
import { createBpeSplitter, createSentencePieces, createUnigramSplitter } from './sentence-pieces.ts';
import { createRowProducts, DIMENSIONS_MAX, quantizeRows, type TokenTable } from './token-table.ts';
import { createWordPiece, type Tokenize } from './word-piece.ts';

const LENGTH_BYTES = 8;

const HEADER_BYTES_MAX = 1_000_000;

const VALUES_MAX = 250_000_000;

/** Readers of values by data type. */
const READERS: Readonly<Record<string, { bytes: number; read(view: DataView, at: number): number }>> = {
  F64: { bytes: 8, read: (view, at) => view.getFloat64(at, true) },
  F32: { bytes: 4, read: (view, at) => view.getFloat32(at, true) },
  F16: { bytes: 2, read: (view, at) => decodeHalfFloat(view.getUint16(at, true)) },
  BF16: { bytes: 2, read: decodeBfloat },
  I64: { bytes: 8, read: (view, at) => Number(view.getBigInt64(at, true)) },
  I32: { bytes: 4, read: (view, at) => view.getInt32(at, true) },
  I8: { bytes: 1, read: (view, at) => view.getInt8(at) },
};

const TOKENS_MAX = 500_000;

const SPACE = '▁';

const mapIds = (tokens: readonly string[]): Map<string, number> =>
  new Map(tokens.map((token, id) => [token, id]));

/** Paths of the files of a static model: the `safetensors` file and the `tokenizer.json`. */
export type StaticModelFiles = { vectors: string; tokenizer: string };

const WEIGHTS = 'weights';
const MAPPING = 'mapping';

/**
 * Opens a static model as written by Model2Vec and WordLlama: one matrix with a row for each token; optionally `weights` (one for
 * each token) and `mapping` (the row of each token). Throws a one-line error that says what is missing.
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
  const readOptional = (name: string): Tensor | null => (names.includes(name) ? tensor(name) : null);
  const mapping = readOptional(MAPPING)?.values ?? null;
  const known = mapping?.length ?? count;
  if (tokens.length > known)
    throw new Error(`the tokenizer has ${tokens.length} tokens, but only ${known} have vectors`);
  const packed = quantizeRows(matrix.values, dimensions);
  const weights = readOptional(WEIGHTS)?.values ?? null;
  const byToken = mapping === null ? packed : mapRows(packed, mapping);
  return { tokens, tokenize, ...attachProducts(weights === null ? byToken : applyWeights(byToken, weights)) };
}

type PackedVectors = Pick<TokenTable, 'dimensions' | 'rows' | 'scales'>;

/** Expands rows shared by several tokens to one row per token. */
function mapRows({ dimensions, rows, scales }: PackedVectors, mapping: Float32Array): PackedVectors {
  const out = new Int8Array(mapping.length * dimensions);
  for (const [token, row] of mapping.entries())
    out.set(rows.subarray(row * dimensions, (row + 1) * dimensions), token * dimensions);
  return { dimensions, rows: out, scales: mapping.map((row) => scales[row] ?? 0) };
}

function applyWeights(packed: PackedVectors, weights: Float32Array): PackedVectors {
  return { ...packed, scales: packed.scales.map((scale, token) => scale * (weights[token] ?? 1)) };
}

function attachProducts(packed: PackedVectors): PackedVectors & Pick<TokenTable, 'products'> {
  return { ...packed, products: createRowProducts(packed) };
}

/** A vocabulary in the order of its ids, and a function that splits a text into ids. */
type Tokenizer = { tokens: string[]; tokenize: Tokenize };

/** The parts of a `tokenizer.json` that are read. */
type TokenizerJson = {
  normalizer?: unknown;
  pre_tokenizer?: unknown;
  model?: {
    type?: string;
    unk_token?: string | null;
    unk_id?: number | null;
    vocab?: Record<string, number> | [string, number][];
    merges?: (string | [string, string])[];
  };
};

/**
 * Reads the `tokenizer.json` of the tokenizers library: WordPiece as in BERT uncased, and BPE and Unigram that mark spaces as
 * SentencePiece does. Special tokens in a text are treated as text. Throws a one-line error for anything else.
 */
export function readTokenizer(json: string): Tokenizer {
  const tokenizer: TokenizerJson = JSON.parse(json);
  const { type, vocab } = tokenizer.model ?? {};
  if (vocab === undefined) throw new Error('tokenizer.json has no vocabulary');
  const tokens = listTokens(vocab);
  if (tokens.length > TOKENS_MAX) throw new Error(`tokenizer.json has more than ${TOKENS_MAX} tokens`);
  const settings = JSON.stringify([tokenizer.normalizer, tokenizer.pre_tokenizer]);
  if (type === 'WordPiece' && settings.includes('"lowercase":true'))
    return {
      tokens,
      tokenize: createWordPiece({ ids: mapIds(tokens), unknown: findUnknown(tokenizer, tokens) }),
    };
  if (settings.includes(SPACE) && (type === 'BPE' || type === 'Unigram'))
    return { tokens, tokenize: createSentencePieceTokenizer(tokenizer, tokens) };
  throw new Error(
    `tokenizer.json is of a kind that is not read (${type ?? 'no type'}); WordPiece (uncased), BPE and Unigram with ${SPACE} are`,
  );
}

function createSentencePieceTokenizer(tokenizer: TokenizerJson, tokens: string[]): Tokenize {
  const { merges = [], vocab } = tokenizer.model ?? {};
  const unknown = findUnknown(tokenizer, tokens);
  if (Array.isArray(vocab)) {
    const scores = new Map(vocab.map(([token, score], id) => [token, { id, score }]));
    const tokenize = createSentencePieces(createUnigramSplitter({ scores, unknown }));
    return (text, max) => tokenize(toNfkc(text).trim().replace(/\s+/g, ' '), max);
  }
  const pairs = merges.map((merge) => (typeof merge === 'string' ? parseMerge(merge) : merge));
  return createSentencePieces(createBpeSplitter({ ids: mapIds(tokens), merges: pairs, unknown }));
}

function parseMerge(merge: string): [string, string] {
  const space = merge.indexOf(' ');
  return [merge.slice(0, space), merge.slice(space + 1)];
}

function listTokens(vocab: Record<string, number> | [string, number][]): string[] {
  if (Array.isArray(vocab)) return vocab.map(([token]) => token);
  const tokens: string[] = [];
  for (const [token, id] of Object.entries(vocab)) tokens[id] = token;
  return Array.from(tokens, (token) => token ?? '');
}

function findUnknown({ model }: TokenizerJson, tokens: readonly string[]): number {
  return model?.unk_id ?? Math.max(0, tokens.indexOf(model?.unk_token ?? '[UNK]'));
}

/** A tensor of a `safetensors` file, with its values as floats. */
type Tensor = { shape: number[]; values: Float32Array };

type Entry = { dtype: string; shape: number[]; data_offsets: [number, number] };

/**
 * Opens a `safetensors` file: the names of its tensors, and a tensor by its name (https://github.com/huggingface/safetensors).
 * Throws a one-line error when the file is incomplete.
 */
export function openSafetensors(bytes: Uint8Array): { names: string[]; tensor(name: string): Tensor } {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (bytes.length < LENGTH_BYTES) throw new Error('not a safetensors file');
  const headerBytes = Number(view.getBigUint64(0, true));
  if (headerBytes > HEADER_BYTES_MAX || LENGTH_BYTES + headerBytes > bytes.length)
    throw new Error('not a safetensors file');
  const start = LENGTH_BYTES + headerBytes;
  const entries = parseEntries(bytes.subarray(LENGTH_BYTES, start));
  return {
    names: [...entries.keys()],
    tensor(name) {
      const entry = entries.get(name);
      if (entry === undefined) throw new Error(`the safetensors file has no tensor ${name}`);
      const data = new DataView(bytes.buffer, bytes.byteOffset + start, bytes.length - start);
      return readTensor(name, entry, data);
    },
  };
}

function parseEntries(header: Uint8Array): Map<string, Entry> {
  try {
    const parsed: unknown = JSON.parse(new TextDecoder().decode(header));
    const named = Object.entries(parsed ?? {}).filter(([name]) => name !== '__metadata__');
    return new Map(named.filter((pair): pair is [string, Entry] => isEntry(pair[1])));
  } catch (cause) {
    throw new Error('the header of the safetensors file is not JSON', { cause });
  }
}

function isEntry(value: unknown): value is Entry {
  if (typeof value !== 'object' || value === null) return false;
  const { dtype, shape, data_offsets: offsets } = value as Partial<Entry>;
  const areCounts = (list: unknown): boolean => Array.isArray(list) && list.every(Number.isSafeInteger);
  return typeof dtype === 'string' && areCounts(shape) && areCounts(offsets);
}

function readTensor(name: string, { dtype, shape, data_offsets: [from, to] }: Entry, data: DataView): Tensor {
  const reader = READERS[dtype];
  if (reader === undefined) throw new Error(`the tensor ${name} has the type ${dtype}, which is not read`);
  const count = shape.reduce((product, size) => product * size, 1);
  if (count < 0 || count > VALUES_MAX) throw new Error(`the tensor ${name} is too large`);
  if (from < 0 || to - from !== count * reader.bytes || to > data.byteLength)
    throw new Error(`the tensor ${name} is cut off`);
  const values = new Float32Array(count);
  for (let at = 0; at < count; at += 1) values[at] = reader.read(data, from + at * reader.bytes);
  return { shape, values };
}

/** Decodes an IEEE 754 binary16 value. */
function decodeHalfFloat(bits: number): number {
  const sign = bits & 0x8000 ? -1 : 1;
  const exponent = (bits >> 10) & 0x1f;
  const fraction = bits & 0x3ff;
  if (exponent === 0) return sign * fraction * 2 ** -24;
  if (exponent === 0x1f) return fraction === 0 ? sign * Number.POSITIVE_INFINITY : Number.NaN;
  return sign * (1 + fraction / 1024) * 2 ** (exponent - 15);
}

/** Decodes a bfloat16 value: the upper half of a binary32. */
function decodeBfloat(view: DataView, at: number): number {
  const upper = new DataView(new ArrayBuffer(4));
  upper.setUint16(0, view.getUint16(at, true));
  return upper.getFloat32(0);
}
