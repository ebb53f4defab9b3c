import { existsSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { LRUCache } from 'lru-cache';
import * as z from 'zod';

/** Scores how well a passage answers a query, from 0 to 1. The last results are cached. */
type Model = {
  score(query: string, passage: string): Promise<number>;
  /**
   * Scores by late interaction: the mean over the tokens of the query of the highest cosine with a token of the passage. Vectors of whole
   * texts blur what one sentence says; this finds it. Null for a cross-encoder, which has no vectors.
   */
  compareTokens(query: string, passage: string): Promise<number | null>;
};

/*
 * Operators who want a model install the two packages (291 MB) in a separate folder, so their types are not available here. These are
 * the parts of onnxruntime-node 1.30 and @huggingface/tokenizers 0.2 that are used:
 */
type Tensor = { data: ArrayLike<number>; dims: readonly number[] };
type Session = {
  inputNames: readonly string[];
  outputNames: readonly string[];
  run(feeds: Record<string, unknown>): Promise<Record<string, Tensor>>;
};
type Runtime = {
  InferenceSession: { create(path: string, options: object): Promise<Session> };
  Tensor: new (type: 'int64', data: BigInt64Array, dims: number[]) => unknown;
};
type Encoding = { ids: number[]; attention_mask: number[]; token_type_ids?: number[] };
type Tokenizer = {
  encode(text: string, options: { text_pair?: string; return_token_type_ids: true }): Encoding;
};
type Tokenizers = { Tokenizer: new (tokenizer: object, config: object) => Tokenizer };

const pooling = z.object({ pooling_mode_cls_token: z.boolean().default(false) });
const sentences = z.object({ prompts: z.record(z.string(), z.string()).default({}) });

const PACKAGES = ['onnxruntime-node', '@huggingface/tokenizers'] as const;
const LOCKED = join(import.meta.dirname, '../../../runtime/models/package.json');
const GRAPHS = ['onnx/model_quantized.onnx', 'onnx/model.onnx', 'model_quantized.onnx', 'model.onnx'];
/** Maximum tokens per input; models of this size are trained for it. */
const TOKENS_MAX = 512;
const PASSAGE_CHARS_MAX = 2_000;
const QUERY_CHARS_MAX = 500;
/** Maximum vectors or scores in the cache. */
const KEPT_MAX = 2_000;
/** Maximum queries whose tokens are kept: the passages of a page are compared with one. */
const KEPT_QUERIES_MAX = 20;

/**
 * Opens a model from a folder with `tokenizer.json` and `onnx/model_quantized.onnx` (or `model.onnx`). An output of rank 2 means a
 * cross-encoder (its logit scores the pair), one of rank 3 a bi-encoder (cosine; the mean of the tokens, or what the folder's
 * `1_Pooling/config.json` says, and the prompts of its `config_sentence_transformers.json`). Throws with one line on what is missing.
 */
export async function openModel(folder: string): Promise<Model> {
  const graph = GRAPHS.map((name) => join(folder, name)).find((path) => existsSync(path));
  if (graph === undefined)
    throw new Error(`${folder} has no onnx/model_quantized.onnx and no onnx/model.onnx`);
  const tokenizerFile = join(folder, 'tokenizer.json');
  if (!existsSync(tokenizerFile)) throw new Error(`${folder} has no tokenizer.json`);
  const [runtime, tokenizers] = await loadPackages();
  // More than one thread per passage doubles the CPU time and saves almost no wall-clock time.
  const session = await runtime.InferenceSession.create(graph, {
    intraOpNumThreads: 1,
    interOpNumThreads: 1,
  });
  // Padding would be computed too, and the length is bounded below.
  const tokenizer = new tokenizers.Tokenizer(
    { ...readJson(tokenizerFile), padding: null, truncation: null },
    readJson(join(folder, 'tokenizer_config.json')),
  );
  return createModel({ session, tokenizer, runtime, ...readSentenceSettings(folder) });
}

/** Reads the pooling and the prompts of a bi-encoder from the files of sentence-transformers; without them, the mean and no prompts. */
function readSentenceSettings(folder: string): Pick<LoadedModel, 'isFirstToken' | 'prompts'> {
  const { pooling_mode_cls_token: isFirstToken } = readSettingsFile(folder, '1_Pooling/config.json', pooling);
  const { prompts } = readSettingsFile(folder, 'config_sentence_transformers.json', sentences);
  return {
    isFirstToken,
    prompts: { query: prompts.query ?? '', passage: prompts.passage ?? prompts.document ?? '' },
  };
}

function readSettingsFile<Schema extends z.ZodType>(
  folder: string,
  name: string,
  schema: Schema,
): z.output<Schema> {
  const { data, error } = schema.safeParse(readJson(join(folder, name)));
  if (error === undefined) return data;
  const [{ path, message } = { path: [], message: '' }] = error.issues;
  throw new Error(`${join(folder, name)}: ${path.join('.')}: ${message}`);
}

/** Resolves the URLs of the packages, next to this project's own or in `runtime/models`. Throws with the command that installs them. */
export function resolveModelPackages(): string[] {
  try {
    const { resolve } = createRequire(LOCKED);
    return PACKAGES.map((name) => pathToFileURL(resolve(name)).href);
  } catch (cause) {
    const command = `npm ci --ignore-scripts --prefix ${dirname(LOCKED)}`;
    throw new Error(`the packages that run a model are not installed: ${command}`, { cause });
  }
}

async function loadPackages(): Promise<[Runtime, Tokenizers]> {
  // The types above describe these modules.
  const [runtime, tokenizers] = await Promise.all(resolveModelPackages().map((address) => import(address)));
  return [(runtime.default ?? runtime) as Runtime, (tokenizers.default ?? tokenizers) as Tokenizers];
}

function readJson(path: string): object {
  return existsSync(path) ? JSON.parse(readFileSync(path, 'utf8')) : {};
}

type LoadedModel = {
  session: Session;
  tokenizer: Tokenizer;
  runtime: Runtime;
  /** True if the vector of the first token stands for the whole text, instead of the mean. */
  isFirstToken: boolean;
  /** Prompt prefix for each input. */
  prompts: { query: string; passage: string };
};

/** Creates the model. Its kind is known only from the first output. */
function createModel(loaded: LoadedModel): Model {
  let model: Model | null = null;
  const identify = async (query: string, passage: string): Promise<Model> => {
    if (model === null) {
      const { dims } = await runModel(loaded, ...truncatePair(query, passage));
      model = dims.length === 2 ? createCrossEncoder(loaded) : createBiEncoder(loaded);
    }
    return model;
  };
  return {
    score: async (query, passage) => (await identify(query, passage)).score(query, passage),
    compareTokens: async (query, passage) => (await identify(query, passage)).compareTokens(query, passage),
  };
}

function createCrossEncoder(loaded: LoadedModel): Model {
  const kept = new LRUCache<string, number>({ max: KEPT_MAX });
  return {
    async score(query, passage) {
      const [asked, answer] = truncatePair(query, passage);
      const key = `${asked}\n${answer}`;
      const before = kept.get(key);
      if (before !== undefined) return before;
      const { data } = await runModel(loaded, asked, answer);
      const score = computeSigmoid(data[data.length - 1] ?? 0);
      kept.set(key, score);
      return score;
    },
    compareTokens: async () => null,
  };
}

function createBiEncoder(loaded: LoadedModel): Model {
  const kept = new LRUCache<string, number[]>({ max: KEPT_MAX });
  const keptQueries = new LRUCache<string, Float32Array[]>({ max: KEPT_QUERIES_MAX });
  const computeVector = async (text: string): Promise<number[]> => {
    const before = kept.get(text);
    if (before !== undefined) return before;
    const output = await runModel(loaded, text);
    const vector = loaded.isFirstToken ? readFirstVector(output) : computeMean(output);
    kept.set(text, vector);
    return vector;
  };
  return {
    async score(query, passage) {
      const [asked, answer] = truncatePair(query, passage);
      const [question, text] = [loaded.prompts.query + asked, loaded.prompts.passage + answer];
      return Math.max(0, computeCosine(await computeVector(question), await computeVector(text)));
    },
    async compareTokens(query, passage) {
      const [asked, answer] = truncatePair(query, passage);
      // The first and the last token stand for the whole text.
      const question =
        keptQueries.get(asked) ??
        readUnitRows(await runModel(loaded, loaded.prompts.query + asked)).slice(1, -1);
      keptQueries.set(asked, question);
      return computeMeanOfBest(
        question,
        readUnitRows(await runModel(loaded, loaded.prompts.passage + answer)),
      );
    },
  };
}

const truncatePair = (query: string, passage: string): [string, string] => [
  query.slice(0, QUERY_CHARS_MAX),
  passage.slice(0, PASSAGE_CHARS_MAX),
];

/** Runs the model on one text, or on a pair. */
async function runModel(
  { session, tokenizer, runtime }: LoadedModel,
  text: string,
  pair?: string,
): Promise<Tensor> {
  const encoding = tokenizer.encode(text, {
    ...(pair === undefined ? {} : { text_pair: pair }),
    return_token_type_ids: true,
  });
  const length = Math.min(encoding.ids.length, TOKENS_MAX);
  const inputs: Record<string, number[]> = {
    input_ids: encoding.ids,
    attention_mask: encoding.attention_mask,
    token_type_ids: encoding.token_type_ids ?? encoding.ids.map(() => 0),
  };
  const feeds = session.inputNames.map((name) => {
    const values = BigInt64Array.from((inputs[name] ?? []).slice(0, length), BigInt);
    return [name, new runtime.Tensor('int64', values, [1, length])];
  });
  const outputs = await session.run(Object.fromEntries(feeds));
  const output = outputs[session.outputNames[0] ?? ''];
  if (output === undefined) throw new Error('the model has no output');
  return output;
}

const computeSigmoid = (logit: number): number => 1 / (1 + Math.exp(-logit));

/** [1, tokens, width] -> the mean over the tokens. Passages run one at a time, so no token is padding. */
function computeMean({ data, dims }: Tensor): number[] {
  const [, tokens = 1, width = 1] = dims;
  return Array.from({ length: width }, (_, column) => {
    let sum = 0;
    for (let row = 0; row < tokens; row += 1) sum += data[row * width + column] ?? 0;
    return sum / tokens;
  });
}

function readFirstVector({ data, dims }: Tensor): number[] {
  return Array.from({ length: dims[2] ?? 0 }, (_, column) => data[column] ?? 0);
}

/** [1, tokens, width] -> the tokens as vectors of length 1. */
function readUnitRows({ data, dims }: Tensor): Float32Array[] {
  const [, tokens = 0, width = 0] = dims;
  return Array.from({ length: tokens }, (_, row) => {
    const vector = new Float32Array(width);
    for (let column = 0; column < width; column += 1) vector[column] = data[row * width + column] ?? 0;
    const length = Math.sqrt(multiply(vector, vector)) || 1;
    return vector.map((value) => value / length);
  });
}

/** Returns the mean over the rows of the highest product with one of the others; 0 without rows. */
function computeMeanOfBest(rows: readonly Float32Array[], others: readonly Float32Array[]): number {
  let sum = 0;
  for (const row of rows) {
    let best = -1;
    for (const other of others) best = Math.max(best, multiply(row, other));
    sum += best;
  }
  return rows.length === 0 ? 0 : sum / rows.length;
}

function multiply(left: Float32Array, right: Float32Array): number {
  let sum = 0;
  for (let place = 0; place < left.length; place += 1) sum += (left[place] ?? 0) * (right[place] ?? 0);
  return sum;
}

function computeCosine(left: number[], right: number[]): number {
  const lengths = Math.hypot(...left) * Math.hypot(...right);
  if (lengths === 0) return 0;
  return left.reduce((sum, value, place) => sum + value * (right[place] ?? 0), 0) / lengths;
}
