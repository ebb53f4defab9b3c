import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { openModel } from '../../src/recall/rerank/open-model.ts';
import { encoderFor } from '../../src/text/embeddings/encoder-for.ts';
import { cosine, createStaticEncoder, type Encoder } from '../../src/text/embeddings/static-encoder.ts';
import { openStaticModel } from '../../src/text/embeddings/static-model.ts';

/** A model that scores texts for a query, what it takes to load, and the CPU time it has used. */
export type Judge = {
  name: string;
  megabytes: number;
  judge(query: string, texts: string[]): Promise<number[]>;
  /** Milliseconds of CPU for a text, since the last call. */
  msPerText(): number;
};

/** The built-in table, and the models of the folders: static ones, and ONNX. */
export async function openJudges(folders: readonly string[]): Promise<Judge[]> {
  const judges = [await measured('built-in table', async () => staticJudge(builtIn()))];
  for (const folder of folders)
    judges.push(await measured(folder.split('/').at(-1) ?? folder, () => open(folder)));
  return judges;
}

type Score = (query: string, texts: string[]) => Promise<number[]>;

function builtIn(): Encoder {
  const encoder = encoderFor('en');
  if (encoder === null) throw new Error('the built-in table knows English');
  return encoder;
}

async function open(folder: string): Promise<Score> {
  const tokenizer = join(folder, 'tokenizer.json');
  try {
    const vectors = readFileSync(join(folder, 'model.safetensors'));
    return staticJudge(createStaticEncoder(openStaticModel(vectors, readFileSync(tokenizer, 'utf8'))));
  } catch {
    const model = await openModel(folder);
    return async (query, texts) => {
      const scores: number[] = [];
      for (const text of texts) scores.push(await model.score(query, text));
      return scores;
    };
  }
}

function staticJudge(encoder: Encoder): Score {
  return async (query, texts) => {
    const [asked, ...vectors] = encoder.embed([query, ...texts]);
    return vectors.map((vector) => (asked === undefined ? 0 : cosine(asked, vector)));
  };
}

async function measured(name: string, load: () => Promise<Score>): Promise<Judge> {
  globalThis.gc?.();
  const before = process.memoryUsage().rss;
  const score = await load();
  await score('warm', ['up']);
  globalThis.gc?.();
  const megabytes = Math.round((process.memoryUsage().rss - before) / 1e6);
  // Two places judge the same pieces of a page.
  const known = new Map<string, number[]>();
  let texts = 0;
  let ms = 0;
  return {
    name,
    megabytes,
    async judge(query, wanted) {
      const key = [query, ...wanted].join('\n');
      const before = known.get(key);
      if (before !== undefined) return before;
      const begun = process.cpuUsage();
      const scores = await score(query, wanted);
      const { user, system } = process.cpuUsage(begun);
      texts += wanted.length;
      ms += (user + system) / 1_000;
      known.set(key, scores);
      return scores;
    },
    msPerText() {
      const each = ms / Math.max(1, texts);
      [texts, ms] = [0, 0];
      return each;
    },
  };
}
