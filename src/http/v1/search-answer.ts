import type { CitedParts } from '../../search/cite-parts.ts';
import type { SearchAnswer, SearchResult } from '../../search/search-types.ts';
import type { JsonObject, Worked } from '../calls/call.ts';
import { ignoredHeader } from '../calls/ignored-fields.ts';
import { present, roundScore } from '../calls/present.ts';
import { writeJson } from '../calls/written-json.ts';
import { costDollars } from './cost.ts';
import { createSentResults } from './kept-results.ts';
import { contextField, NO_PAGES, type PageRequest, partFields } from './page-request.ts';

/** The first shape's response to search and findSimilar. */
export function toAnswer(
  answer: SearchAnswer,
  { pages = NO_PAGES, ...shown }: Shown & { pages?: PageRequest },
): Worked {
  return answerOf(answer, { ...shown, parts: resultParts(answer.results, pages) });
}

type Shown = { used: number; requestId: string; ignored: string[] };

/** What an answer says of its results alone. */
type ResultParts = { results: JsonObject[]; context: JsonObject; service: JsonObject };

function resultParts(results: readonly SearchResult[], pages: PageRequest): ResultParts {
  return {
    results: results.map((result) => toResult(result, pages)),
    context: contextField(results, pages),
    service: { ...prunedBy(results), ...originsOf(results) },
  };
}

function answerOf(
  { cache, timingsMs, tokens, sources, index, filters }: SearchAnswer,
  { used, requestId, ignored, parts }: Shown & { parts: ResultParts },
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
      results: parts.results,
      ...parts.context,
      searchTimeMs: ms,
      searchTime: ms,
      service: {
        ...{ cache, timingsMs, tokens, sources, ignored, filters },
        ...present({ index }),
        ...parts.service,
      },
    },
  };
}

/** Answers from kept results, whose fields and JSON are made once. `way`: names the request of pages. */
export function createKeptAnswers(): (
  answer: SearchAnswer,
  shown: Shown & { pages: PageRequest; way: string },
) => Worked {
  const sentResults = createSentResults<SearchResult, ResultParts>();
  return (answer, { pages, way, ...shown }) => {
    const { results } = answer;
    const sent = sentResults(results, way, () => resultParts(results, pages));
    return {
      ...answerOf(answer, { ...shown, parts: sent.fields }),
      write: (body) => writeJson(body, { results: sent.json }),
    };
  };
}

function toResult(result: SearchResult, pages: PageRequest): JsonObject {
  const { url, title, score, publishedDay } = result;
  return {
    id: url,
    url,
    title,
    score: roundScore(score),
    publishedDate: publishedDay,
    ...partFields(result, pages),
  };
}

/** How each result's context was pruned, in result order; absent unless requested. */
export function prunedBy(results: readonly CitedParts[]): JsonObject {
  const pruned = results.map((result) => result.prunedBy).filter((by) => by !== undefined);
  return pruned.length === 0 ? {} : { pruned };
}

/** The corpora that results were imported from, with their licences; absent if none was. */
function originsOf(results: readonly SearchResult[]): JsonObject {
  const origins = results.flatMap(({ url, origin }) => (origin === undefined ? [] : [{ url, ...origin }]));
  return origins.length === 0 ? {} : { origins };
}
