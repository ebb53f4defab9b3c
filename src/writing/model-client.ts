import * as z from 'zod';
import { Failure } from '../contract/errors.ts';
import type { Breaker } from '../platform/circuit-breaker.ts';
import { computeMsLeft } from '../platform/clock.ts';
import { type GuardedFetch, parseRetryAfter } from '../platform/net/fetch-types.ts';

/** A server that speaks the chat completions of OpenAI. */
export type ModelServer = {
  /** The address up to and without `/chat/completions`. */
  readonly url: string;
  readonly name: string;
  readonly key: string | null;
};

/** The text of the operator and its caller, and the text that holds foreign pages. */
export type Prompt = { system: string; user: string; earlier?: readonly Turn[] };
/** A reply of the model and what it was told about it. */
export type Turn = { reply: string; remark: string };

type ModelCall = {
  prompt: Prompt;
  /** The JSON schema of the reply, and its name. */
  schema: { name: string; schema: Record<string, unknown> };
  replyTokensMax: number;
  /** Receives the text of the reply as it arrives, where the server streams; absent: the reply is sent whole. */
  onText?: ((text: string) => void) | undefined;
  /** Its deadline is that of the call. */
  signal: AbortSignal;
};

type ModelReply = { text: string; tokens: number };

/** Why there is no reply: out of time, too many calls or tokens, or the model does not answer as it should. */
export type ModelProblem = 'late' | 'busy' | 'failed';

/** The model gave no reply. */
export class ModelFailed extends Error {
  override name = 'ModelFailed';
  readonly problem: ModelProblem;

  constructor(problem: ModelProblem, message: string, options?: ErrorOptions) {
    super(message, options);
    this.problem = problem;
  }
}

/** How a server can be made to reply in JSON, the strictest first. */
const JSON_MODES = ['schema', 'object', 'text'] as const;
export type JsonMode = (typeof JSON_MODES)[number];

type ModelClient = {
  /** Asks the model once. Throws ModelFailed, or the reason of the signal if the caller hung up. */
  ask(call: ModelCall): Promise<ModelReply>;
  /** The strictest mode that the server has not refused. */
  jsonMode(): JsonMode;
};

const REPLY_BYTES_MAX = 2_097_152;
const CHARS_PER_TOKEN = 3;

const usage = z.object({ total_tokens: z.number().int().min(0) }).nullish();
const Completion = z.object({
  choices: z
    .array(z.object({ message: z.object({ content: z.string().nullish() }) }))
    .min(1)
    .max(16),
  usage,
});
/** One event of a streamed completion. */
const CompletionPiece = z.object({
  choices: z
    .array(
      z.object({
        delta: z.object({ content: z.string().nullish() }).nullish(),
        finish_reason: z.string().nullish(),
      }),
    )
    .max(16)
    .default([]),
  usage,
});

type ClientDeps = { server: ModelServer; fetch: GuardedFetch; breaker: Breaker; now(): number };

/**
 * Creates a client of a server of chat completions. It neither retries nor waits: a server that fails is left alone for a while by the
 * breaker. A server that refuses a JSON mode is asked in the next one.
 */
export function createModelClient({ server, fetch: request, breaker, now }: ClientDeps): ModelClient {
  let mode = 0;
  return {
    jsonMode: () => JSON_MODES[mode] ?? 'text',
    async ask(call) {
      const record = breaker.admit();
      if (record === null)
        throw new ModelFailed('failed', 'the model failed recently and is left alone for a while');
      for (let place = mode; ; place += 1) {
        const asked = JSON_MODES[place] ?? 'text';
        const pieces = call.onText === undefined ? null : createPieceReader(call.onText);
        const response = await send(call, asked, pieces).catch((error: unknown) => {
          record(call.signal.aborted && !isTimeout(call.signal) ? 'paused' : 'failed');
          throw toModelFailure(error, call.signal);
        });
        const { status, headers, body } = response;
        const text = new TextDecoder().decode(body);
        if (status === 200) {
          const isStream = /^text\/event-stream\b/i.test(headers['content-type'] ?? '');
          const reply = isStream && pieces !== null ? pieces.end(call) : parseReply(text, call);
          record(reply === null ? 'failed' : 'ok');
          if (reply === null)
            throw new ModelFailed('failed', 'the model answered with something else than a completion');
          return reply;
        }
        if (isRefusedMode(status, text) && asked !== 'text') {
          // A caller's schema may be at fault rather than the mode.
          if (call.schema.name === OWN_SCHEMA) mode = place + 1;
          continue;
        }
        if (status === 429) {
          breaker.pause(parseRetryAfter(headers['retry-after'], now()) ?? PAUSE_MS);
          record('paused');
          throw new ModelFailed('busy', 'the model asked for a pause (429)');
        }
        record(status === 401 || status === 403 ? 'shut' : 'failed');
        throw new ModelFailed('failed', `the model answered ${status}`);
      }
    },
  };

  function send(
    { prompt, schema, replyTokensMax, signal }: ModelCall,
    asked: JsonMode,
    pieces: PieceReader | null,
  ) {
    const format = buildFormat(asked, schema);
    const message = {
      model: server.name,
      messages: buildMessages(prompt),
      temperature: 0,
      max_tokens: replyTokensMax,
      stream: pieces !== null,
      ...(format === null ? {} : { response_format: format }),
    };
    return request({
      url: `${server.url}/chat/completions`,
      ...(server.key === null ? {} : { authorization: `Bearer ${server.key}` }),
      headers: {
        'content-type': 'application/json',
        accept: pieces === null ? 'application/json' : 'text/event-stream, application/json',
      },
      body: JSON.stringify(message),
      bytesMax: REPLY_BYTES_MAX,
      onPiece: pieces?.read,
      timeoutMs: Math.max(1, computeMsLeft(signal)),
      signal,
    });
  }
}

/** The name of schemas that are always the same; a server that refuses one of them has no such mode. */
export const OWN_SCHEMA = 'statements';
/** How long a server is left alone that asks for a pause without saying how long. */
const PAUSE_MS = 5_000;

function buildMessages({ system, user, earlier = [] }: Prompt): { role: string; content: string }[] {
  return [
    { role: 'system', content: system },
    { role: 'user', content: user },
    ...earlier.flatMap(({ reply, remark }) => [
      { role: 'assistant', content: reply },
      { role: 'user', content: remark },
    ]),
  ];
}

function buildFormat(mode: JsonMode, { name, schema }: ModelCall['schema']): Record<string, unknown> | null {
  if (mode === 'schema') return { type: 'json_schema', json_schema: { name, schema } };
  return mode === 'object' ? { type: 'json_object' } : null;
}

const isRefusedMode = (status: number, text: string): boolean =>
  (status === 400 || status === 422 || status === 501) &&
  /response_format|json_schema|json_object|schema/i.test(text);

function parseReply(body: string, { prompt }: ModelCall): ModelReply | null {
  const read = Completion.safeParse(parseJson(body));
  const text = read.data?.choices[0]?.message.content ?? null;
  if (text === null) return null;
  return { text, tokens: read.data?.usage?.total_tokens ?? guessTokens(prompt, text.length) };
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    if (error instanceof SyntaxError) return null;
    throw error;
  }
}

/** Guesses what a call spent, high rather than low. */
export function guessTokens({ system, user }: Prompt, replyChars: number): number {
  return Math.ceil((system.length + user.length + replyChars) / CHARS_PER_TOKEN);
}

type PieceReader = {
  read(bytes: Uint8Array): void;
  /** Returns the whole reply; null if the stream ended before the model did. */
  end(call: Pick<ModelCall, 'prompt'>): ModelReply | null;
};

/** Creates the reader of a streamed completion: server-sent events with one piece of its text each. */
function createPieceReader(onText: (text: string) => void): PieceReader {
  const decoder = new TextDecoder();
  let line = '';
  let whole = '';
  let hasEnded = false;
  let tokens: number | null = null;
  const readEvent = (event: string): void => {
    if (event === '[DONE]') hasEnded = true;
    const { data } = CompletionPiece.safeParse(parseJson(event));
    const { delta, finish_reason: finish = null } = data?.choices[0] ?? {};
    if (finish !== null) hasEnded = true;
    tokens = data?.usage?.total_tokens ?? tokens;
    const text = delta?.content ?? '';
    whole += text;
    if (text !== '') onText(text);
  };
  return {
    read(bytes) {
      const lines = (line + decoder.decode(bytes, { stream: true })).split('\n');
      line = lines.pop() ?? '';
      for (const one of lines) if (one.startsWith('data:')) readEvent(one.slice(5).trim());
    },
    end({ prompt }) {
      if (line.startsWith('data:')) readEvent(line.slice(5).trim());
      return hasEnded ? { text: whole, tokens: tokens ?? guessTokens(prompt, whole.length) } : null;
    },
  };
}

const isTimeout = (signal: AbortSignal): boolean =>
  signal.reason instanceof DOMException && signal.reason.name === 'TimeoutError';

/** Throws the reason of a caller who hung up; everything else is a problem of the model. */
function toModelFailure(error: unknown, signal: AbortSignal): ModelFailed {
  if (signal.aborted && !isTimeout(signal)) throw signal.reason;
  if (!(error instanceof Failure)) throw error;
  const isLate = signal.aborted || error.fetch?.reason === 'timeout';
  return new ModelFailed(isLate ? 'late' : 'failed', isLate ? 'the model took too long' : error.message, {
    cause: error,
  });
}
