import * as z from 'zod';
import { PRICES } from '../../billing/ledger/prices.ts';
import { resolveDeclared } from '../../search/pages/page-details.ts';
import { ANSWER_PAGES } from '../../search/quote-from-results.ts';
import type { Search } from '../../search/search.ts';
import type { SearchAnswer, SearchResult } from '../../search/search-types.ts';
import type { QuotedAnswer } from '../../text/answer/candidates.ts';
import { NO_FILTERS } from '../../text/query/filters.ts';
import type { JsonObject, PricedRoute } from '../calls/call.ts';
import { buildIgnoredHeader, buildKnownFields, findIgnoredFields } from '../calls/ignored-fields.ts';
import { buildIncompleteField, computeAnswerCredits } from '../calls/incomplete.ts';
import { omitNulls, parseBody } from '../calls/json-body.ts';
import { buildWantedParts, query, wantedFields, wantsAny } from './content-fields.ts';
import { buildCostDollars } from './cost.ts';
import { storeField } from './opening.ts';

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
  ...buildKnownFields(Object.keys(AnswerBody.shape)),
  text: { maxCharacters: true as const },
};

/**
 * POST /v1/answer: the passage that answers a question, verbatim, and the pages that were read for it. Costs as much as its search; free if
 * time ran out before the passage was found. Errors: 422 validation_error, 503 recall_unavailable.
 */
export function createAnswerHandler(search: Search): PricedRoute['prepare'] {
  return ({ body, requestId, tenant, keep }) => {
    const wanted = parseBody(AnswerBody, body);
    const ignored = findIgnoredFields(body, KNOWN_FIELDS);
    const contents = buildWantedParts({ text: wanted.text });
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
        const used = computeAnswerCredits(found);
        const headers = buildIgnoredHeader(ignored);
        const answered: CitedAnswer = {
          answer: found.answer?.text ?? null,
          citations: buildCitations(found),
        };
        if (wanted.stream) {
          const body = formatEvents(answered, requestId);
          return { used, cache, timingsMs, incomplete, headers: { ...headers, ...EVENTS }, body };
        }
        return {
          used,
          cost: buildCostDollars,
          cache,
          timingsMs,
          incomplete,
          headers,
          body: {
            requestId,
            ...answered,
            service: { cache, timingsMs, ignored, ...buildIncompleteField(incomplete) },
          },
        };
      },
    };
  };
}

type CitedAnswer = { answer: string | null; citations: JsonObject[] };

/** Lists the quoted page first, then the other pages that were read, in search order. */
function buildCitations({ results, answer }: SearchAnswer): JsonObject[] {
  const isQuoted = ({ url }: SearchResult): boolean => url === answer?.url;
  return [...results.filter(isQuoted), ...results.filter((result) => !isQuoted(result))].map((result) =>
    toCitation(result, isQuoted(result) ? (answer ?? null) : null),
  );
}

function toCitation(result: SearchResult, quoted: QuotedAnswer | null): JsonObject {
  const { url, title, publishedDay, author, text } = result;
  const { image, favicon } = resolveDeclared(result);
  return {
    id: url,
    url,
    title,
    publishedDate: publishedDay,
    author: author ?? null,
    ...omitNulls({ image, favicon, text }),
    ...(quoted === null ? {} : { proof: buildProof(quoted) }),
  };
}

const buildProof = ({ start, end, headingPath, link, contentHash, score }: QuotedAnswer): JsonObject => ({
  start,
  end,
  headingPath,
  link,
  contentHash,
  score,
});

const EVENTS = { 'content-type': 'text/event-stream; charset=utf-8', 'Cache-Control': 'no-store' };

/** Formats the answer as server-sent events. It is quoted, not generated, so one event carries the text and one the pages. */
function formatEvents({ answer, citations }: CitedAnswer, requestId: string): string {
  const buildChunk = (delta: JsonObject, finish: 'stop' | null): JsonObject => ({
    id: requestId,
    object: 'chat.completion.chunk',
    choices: [{ index: 0, delta, finish_reason: finish }],
  });
  const events = [
    ...(answer === null ? [] : [buildChunk({ role: 'assistant', content: answer }, null)]),
    { ...buildChunk({}, 'stop'), citations },
  ];
  const lines = [...events.map((event) => JSON.stringify(event)), '[DONE]'];
  return lines.map((line) => `data: ${line}\n\n`).join('');
}
