/**
 * Answers in the framing of streamed chat completions: server-sent events, ended by `[DONE]`. A text of the model is sent statement by
 * statement, each as soon as it is proved. Until the first one is proved nothing is sent, so that an answer without any can still be a
 * quotation, at its price.
 */
import { Readable } from 'node:stream';
import { computeMsLeft, recordDeadline } from '../../platform/clock.ts';
import type { Writer, WrittenClaim } from '../../writing/writer.ts';
import { HungUp, type JsonObject } from '../calls/call.ts';
import {
  buildTextPart,
  type TextPart,
  type WritePartRequest,
  type WrittenPart,
  writePart,
} from './write-text.ts';

/** A text whose first statement is proved; the others follow. `stop` ends the writing. */
export type BegunText = {
  kind: 'begun';
  chunks: AsyncIterable<string>;
  part: Promise<TextPart>;
  stop(): void;
};

/**
 * Writes a text and resolves when its first statement is proved: the time of the call ends there, and the bounds of the writer hold for the
 * rest. Resolves to the whole part if it is a value, cached or nothing.
 */
export async function beginText(
  writer: Writer,
  request: Omit<WritePartRequest, 'onClaim'>,
): Promise<WrittenPart | BegunText> {
  const leave = new AbortController();
  const signal = AbortSignal.any([request.signal, leave.signal]);
  recordDeadline(signal, computeMsLeft(request.signal));
  const begun = Promise.withResolvers<'begun'>();
  const chunks = new Readable({ objectMode: true, read() {} });
  const claims: WrittenClaim[] = [];
  const written = writePart(writer, {
    ...request,
    signal,
    onClaim(claim, passages) {
      claims.push(claim);
      const { sentences } = buildTextPart({ claims, dropped: 0, isWhole: false, passages });
      chunks.push(separateSentences(sentences).at(-1));
      begun.resolve('begun');
    },
  });
  const part = written.then((whole): TextPart => {
    if (whole.kind !== 'text') throw new TypeError('a text that has begun is a text');
    for (const chunk of separateSentences(whole.sentences).slice(claims.length)) chunks.push(chunk);
    return whole;
  });
  // Ends the pieces; whoever reads the part gets the error itself.
  part.finally(() => chunks.push(null)).catch(() => {});
  const first = await Promise.race([begun.promise, written]);
  if (first !== 'begun') return first;
  return { kind: 'begun', chunks, part, stop: () => leave.abort(new HungUp()) };
}

/** Splits a text into pieces that make it up when joined. */
export const separateSentences = (sentences: readonly string[]): string[] =>
  sentences.map((sentence, place) => (place === 0 ? sentence : ` ${sentence}`));

/** The fields of every chunk besides its text. */
type ChatFrame = { id: string; created?: number; model?: string };

export const EVENT_HEADERS = {
  'content-type': 'text/event-stream; charset=utf-8',
  'Cache-Control': 'no-store',
};

/** Formats an answer that is whole; `last` has the fields of its last chunk. */
export function formatChat(frame: ChatFrame, chunks: readonly string[], last: JsonObject): string {
  return [...chunks.map((chunk) => formatChunk(frame, chunk)), formatEnd(frame, 'stop', last)].join('');
}

/** Streams a text that has begun. A client that goes away ends the call of the model. */
export function streamChat(
  frame: ChatFrame,
  { chunks, part, stop }: BegunText,
  buildLast: (part: TextPart) => JsonObject,
): Readable {
  async function* streamEvents(): AsyncGenerator<string> {
    for await (const chunk of chunks) yield formatChunk(frame, chunk);
    const whole = await part;
    yield formatEnd(frame, whole.isWhole ? 'stop' : 'length', buildLast(whole));
  }
  return Readable.from(streamEvents()).once('close', stop);
}

const formatChunk = (frame: ChatFrame, content: string): string =>
  formatEvent(frame, { index: 0, delta: { role: 'assistant', content }, finish_reason: null }, {});

/** `length` is the reason of clients for a text that is not whole. */
const formatEnd = (frame: ChatFrame, reason: 'stop' | 'length', last: JsonObject): string =>
  `${formatEvent(frame, { index: 0, delta: {}, finish_reason: reason }, last)}data: [DONE]\n\n`;

function formatEvent(frame: ChatFrame, choice: JsonObject, further: JsonObject): string {
  const { id, ...others } = frame;
  const event = { id, object: 'chat.completion.chunk', ...others, choices: [choice], ...further };
  return `data: ${JSON.stringify(event)}\n\n`;
}
