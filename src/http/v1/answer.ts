import * as z from 'zod';
import { PRICES } from '../../billing/ledger/prices.ts';
import { declaredBy } from '../../search/pages/page-details.ts';
import { ANSWER_PAGES } from '../../search/quote-from-results.ts';
import type { Search } from '../../search/search.ts';
import type { SearchAnswer, SearchResult } from '../../search/search-types.ts';
import type { QuotedAnswer } from '../../text/answer/quotation.ts';
import { NO_FILTERS } from '../../text/query/filters.ts';
import type { JsonObject, PricedRoute } from '../calls/call.ts';
import { ignoredFields, ignoredHeader, knownFields } from '../calls/ignored-fields.ts';
import { creditsOfAnswer, incompleteField } from '../calls/incomplete.ts';
import { present } from '../calls/present.ts';
import { parseBody } from '../calls/wire.ts';
import { costDollars } from './cost.ts';
import { storeField } from './opening.ts';
import { query, wantedFields, wantedOf, wantsAny } from './wanted.ts';

export const AnswerBody = z.object({
  query,
  text: wantedFields.text.meta({ description: 'Adds the text of each cited page.' }),
  stream: z
    .boolean('must be true or false')
    .default(false)
    .meta({ description: 'Server-sent events in the framing of chat completions, ended by `data: [DONE]`.' }),
  store: storeField,
});

const KNOWN_FIELDS = {
  ...knownFields(Object.keys(AnswerBody.shape)),
  text: { maxCharacters: true as const },
};

/**
 * POST /v1/answer: the passage that answers a question, verbatim, and the pages that were read for it. Costs as much as its search; free if
 * time ran out before the passage was found. Errors: 422 validation_error, 503 recall_unavailable.
 */
export function answerHandler(search: Search): PricedRoute['prepare'] {
  return ({ body, requestId, tenant, keep }) => {
    const wanted = parseBody(AnswerBody, body);
    const ignored = ignoredFields(body, KNOWN_FIELDS);
    const contents = wantedOf({ text: wanted.text });
    return {
      most: PRICES.search,
      async work(signal) {
        const found = await search({
          query: wanted.query,
          numResults: ANSWER_PAGES,
          ...NO_FILTERS,
          contents: wantsAny(contents) ? contents : null,
          answer: true,
          signal,
          tenant,
          keep: keep && wanted.store,
        });
        const { cache, timingsMs, incomplete } = found;
        const used = creditsOfAnswer(found);
        const headers = ignoredHeader(ignored);
        const answered: Answered = { answer: found.answer?.text ?? null, citations: citationsOf(found) };
        if (wanted.stream) {
          const body = streamed(answered, requestId);
          return { used, cache, timingsMs, incomplete, headers: { ...headers, ...EVENTS }, body };
        }
        return {
          used,
          cost: costDollars,
          cache,
          timingsMs,
          incomplete,
          headers,
          body: {
            requestId,
            ...answered,
            service: { cache, timingsMs, ignored, ...incompleteField(incomplete) },
          },
        };
      },
    };
  };
}

type Answered = { answer: string | null; citations: JsonObject[] };

/** Lists the quoted page first, then the other pages that were read, in search order. */
function citationsOf({ results, answer }: SearchAnswer): JsonObject[] {
  const isQuoted = ({ url }: SearchResult): boolean => url === answer?.url;
  return [...results.filter(isQuoted), ...results.filter((result) => !isQuoted(result))].map((result) =>
    toCitation(result, isQuoted(result) ? (answer ?? null) : null),
  );
}

function toCitation(result: SearchResult, quoted: QuotedAnswer | null): JsonObject {
  const { url, title, publishedDay, author, text } = result;
  const { image, favicon } = declaredBy(result);
  return {
    id: url,
    url,
    title,
    publishedDate: publishedDay,
    author: author ?? null,
    ...present({ image, favicon, text }),
    ...(quoted === null ? {} : { proof: proofOf(quoted) }),
  };
}

const proofOf = ({ start, end, headingPath, link, contentHash, score }: QuotedAnswer): JsonObject => ({
  start,
  end,
  headingPath,
  link,
  contentHash,
  score,
});

const EVENTS = { 'content-type': 'text/event-stream; charset=utf-8', 'Cache-Control': 'no-store' };

/** Formats the answer as server-sent events. It is quoted, not generated, so one event carries the text and one the pages. */
function streamed({ answer, citations }: Answered, requestId: string): string {
  const chunkOf = (delta: JsonObject, finish: 'stop' | null): JsonObject => ({
    id: requestId,
    object: 'chat.completion.chunk',
    choices: [{ index: 0, delta, finish_reason: finish }],
  });
  const events = [
    ...(answer === null ? [] : [chunkOf({ role: 'assistant', content: answer }, null)]),
    { ...chunkOf({}, 'stop'), citations },
  ];
  const lines = [...events.map((event) => JSON.stringify(event)), '[DONE]'];
  return lines.map((line) => `data: ${line}\n\n`).join('');
}
