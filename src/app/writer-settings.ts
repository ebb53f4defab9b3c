import * as z from 'zod';
import type { ModelServer } from '../writing/model-client.ts';

/** Settings of the operator's own model, which writes answers, summaries and fields. */
export type WriterConfig = {
  /** Null: no model is set, and nothing is written. */
  readonly writer: (ModelServer & WriterBounds) | null;
};

/** Bounds of what the model is asked. */
type WriterBounds = {
  /** Time for one written text, with its retry. */
  readonly timeoutMs: number;
  /** Tokens of one call, prompt and reply together. */
  readonly contextTokens: number;
  readonly callsAtOnce: number;
  /** Tokens of a UTC day; beyond it nothing is written until the next. */
  readonly tokensPerDay: number;
};

const createCount = (what: string, bounds: { min: number; max: number; usual: number }) => {
  const reason = `must be a whole number of ${what} from ${bounds.min} to ${bounds.max}`;
  return z.coerce
    .number(reason)
    .int(reason)
    .min(bounds.min, reason)
    .max(bounds.max, reason)
    .default(bounds.usual);
};

export const WRITER_SETTINGS = {
  MODEL_URL: z
    .url({ protocol: /^https?$/, error: 'must be an http(s) address such as http://127.0.0.1:11434/v1' })
    .optional(),
  MODEL_NAME: z
    .string()
    .trim()
    .min(1, 'must not be empty')
    .max(200, 'must have at most 200 characters')
    .optional(),
  MODEL_KEY: z.string().optional(),
  MODEL_TIMEOUT_MS: createCount('milliseconds', { min: 1_000, max: 120_000, usual: 30_000 }),
  MODEL_CONTEXT_TOKENS: createCount('tokens', { min: 2_048, max: 1_000_000, usual: 8_192 }),
  MODEL_CALLS_AT_ONCE: createCount('calls', { min: 1, max: 256, usual: 4 }),
  MODEL_TOKENS_PER_DAY: createCount('tokens', { min: 1_000, max: 1_000_000_000_000, usual: 5_000_000 }),
};

type Settings = z.output<z.ZodObject<typeof WRITER_SETTINGS>>;

/** Returns why the settings cannot be used together; null: they can. */
export function findWriterProblem({ MODEL_URL, MODEL_NAME, MODEL_KEY }: Settings): string | null {
  if (MODEL_URL !== undefined && MODEL_NAME === undefined)
    return 'MODEL_NAME: is missing, although MODEL_URL is set: name the model that the server is to use';
  if (MODEL_URL === undefined && (MODEL_NAME !== undefined || MODEL_KEY !== undefined))
    return 'MODEL_URL: is missing, although other settings of the model are set';
  return null;
}

/** Pure: converts the settings to the server's config. */
export function readWriterConfig(settings: Settings): WriterConfig {
  const { MODEL_URL: url, MODEL_NAME: name } = settings;
  if (url === undefined || name === undefined) return { writer: null };
  return {
    writer: Object.freeze({
      url: url.replace(/(?<!\/)\/+$/, ''),
      name,
      key: settings.MODEL_KEY ?? null,
      timeoutMs: settings.MODEL_TIMEOUT_MS,
      contextTokens: settings.MODEL_CONTEXT_TOKENS,
      callsAtOnce: settings.MODEL_CALLS_AT_ONCE,
      tokensPerDay: settings.MODEL_TOKENS_PER_DAY,
    }),
  };
}
