import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/*
 * The smallest models that have the shape of real ones, written as ONNX (protobuf) by hand. Each word of the vocabulary has a
 * vector; a cross-encoder gives the mean of their only figure as its logit, a bi-encoder the vectors themselves.
 */

const FLOAT = 1;
const INT64 = 7;
const VARINT = 0;
const BYTES = 2;

function varint(value: number): number[] {
  const bytes: number[] = [];
  let rest = value;
  for (; rest > 0x7f; rest = Math.floor(rest / 128)) bytes.push((rest % 128) | 0x80);
  return [...bytes, rest];
}
const number = (field: number, value: number): number[] => [
  ...varint((field << 3) | VARINT),
  ...varint(value),
];
const bytes = (field: number, value: Iterable<number>): number[] => {
  const content = [...value];
  return [...varint((field << 3) | BYTES), ...varint(content.length), ...content];
};
const text = (field: number, value: string): number[] => bytes(field, Buffer.from(value));

/** TensorProto: dims, data_type, name, raw_data. */
function tensor(name: string, dims: number[], figures: number[]): number[] {
  const raw = new Uint8Array(Float32Array.from(figures).buffer);
  return [
    ...dims.flatMap((size) => number(1, size)),
    ...number(2, FLOAT),
    ...text(8, name),
    ...bytes(9, raw),
  ];
}

/** ValueInfoProto with a shape whose sizes are numbers or names. */
function valueInfo(name: string, type: number, sizes: (number | string)[]): number[] {
  const shape = sizes.flatMap((size) => bytes(1, typeof size === 'number' ? number(1, size) : text(2, size)));
  const tensorType = [...number(1, type), ...bytes(2, shape)];
  return [...text(1, name), ...bytes(2, bytes(1, tensorType))];
}

function node(op: string, ends: { inputs: string[]; output: string }, attributes: number[][] = []): number[] {
  return [
    ...ends.inputs.flatMap((name) => text(1, name)),
    ...text(2, ends.output),
    ...text(4, op),
    ...attributes.flatMap((attribute) => bytes(5, attribute)),
  ];
}

/** AttributeProto of type INT (2) or INTS (7). */
const int = (name: string, value: number): number[] => [
  ...text(1, name),
  ...number(3, value),
  ...number(20, 2),
];
const ints = (name: string, values: number[]): number[] => [
  ...text(1, name),
  ...values.flatMap((value) => number(8, value)),
  ...number(20, 7),
];

export type TinyModel = { kind: 'cross' | 'bi'; words: Record<string, number[]> };

/** Writes a folder as models are published in: tokenizer.json, tokenizer_config.json, onnx/model.onnx. */
export function writeTinyModel(folder: string, { kind, words }: TinyModel): void {
  const vectors = Object.values(words);
  const width = vectors[0]?.length ?? 1;
  const vocabulary = ['[UNK]', ...Object.keys(words)];
  const table = tensor(
    'vectors',
    [vocabulary.length, width],
    [...new Array(width).fill(0), ...vectors.flat()],
  );
  const gathered = kind === 'cross' ? 'gathered' : 'last_hidden_state';
  const nodes = [node('Gather', { inputs: ['vectors', 'input_ids'], output: gathered }, [int('axis', 0)])];
  if (kind === 'cross') {
    const mean = [ints('axes', [1]), int('keepdims', 0)];
    nodes.push(node('ReduceMean', { inputs: [gathered], output: 'logits' }, mean));
  }
  const output =
    kind === 'cross' ? valueInfo('logits', FLOAT, [1, 1]) : valueInfo(gathered, FLOAT, [1, 'tokens', width]);
  const graph = [
    ...nodes.flatMap((one) => bytes(1, one)),
    ...text(2, 'tiny'),
    ...bytes(5, table),
    ...bytes(11, valueInfo('input_ids', INT64, [1, 'tokens'])),
    ...bytes(12, output),
  ];
  const model = [...number(1, 8), ...bytes(7, graph), ...bytes(8, [...text(1, ''), ...number(2, 13)])];
  mkdirSync(join(folder, 'onnx'), { recursive: true });
  writeFileSync(join(folder, 'onnx/model.onnx'), Uint8Array.from(model));
  writeFileSync(join(folder, 'tokenizer.json'), JSON.stringify(tokenizer(vocabulary)));
  writeFileSync(join(folder, 'tokenizer_config.json'), '{}');
}

function tokenizer(vocabulary: string[]): object {
  const vocab = Object.fromEntries(vocabulary.map((word, id) => [word, id]));
  return {
    ...{ version: '1.0', truncation: null, padding: null, added_tokens: [] },
    ...{ normalizer: { type: 'Lowercase' }, pre_tokenizer: { type: 'Whitespace' } },
    ...{ post_processor: null, decoder: null, model: { type: 'WordLevel', vocab, unk_token: '[UNK]' } },
  };
}
