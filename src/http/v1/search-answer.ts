import type { CitedParts } from '../../search/cite-parts.ts';
import type { SearchResult } from '../../search/search-types.ts';
import type { JsonObject, WorkResult } from '../calls/call.ts';
import { buildIgnoredHeader } from '../calls/ignored-fields.ts';
import { buildIncompleteField } from '../calls/incomplete.ts';
import { omitNulls, roundScore } from '../calls/json-body.ts';
import { buildCostDollars } from './cost.ts';
import { type ScopedAnswer, toChosenLibrary, toLibraryField } from './library-fields.ts';
import { buildContextField, buildPartFields, NO_PAGES, type PageRequest } from './page-request.ts';

/** The first shape's response to search and findSimilar. */
export function toAnswer(
  { cache, timingsMs, tokens, sources, index, filters, results: found, incomplete, scope }: ScopedAnswer,
  { used, requestId, ignored, pages = NO_PAGES }: AnswerContext,
): WorkResult {
  const ms = Math.round(timingsMs.total ?? 0);
  // A page that has left the versions that were searched is no result any more.
  const results = scope === undefined ? found : found.filter(({ url }) => scope.places.has(url));
  return {
    used,
    cost: buildCostDollars,
    cache,
    timingsMs,
    incomplete,
    headers: buildIgnoredHeader(ignored),
    body: {
      requestId,
      results: results.map((result) => ({
        ...toResult(result, pages),
        ...toLibraryField(scope?.places.get(result.url)),
      })),
      ...buildContextField(results, pages),
      searchTimeMs: ms,
      searchTime: ms,
      service: {
        cache,
        timingsMs,
        tokens,
        sources,
        ignored,
        filters,
        ...omitNulls({ index }),
        ...buildIncompleteField(incomplete),
        ...collectPruning(results),
        ...collectOrigins(results),
        ...(scope === undefined
          ? {}
          : { libraries: scope.choice.libraries.map(toChosenLibrary), notes: scope.choice.notes }),
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
    ...omitNulls({ weak: isWeak }),
    publishedDate: publishedDay,
    ...buildPartFields(result, pages),
  };
}

/** Collects how each result's context was pruned, in result order; absent unless requested. */
export function collectPruning(results: readonly CitedParts[]): JsonObject {
  const pruned = results.map((result) => result.prunedBy).filter((by) => by !== undefined);
  return pruned.length === 0 ? {} : { pruned };
}

/** Collects the corpora that results were imported from, with their licences; absent if there are none. */
function collectOrigins(results: readonly SearchResult[]): JsonObject {
  const origins = results.flatMap(({ url, origin }) => (origin === undefined ? [] : [{ url, ...origin }]));
  return origins.length === 0 ? {} : { origins };
}
