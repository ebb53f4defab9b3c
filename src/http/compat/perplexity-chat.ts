/**
 * Perplexity's chat completions with search: the last message of the user is searched for, and a model writes the answer, each statement
 * checked against the pages. Earlier messages are not read, so that nothing but pages can be the source of an answer.
 */
import * as z from 'zod';
import { PRICES } from '../../billing/ledger/prices.ts';
import { QUERY_CHARS_MAX } from '../../contract/limits.ts';
import type { Clock } from '../../platform/clock.ts';
import { ANSWER_PAGES } from '../../search/quote-from-results.ts';
import type { Search } from '../../search/search.ts';
import type { SearchAnswer } from '../../search/search-types.ts';
import type { Filters } from '../../text/query/filters.ts';
import type { Writer } from '../../writing/writer.ts';
import type { JsonObject, PricedRoute } from '../calls/call.ts';
import { buildIncompleteField, computeAnswerCredits } from '../calls/incomplete.ts';
import { createValidationFailure, isObject } from '../calls/json-body.ts';
import type { Operation } from '../calls/operation.ts';
import {
  beginText,
  EVENT_HEADERS,
  formatChat,
  separateSentences,
  streamChat,
} from '../writing/chat-stream.ts';
import { writing, writtenProofs } from '../writing/proof-schemas.ts';
import { limitSearch } from '../writing/search-within.ts';
import {
  buildNullValue,
  buildWritingField,
  collectPassages,
  INSTRUCTIONS_CHARS_MAX,
  listUnwritten,
  NO_CREDITS,
  parseSchema,
  type WrittenPart,
  writePart,
} from '../writing/write-text.ts';
import { createHandler } from './core.ts';
import { flag, storeField } from './fields.ts';
import { buildPassageRequest } from './results.ts';

const MESSAGES_MAX = 100;
const WRITTEN_PASSAGES = 4;

const content = z.union([
  z.string(),
  z.array(z.looseObject({ type: z.string(), text: z.string().optional() })),
]);

/** Builds the fields of a chat completion; `filters`: those that its search shares with the Search API. */
export function createChatBody<Shape extends z.ZodRawShape>(filters: Shape) {
  return z.object({
    model: z
      .string('must be a string')
      .max(200)
      .default('sonar')
      .meta({ description: 'Repeated in the answer; the operator has chosen the model.' }),
    messages: z
      .array(z.looseObject({ role: z.string(), content: content.nullish() }), 'must be an array of messages')
      .min(1, `must have 1 to ${MESSAGES_MAX} entries`)
      .max(MESSAGES_MAX, `must have 1 to ${MESSAGES_MAX} entries`)
      .meta({
        description:
          'The last message of the user is the question; a system message holds wishes about language and style.',
        examples: [[{ role: 'user', content: 'What is a write-ahead log?' }]],
      }),
    stream: flag.meta({ description: 'Server-sent events, ended by `data: [DONE]`.' }),
    responseFormat: z
      .unknown()
      .meta({
        description: '`{type: "json_schema", json_schema: {schema}}`: the content is JSON by the schema.',
        examples: [{ type: 'text' }],
      })
      .optional(),
    ...filters,
    store: storeField,
  });
}

/** What a chat completion asks for, apart from its filters. */
type ChatFields = {
  model: string;
  messages: { role: string; content?: z.output<typeof content> | null | undefined }[];
  stream: boolean;
  responseFormat?: unknown;
  store: boolean;
};

type ChatDeps<Fields> = {
  search: Search;
  writer: Writer;
  clock: Clock;
  buildFilters(wanted: Fields, now: number): Filters;
};

/**
 * POST /pplx/chat/completions. The price of a search and a written answer; of a search where nothing was proved and the quotation is given
 * instead. Errors: 422 validation_error, 503 recall_unavailable.
 */
export function createChatHandler<Body extends z.ZodObject>(
  body: Body,
  { search, writer, clock, buildFilters }: ChatDeps<z.output<Body>>,
): PricedRoute['prepare'] {
  const searchInTime = limitSearch(search);
  return createHandler(
    { fields: body, verbatim: new Set(['responseFormat', 'messages']) },
    (wanted, call) => {
      // The cast is safe: every chat body has these fields.
      const asked = wanted as unknown as ChatFields;
      const question = readQuestion(asked);
      const schema = readSchema(asked.responseFormat);
      const most = PRICES.search + PRICES.writtenAnswer;
      return {
        most,
        least: 1,
        async work(signal, credits) {
          const { tenant, requestId } = call;
          const keep = call.keep && asked.store;
          const found = await searchInTime({
            query: question,
            numResults: ANSWER_PAGES,
            ...buildFilters(wanted, clock.now()),
            ...buildPassageRequest(WRITTEN_PASSAGES),
            answer: true,
            signal,
            tenant,
            keep,
          });
          const part =
            credits < most
              ? NO_CREDITS
              : await (asked.stream ? beginText : writePart)(writer, {
                  task: question,
                  instructions: readInstructions(asked),
                  passages: collectPassages(found.results, found.answer),
                  schema,
                  signal,
                  tenant,
                  keep,
                });
          const { cache, timingsMs } = found;
          const frame = { id: requestId, created: Math.floor(clock.now() / 1_000), model: asked.model };
          const streamed = { cache, timingsMs, headers: EVENT_HEADERS };
          if (part.kind === 'begun') {
            const body = streamChat(frame, part, (whole) => toChatAnswer(found, whole, schema).fields);
            return { ...streamed, used: most, incomplete: found.incomplete, body };
          }
          const incomplete = [...found.incomplete, ...listUnwritten(part)];
          const used = part.kind === 'none' ? computeAnswerCredits(found) : most;
          const answer = toChatAnswer(found, part, schema);
          if (asked.stream)
            return {
              ...streamed,
              used,
              incomplete,
              body: formatChat(frame, answer.chunks, answer.fields),
            };
          return { used, cache, timingsMs, incomplete, body: toCompletion(answer, frame) };
        },
      };
    },
  );
}

const readText = (given: ChatFields['messages'][number]['content']): string =>
  typeof given === 'string' ? given : (given ?? []).map(({ text = '' }) => text).join('\n');

function readQuestion({ messages }: ChatFields): string {
  const question = readText(messages.findLast(({ role }) => role === 'user')?.content).trim();
  if (question === '')
    throw createValidationFailure([{ field: 'messages', message: 'must hold a message of the user' }]);
  return question.slice(0, QUERY_CHARS_MAX).toWellFormed();
}

function readInstructions({ messages }: ChatFields): string | null {
  const texts = messages
    .filter(({ role }) => role === 'system' || role === 'developer')
    .map((one) => readText(one.content));
  const joined = texts.join('\n').trim().slice(0, INSTRUCTIONS_CHARS_MAX);
  return joined === '' ? null : joined;
}

function readSchema(format: unknown): Record<string, unknown> | null {
  if (!isObject(format) || format.type !== 'json_schema' || !isObject(format.json_schema)) return null;
  return parseSchema(format.json_schema.schema);
}

/** The content in pieces, and the fields beside it. */
type ChatAnswer = { chunks: string[]; fields: JsonObject };

function toChatAnswer(
  found: SearchAnswer,
  part: WrittenPart,
  schema: Record<string, unknown> | null,
): ChatAnswer {
  const pages = found.results.map(({ url, title, publishedDay }) => ({ title, url, date: publishedDay }));
  const cited =
    part.kind === 'none' ? (found.answer ? [found.answer.url] : []) : part.sources.map(({ url }) => url);
  const citations = [...new Set([...cited, ...pages.map(({ url }) => url)])];
  const fields = {
    usage: NO_USAGE,
    citations,
    search_results: citations.flatMap((url) => pages.find((page) => page.url === url) ?? []),
    ...(part.kind === 'text' ? { statements: part.statements } : {}),
    ...(part.kind === 'fields' ? { proofs: part.proofs, unproved: part.unproved } : {}),
    service: {
      ...buildIncompleteField([...found.incomplete, ...listUnwritten(part)]),
      ...buildWritingField(part),
    },
  };
  if (part.kind === 'text') return { chunks: separateSentences(part.sentences), fields };
  if (part.kind === 'fields') return { chunks: [JSON.stringify(part.value)], fields };
  if (schema !== null) return { chunks: [JSON.stringify(buildNullValue(schema))], fields };
  return { chunks: [found.answer ? `${found.answer.text} [1]` : ''], fields };
}

/** The tokens of the operator's model are not the caller's affair. */
const NO_USAGE = { prompt_tokens: 0, completion_tokens: 0, total_tokens: 0 };

function toCompletion(
  { chunks, fields }: ChatAnswer,
  { id, created, model }: { id: string; created: number; model: string },
): JsonObject {
  const message = { role: 'assistant', content: chunks.join('') };
  return {
    id,
    object: 'chat.completion',
    created,
    model,
    choices: [{ index: 0, finish_reason: 'stop', message, delta: { role: 'assistant', content: '' } }],
    ...fields,
  };
}

const Completion = z
  .looseObject({
    id: z.string(),
    object: z.literal('chat.completion'),
    created: z.int(),
    model: z.string(),
    choices: z.array(
      z.looseObject({
        index: z.int(),
        finish_reason: z.string(),
        message: z.looseObject({ role: z.string(), content: z.string() }),
      }),
    ),
    citations: z
      .array(z.string())
      .meta({ description: 'The pages by their numbers in the content, then the others that were read.' }),
    search_results: z.array(
      z.looseObject({ title: z.string(), url: z.string(), date: z.string().nullable() }),
    ),
    ...writtenProofs,
    service: z.looseObject({ writing }),
  })
  .meta({ title: 'PerplexityCompletion' });

/** Describes the operation. */
export const describeChat = (body: z.ZodObject): Operation => ({
  id: 'perplexityChat',
  tag: 'drop-in',
  summary: 'Answer a question with search, as Perplexity',
  about:
    'For clients of Perplexity and of OpenAI; set their base URL to `/pplx`. Needs a model of the operator. Each statement of the content is checked against the pages.',
  price: '5 credits; 1 where nothing was proved and a quotation is given.',
  body,
  spelling: 'snake_case',
  answer: Completion,
  otherTypes: ['text/event-stream'],
  errors: ['validation_error', 'recall_unavailable', 'not_found'],
  example: { body: { messages: [{ role: 'user', content: 'What is a write-ahead log?' }] } },
});
