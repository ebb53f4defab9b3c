import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import * as z from 'zod';
import { openZip, type Zip } from '../../pages/formats/office/zip.ts';
import type { CataloguedModel } from './catalogue.ts';

const confidenceReason = 'must be a probability from 0 to 1, such as 0.7';
export const MODEL_SETTINGS = {
  EMBEDDING_MODEL: z.string().optional(),
  RERANK_MODEL: z.string().optional(),
  ANSWER_CONFIDENCE: z.coerce
    .number(confidenceReason)
    .min(0, confidenceReason)
    .max(1, confidenceReason)
    .optional(),
};
/** Returns the folder of installed models below the data folder. */
const resolveModelsFolder = (dataDir: string): string => resolve(dataDir, 'models');

/** Schema of the manifest beside the files of an installed model. */
const manifest = z.object({
  name: z.string(),
  about: z.string(),
  licence: z.string(),
  setting: z.enum(['EMBEDDING_MODEL', 'RERANK_MODEL']),
  languages: z.array(z.string()).nullable(),
  dimensions: z.number().nullable(),
  sha256: z.string(),
});
type Manifest = z.infer<typeof manifest>;

/** An installed model with its folder. */
export type InstalledModel = Manifest & { folder: string };

const MANIFEST = 'model.json';
/** Pattern of model names, which are also folder names. */
const NAME = /^[a-z0-9][a-z0-9._-]{0,63}$/;

/** Lists the models below the data folder, by name. Folders without a readable manifest are skipped. */
export function listInstalledModels(dataDir: string): InstalledModel[] {
  const folder = resolveModelsFolder(dataDir);
  if (!existsSync(folder)) return [];
  return readdirSync(folder)
    .filter((name) => NAME.test(name))
    .sort()
    .flatMap((name) => {
      const known = readModelManifest(join(folder, name));
      return known === null ? [] : [{ ...known, folder: join(folder, name) }];
    });
}

/** Reads the manifest in a model's folder; null if there is none. */
export function readModelManifest(folder: string): Manifest | null {
  const path = join(folder, MANIFEST);
  if (!existsSync(path)) return null;
  return manifest.safeParse(JSON.parse(readFileSync(path, 'utf8'))).data ?? null;
}

/** A model to install: one of the catalogue, or the operator's own, whose parts are detected in its archive. */
export type RequestedModel = Pick<CataloguedModel, 'name' | 'sha256'> & Partial<CataloguedModel>;

/**
 * Installs a model from the bytes of its archive, atomically. Throws with one line when the bytes do not match the
 * checksum, or lack a part.
 */
export function installModel(dataDir: string, wanted: RequestedModel, archive: Uint8Array): InstalledModel {
  if (!NAME.test(wanted.name))
    throw new Error(
      `${JSON.stringify(wanted.name)} is no name of a model: small letters, digits and . _ - are`,
    );
  const sha256 = createHash('sha256').update(archive).digest('hex');
  if (sha256 !== wanted.sha256.toLowerCase())
    throw new Error(
      `the SHA-256 of ${wanted.name} is ${sha256}, not ${wanted.sha256}; nothing was installed`,
    );
  const zip = openZip(archive);
  const parts = wanted.parts ?? findParts(zip);
  const isOnnx = Object.values(parts).some((name) => name.endsWith('.onnx'));
  const noted: Manifest = {
    name: wanted.name,
    about: wanted.about ?? 'installed by the operator',
    licence: wanted.licence ?? 'see where it is from',
    setting: wanted.setting ?? (isOnnx ? 'RERANK_MODEL' : 'EMBEDDING_MODEL'),
    languages: wanted.languages === undefined || wanted.languages === null ? null : [...wanted.languages],
    dimensions: wanted.dimensions ?? null,
    sha256,
  };
  const folder = join(resolveModelsFolder(dataDir), wanted.name);
  const building = `${resolveModelsFolder(dataDir)}/.${wanted.name}.${process.pid}`;
  try {
    for (const [part, name] of Object.entries(parts)) {
      const bytes = zip.bytes(part);
      if (bytes === null)
        throw new Error(`the archive of ${wanted.name} has no ${part}; nothing was installed`);
      mkdirSync(dirname(join(building, name)), { recursive: true });
      writeFileSync(join(building, name), bytes);
    }
    if (wanted.sentences) writeSentences(building, wanted.sentences);
    writeFileSync(join(building, MANIFEST), `${JSON.stringify(noted, null, 2)}\n`);
    rmSync(folder, { recursive: true, force: true });
    renameSync(building, folder);
  } finally {
    rmSync(building, { recursive: true, force: true });
  }
  return { ...noted, folder };
}

/** Writes the pooling and the prompts as files of sentence-transformers, from which the model is opened. */
function writeSentences(
  folder: string,
  { pooling, prompts }: NonNullable<RequestedModel['sentences']>,
): void {
  mkdirSync(join(folder, '1_Pooling'), { recursive: true });
  const isFirst = pooling === 'first';
  writeFileSync(
    join(folder, '1_Pooling/config.json'),
    JSON.stringify({ pooling_mode_cls_token: isFirst, pooling_mode_mean_tokens: !isFirst }),
  );
  writeFileSync(join(folder, 'config_sentence_transformers.json'), JSON.stringify({ prompts }));
}

/** Finds the parts of a model in an archive: its tokenizer, and its vectors or its graph. */
function findParts(zip: Zip): Record<string, string> {
  const wanted = [/^tokenizer(?:_config)?\.json$/, /\.safetensors$/, /^model(?:_quantized)?\.onnx$/];
  const found = zip.names.filter((path) => wanted.some((name) => name.test(basename(path))));
  if (!found.some((path) => /\.(?:safetensors|onnx)$/.test(path)))
    throw new Error('the archive has neither a file *.safetensors nor model.onnx; nothing was installed');
  return Object.fromEntries(found.map((path) => [path, basename(path)]));
}

/** Deletes an installed model. Returns false if there is none. */
export function removeModel(dataDir: string, name: string): boolean {
  const folder = join(resolveModelsFolder(dataDir), name);
  if (!NAME.test(name) || !existsSync(folder)) return false;
  rmSync(folder, { recursive: true });
  return true;
}

/** The operator's models, as folders or as names of installed models, and the confidence from which answers are quoted. */
export type ModelConfig = {
  /** Static model to use instead of the one in models/; null: that one. */
  readonly embeddingModel: string | null;
  /** An ONNX model that reranks results; null: none. */
  readonly rerankModel: string | null;
  /** Minimum confidence of a quoted answer; null: that of its kind of page. */
  readonly answerConfidence: number | null;
};

/** Pure: converts the settings to the server's config. */
export function readModelConfig(settings: z.output<z.ZodObject<typeof MODEL_SETTINGS>>): ModelConfig {
  return {
    embeddingModel: settings.EMBEDDING_MODEL ?? null,
    rerankModel: settings.RERANK_MODEL ?? null,
    answerConfidence: settings.ANSWER_CONFIDENCE ?? null,
  };
}

/** Resolves the folder of a model that a setting names: an installed model of this name, else the value as a path. */
export function resolveModelFolder(dataDir: string, named: string): string {
  const installed = resolve(resolveModelsFolder(dataDir), named);
  return /^[\w.-]+$/.test(named) && existsSync(installed) ? installed : resolve(named);
}
