/**
 * Opens the optional models of the operator: a static embedding model for this thread and all later ones, and a reranker in its own thread.
 * It fetches nothing; installing models is `model-folders.ts`.
 */
import { existsSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { Log } from '../../platform/log.ts';
import { createReranker, type Reranker } from '../../recall/rerank/reranker.ts';
import { type ChosenModel, chooseModel } from '../../text/embeddings/encoder-for.ts';
import { type Config, ConfigError } from '../config.ts';
import { readModelManifest, resolveModelFolder } from './model-folders.ts';

/** Maximum bytes of a static model, because each thread loads it. */
const VECTORS_BYTES_MAX = 600_000_000;

/**
 * Makes the static model of `EMBEDDING_MODEL` the one of this thread and of all threads started later, and starts the model of
 * `RERANK_MODEL` (null: none). Throws ConfigError when one of them cannot be used.
 */
export async function openModels(
  { dataDir, embeddingModel, rerankModel }: Config,
  log: Log,
): Promise<{ reranker: Reranker | null }> {
  await openForSetting('EMBEDDING_MODEL', () =>
    chooseModel(
      embeddingModel === null ? null : findStaticModel(resolveModelFolder(dataDir, embeddingModel)),
    ),
  );
  if (rerankModel === null) return { reranker: null };
  const folder = resolveModelFolder(dataDir, rerankModel);
  return { reranker: await openForSetting('RERANK_MODEL', () => createReranker({ folder, log })) };
}

async function openForSetting<Opened>(
  setting: string,
  open: () => Opened | Promise<Opened>,
): Promise<Opened> {
  try {
    return await open();
  } catch (error) {
    throw new ConfigError(`${setting}: ${error instanceof Error ? error.message : String(error)}`);
  }
}

/** Finds the parts of a static model in a folder. Throws with one line that says what is missing. */
function findStaticModel(folder: string): ChosenModel {
  if (!existsSync(folder)) throw new Error(`there is no model ${folder}`);
  const files = readdirSync(folder).filter((name) => name.endsWith('.safetensors'));
  const [vectors] = files;
  if (vectors === undefined || files.length > 1)
    throw new Error(`${folder} has ${files.length} files *.safetensors; one is wanted`);
  if (statSync(join(folder, vectors)).size > VECTORS_BYTES_MAX)
    throw new Error(`${join(folder, vectors)} has more than ${VECTORS_BYTES_MAX} bytes`);
  const tokenizer = join(folder, 'tokenizer.json');
  if (!existsSync(tokenizer)) throw new Error(`${folder} has no tokenizer.json`);
  return {
    vectors: join(folder, vectors),
    tokenizer,
    languages: readModelManifest(folder)?.languages ?? null,
  };
}
