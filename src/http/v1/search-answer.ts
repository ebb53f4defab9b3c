import type { CitedParts } from '../../search/cite-parts.ts';
import type { SearchAnswer, SearchResult } from '../../search/search-types.ts';
import type { JsonObject, Worked } from '../calls/call.ts';
import { ignoredHeader } from '../calls/ignored-fields.ts';
import { incompleteField } from '../calls/incomplete.ts';
import { present, roundScore } from '../calls/present.ts';
import { costDollars } from './cost.ts';
import { contextField, NO_PAGES, type PageRequest, partFields } from './page-request.ts';

/** The first shape's response to search and findSimilar. */
export function toAnswer(
  { cache, timingsMs, tokens, sources, index, filters, results, incomplete }: SearchAnswer,
  { used, requestId, ignored, pages = NO_PAGES }: AnswerContext,
): Worked {
  const ms = Math.round(timingsMs.total ?? 0);
  return {
    used,
    cost: costDollars,
    cache,
    timingsMs,
    incomplete,
    headers: ignoredHeader(ignored),
    body: {
      requestId,
      results: results.map((result) => toResult(result, pages)),
      ...contextField(results, pages),
      searchTimeMs: ms,
      searchTime: ms,
      service: {
        cache,
        timingsMs,
        tokens,
        sources,
        ignored,
        filters,
        ...present({ index }),
        ...incompleteField(incomplete),
        ...prunedBy(results),
        ...originsOf(results),
      },
    },
  };
}

type AnswerContext = { used: number; requestId: string; ignored: string[]; pages?: PageRequest };

function toResult(result: SearchResult, pages: PageRequest): JsonObject {
  const { url, title, score, isWeak, publishedDay } = result;
  return {
    id: url,
    url,
    title,
    score: roundScore(score),
    ...present({ weak: isWeak }),
    publishedDate: publishedDay,
    ...partFields(result, pages),
  };
}

/** Collects how each result's context was pruned, in result order; absent unless requested. */
export function prunedBy(results: readonly CitedParts[]): JsonObject {
  const pruned = results.map((result) => result.prunedBy).filter((by) => by !== undefined);
  return pruned.length === 0 ? {} : { pruned };
}

/** Collects the corpora that results were imported from, with their licences; absent if there are none. */
function originsOf(results: readonly SearchResult[]): JsonObject {
  const origins = results.flatMap(({ url, origin }) => (origin === undefined ? [] : [{ url, ...origin }]));
  return origins.length === 0 ? {} : { origins };
}
