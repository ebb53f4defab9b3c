import { z } from 'zod';
import { PRICES } from '../../billing/ledger/prices.ts';
import { DOMAIN_FILTERS_MAX, RESULTS_DEFAULT, RESULTS_MAX } from '../../contract/limits.ts';
import type { Opening } from '../../pages/open-page-types.ts';
import type { CitedParts } from '../../search/cite-parts.ts';
import type { Search } from '../../search/search.ts';
import type { SearchAnswer, SearchRequest, SearchResult } from '../../search/search-types.ts';
import type { ContentsWanted } from '../../text/prune/page-parts.ts';
import { parseDomainFilter } from '../../text/query/filters.ts';
import type { JsonObject, PricedRoute, Worked } from '../calls/call.ts';
import { ignoredFields, ignoredHeader, type KnownFields, knownFields } from '../calls/ignored-fields.ts';
import { wholeNumber } from '../calls/whole-number.ts';
import { parseBody } from '../calls/wire.ts';
import { costDollars } from './cost.ts';
import { day } from './day.ts';
import { openingFields, openingOf, storeField } from './opening.ts';
import { query, wantedFields, wantedOf, wantsAny } from './wanted.ts';

/** Up to 100 domains, each with an optional path. */
export const domains = z
  .array(
    z
      .string('must be a string')
      .refine((text) => parseDomainFilter(text) !== null, 'must be a domain such as example.org')
      .meta({ examples: ['example.org', 'example.org/docs'] }),
    'must be an array of domains',
  )
  .max(DOMAIN_FILTERS_MAX, `must have at most ${DOMAIN_FILTERS_MAX} entries`)
  .default([]);

const numResults = wholeNumber(1)
  .transform((wanted) => Math.min(wanted, RESULTS_MAX))
  .default(RESULTS_DEFAULT)
  .meta({ description: `Values above ${RESULTS_MAX} count as ${RESULTS_MAX}.` });

const NO_CONTENTS: { wanted: ContentsWanted | null; opening: Opening | undefined } = {
  wanted: null,
  opening: undefined,
};

/** `contents: true` requests only the text. */
const contents = z
  .preprocess(
    (given) => (given === true ? { text: true } : given === false ? {} : given),
    z.object({ ...wantedFields, ...openingFields }, 'must be true, false or an object of options'),
  )
  .meta({
    also: [{ type: 'boolean' }],
    description: 'The parts of each page to return; true returns the text.',
  })
  .transform((fields) => {
    const wanted = wantedOf(fields);
    return wantsAny(wanted) ? { wanted, opening: openingOf(fields) } : NO_CONTENTS;
  })
  .default(NO_CONTENTS);

/** The fields that search and findSimilar share. */
export const resultFields = {
  numResults,
  includeDomains: domains,
  excludeDomains: domains,
  startPublishedDate: day.optional(),
  endPublishedDate: day.optional(),
  contents,
  store: storeField,
  stream: z
    .unknown()
    .refine((wanted) => wanted !== true, 'must be false: answers are not streamed')
    .meta({ not: { const: true }, description: 'Streaming is not supported.' })
    .optional(),
};

export const SearchBody = z.object({ query, ...resultFields });

/** Fields that select the parts of each page and how it is opened. */
export const PAGE_FIELDS: KnownFields = {
  text: { maxCharacters: true },
  highlights: { query: true, maxCharacters: true, highlightsPerUrl: true },
  prunedContext: { query: true },
  livecrawl: true,
  livecrawlTimeout: true,
  maxAgeHours: true,
};

/** `type` is accepted and reported as ignored: all types run the same pipeline. */
const KNOWN_FIELDS = knownFieldsOf(Object.keys(SearchBody.shape));

/** Fields that have an effect: those named, `apiKey`, and the fields of `contents`. */
export function knownFieldsOf(names: string[]): KnownFields {
  return { ...knownFields(names), contents: PAGE_FIELDS };
}

/** POST /v1/search. Errors: 422 validation_error, 503 recall_unavailable. */
export function searchHandler(search: Search): PricedRoute['prepare'] {
  return ({ body, requestId, tenant, keep }) => {
    const wanted = parseBody(SearchBody, body);
    const ignored = ignoredFields(body, KNOWN_FIELDS);
    return {
      most: PRICES.search,
      async work(signal) {
        const answer = await search({ query: wanted.query, ...requestOf(wanted, { signal, tenant, keep }) });
        return toAnswer(answer, { used: PRICES.search, requestId, ignored });
      },
    };
  };
}

/** The first shape's response to search and findSimilar. */
export function toAnswer(
  { results, cache, timingsMs, tokens, sources, index, filters }: SearchAnswer,
  { used, requestId, ignored }: { used: number; requestId: string; ignored: string[] },
): Worked {
  const ms = Math.round(timingsMs.total ?? 0);
  return {
    used,
    cost: costDollars,
    cache,
    timingsMs,
    headers: ignoredHeader(ignored),
    body: {
      requestId,
      results: results.map(toResult),
      searchTimeMs: ms,
      searchTime: ms,
      service: {
        ...{ cache, timingsMs, tokens, sources, ignored, filters },
        ...present({ index }),
        ...prunedBy(results),
      },
    },
  };
}

type ResultFields = z.output<z.ZodObject<typeof resultFields>>;

export function requestOf(
  body: ResultFields,
  { signal, tenant, keep }: { keep: boolean } & Pick<SearchRequest, 'signal' | 'tenant'>,
): Omit<SearchRequest, 'query'> {
  return {
    numResults: body.numResults,
    includeDomains: body.includeDomains,
    excludeDomains: body.excludeDomains,
    publishedFrom: body.startPublishedDate ?? null,
    publishedTo: body.endPublishedDate ?? null,
    contents: body.contents.wanted,
    ...(body.contents.opening === undefined ? {} : { opening: body.contents.opening }),
    signal,
    tenant,
    keep: keep && body.store,
  };
}

/** Parts that were not requested are absent, never null: some clients break on null. */
function toResult({ url, title, score, publishedDay, ...parts }: SearchResult): JsonObject {
  const { text, highlights, highlightScores, prunedContext } = parts;
  return {
    id: url,
    url,
    title,
    score: roundScore(score),
    publishedDate: publishedDay,
    ...present({ text, highlights, highlightScores: highlightScores?.map(roundScore), prunedContext }),
    ...citationFields(parts),
  };
}

/** The citations of a result's quotations; none if its page was not opened. */
export function citationFields({ highlightProofs, prunedProofs, contentHash }: CitedParts): JsonObject {
  return present({ highlightProofs, prunedProofs, contentHash });
}

/** How each result's context was pruned, in result order; absent unless requested. */
export function prunedBy(results: readonly CitedParts[]): JsonObject {
  const pruned = results.map((result) => result.prunedBy).filter((by) => by !== undefined);
  return pruned.length === 0 ? {} : { pruned };
}

/** Rounds to four decimals: enough to distinguish results, without false precision. */
export function roundScore(score: number): number {
  return Math.round(score * 10_000) / 10_000;
}

/** The fields that have a value. */
export function present(fields: JsonObject): JsonObject {
  return Object.fromEntries(
    Object.entries(fields).filter(([, value]) => value !== undefined && value !== null),
  );
}
