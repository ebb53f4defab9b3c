/**
 * The shape of the Perplexity Search API: one or several queries per call, with passages within a token budget. It answers no chat
 * completions.
 */
import { PRICES } from '../../billing/ledger/prices.ts';
import { Failure } from '../../contract/errors.ts';
import type { Clock } from '../../platform/clock.ts';
import type { LatePart } from '../../search/late-parts.ts';
import { resolveDeclared } from '../../search/pages/page-details.ts';
import type { Search } from '../../search/search.ts';
import type { SearchAnswer, SearchResult } from '../../search/search-types.ts';
import type { JsonObject, PricedRoute } from '../calls/call.ts';
import { computeSearchCredits } from '../calls/incomplete.ts';
import { buildIgnoredHeader, buildKnownFields, findIgnoredFields, parseBody } from '../calls/wire.ts';
import { buildBudgetedPassageRequest, selectPassagesWithin } from '../drop-in/within-tokens.ts';
import { buildFilters, PerplexitySearchBody, TOKENS } from './fields.ts';

const KNOWN_FIELDS = buildKnownFields(Object.keys(PerplexitySearchBody.shape));

export type PerplexityDeps = { search: Search; clock: Clock };

/**
 * POST /pplx/search: one search per query, all at once; those that fail are free unless all do.
 * Errors: 422 validation_error, 503 recall_unavailable.
 */
export function createPerplexityHandler({ search, clock }: PerplexityDeps): PricedRoute['prepare'] {
  return ({ body, requestId, tenant, keep }) => {
    const wanted = parseBody(PerplexitySearchBody, body);
    const headers = buildIgnoredHeader(findIgnoredFields(body, KNOWN_FIELDS));
    return {
      most: wanted.query.length * PRICES.search,
      async work(signal) {
        const request = {
          numResults: wanted.maxResults,
          ...buildFilters(wanted, clock.now()),
          ...buildBudgetedPassageRequest({
            tokensPerPage: Math.floor(wanted.maxTokensPerPage ?? TOKENS.perPage),
          }),
          signal,
          tenant,
          keep: keep && wanted.store,
        };
        const answers = await collectAnswers(wanted.query.map((query) => search({ ...request, query })));
        const [only, ...others] = answers;
        const results = interleaveResults(answers.map((answer) => answer.results));
        const passages = selectPassagesWithin(results, Math.floor(wanted.maxTokens ?? TOKENS.total));
        return {
          used: answers.reduce((sum, answer) => sum + computeSearchCredits(answer), 0),
          incomplete: collectLateParts(answers, wanted.query.length),
          ...(only === undefined || others.length > 0
            ? {}
            : { cache: only.cache, timingsMs: only.timingsMs }),
          headers,
          body: {
            results: results.map((result, place) => toResult(result, passages[place] ?? [])),
            id: requestId,
            ...(wanted.displayServerTime ? { server_time: new Date(clock.now()).toISOString() } : {}),
          },
        };
      },
    };
  };
}

/** Returns the answers of the searches that succeed. Throws the first failure if none does, and any unexpected error. */
async function collectAnswers(searches: Promise<SearchAnswer>[]): Promise<SearchAnswer[]> {
  const ended = await Promise.allSettled(searches);
  const failures = ended.flatMap((one) => (one.status === 'rejected' ? [one.reason as unknown] : []));
  const fatal = failures.find((reason) => !(reason instanceof Failure));
  if (fatal !== undefined || failures.length === ended.length) throw fatal ?? failures[0];
  return ended.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []));
}

/** Collects the late parts of all searches; a failed search counts as late results. */
function collectLateParts(answers: readonly SearchAnswer[], queries: number): LatePart[] {
  const late = answers.flatMap(({ incomplete }) => incomplete);
  return [...new Set(answers.length < queries ? [...late, 'results' as const] : late)];
}

/** Interleaves lists: the first result of each, then the second of each; every page once. */
function interleaveResults(lists: readonly SearchResult[][]): SearchResult[] {
  const longest = Math.max(...lists.map(({ length }) => length));
  const all = Array.from({ length: longest }, (_, place) =>
    lists.flatMap((list) => list[place] ?? []),
  ).flat();
  return [...new Map(all.toReversed().map((result) => [result.url, result])).values()].reverse();
}

function toResult(result: SearchResult, passages: readonly string[]): JsonObject {
  const { url, title, publishedDay } = result;
  const snippet = passages.join('\n\n');
  return { title, url, snippet, date: publishedDay, last_updated: resolveDeclared(result).modifiedDay };
}
