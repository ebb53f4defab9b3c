import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import * as z from 'zod';

/** The models that an operator has chosen and what they decide: folders, or names under which `sanderling models install` keeps them. */
export type ModelConfig = {
  /** A static model instead of the one in models/; null: that one. */
  readonly embeddingModel: string | null;
  /** An ONNX model that reranks results; null: none. */
  readonly rerankModel: string | null;
  /** An answer is quoted from this confidence on; null: from that of its kind of page. */
  readonly answerConfidence: number | null;
};

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

/** Pure: the settings as the server uses them. */
export function readModelConfig(settings: z.output<z.ZodObject<typeof MODEL_SETTINGS>>): ModelConfig {
  return {
    embeddingModel: settings.EMBEDDING_MODEL ?? null,
    rerankModel: settings.RERANK_MODEL ?? null,
    answerConfidence: settings.ANSWER_CONFIDENCE ?? null,
  };
}

/** The folder below the data folder in which models are installed. */
export const resolveModelsFolder = (dataDir: string): string => resolve(dataDir, 'models');

/** The folder of a model that a setting names: one that was installed under this name, else the folder itself. */
export function resolveModelFolder(dataDir: string, named: string): string {
  const installed = resolve(resolveModelsFolder(dataDir), named);
  return /^[\w.-]+$/.test(named) && existsSync(installed) ? installed : resolve(named);
}
