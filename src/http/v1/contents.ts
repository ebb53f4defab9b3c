import * as z from 'zod';
import { PRICES } from '../../billing/ledger/prices.ts';
import type { FetchReason } from '../../contract/errors.ts';
import { CONTENTS_URLS_MAX, URL_CHARS_MAX } from '../../contract/limits.ts';
import {
  type Contents,
  type ContentsAnswer,
  type ContentsResult,
  summarizeCacheState,
  type UrlStatus,
} from '../../search/contents.ts';
import type { WantedParts } from '../../text/prune/page-parts.ts';
import type { JsonObject, PricedRoute, WorkResult } from '../calls/call.ts';
import { buildIgnoredHeader, findIgnoredFields, type KnownFields } from '../calls/ignored-fields.ts';
import { buildIncompleteField, countLatePages } from '../calls/incomplete.ts';
import { omitNulls, parseBody } from '../calls/json-body.ts';
import { wantedFields } from './content-fields.ts';
import { buildCostDollars } from './cost.ts';
import { openingFields, storeField } from './opening.ts';
import { computeSubpagesMax, extraFields } from './page-part-fields.ts';
import {
  buildContextField,
  buildOperationFields,
  buildPageRequest,
  buildPartFields,
  countLoadedSubpages,
  type PageRequest,
} from './page-request.ts';
import { recordField } from './records.ts';
import { PAGE_FIELDS } from './search.ts';
import { collectPruning } from './search-answer.ts';

/** A URL as the caller wrote it; the guarded fetch checks later whether it may be fetched. */
export const address = z
  .string({ error: ({ input }) => (input === undefined ? 'is required' : 'must be a string') })
  .trim()
  .min(1, 'must not be empty')
  .max(URL_CHARS_MAX, `must have at most ${URL_CHARS_MAX.toLocaleString('en')} characters`)
  .meta({ pattern: '\\S' });

const tooMany = `must have at most ${CONTENTS_URLS_MAX} URLs`;
const addresses = z
  .preprocess(
    (given) => (typeof given === 'string' ? [given] : given),
    z.array(address, 'must be an array of URLs').max(CONTENTS_URLS_MAX, tooMany),
  )
  .meta({
    also: [{ type: 'string', minLength: 1, maxLength: URL_CHARS_MAX, pattern: '\\S' }],
    description: `URLs; \`urls\` and \`ids\` together hold 1 to ${CONTENTS_URLS_MAX}.`,
  })
  .default([]);

export const ContentsBody = z
  .object({
    urls: addresses,
    ids: addresses,
    ...wantedFields,
    text: wantedFields.text.meta({ usual: true }),
    ...openingFields,
    ...extraFields,
    store: storeField,
    record: recordField,
  })
  .refine(({ urls, ids }) => urls.length + ids.length > 0, {
    path: ['urls'],
    error: `must name 1 to ${CONTENTS_URLS_MAX} URLs`,
  })
  .refine(({ urls, ids }) => urls.length + ids.length <= CONTENTS_URLS_MAX, {
    path: ['urls'],
    error: `${tooMany} together with ids`,
  })
  .meta({
    anyOf: ['urls', 'ids'].map((name) => ({ required: [name], properties: { [name]: { minItems: 1 } } })),
  });

/** With `text: false` and nothing else, a call only checks whether pages load. */
const NOTHING_WANTED: WantedParts = { text: null, highlights: null, pruned: null };

const KNOWN_FIELDS: KnownFields = {
  urls: true,
  ids: true,
  store: true,
  record: true,
  apiKey: true,
  ...PAGE_FIELDS,
};

/**
 * POST /v1/contents: holds a credit for each URL and uses one for each that loads with its requested parts. Errors: 400 url_not_allowed,
 * 422 validation_error.
 */
export function createContentsHandler(contents: Contents): PricedRoute['prepare'] {
  return ({ body, requestId, caller, tenant, keep }) => {
    const { urls, ids, store, record: _, text = {}, ...others } = parseBody(ContentsBody, body);
    const ignored = findIgnoredFields(body, KNOWN_FIELDS);
    const pages = buildPageRequest({ text, ...others });
    const timeoutByCaller = pages.opening?.timeoutMs !== undefined;
    const all = [...urls, ...ids];
    const subpages = computeSubpagesMax(pages.extras, { pages: all.length, caller });
    const request = {
      urls: all,
      wanted: pages.wanted ?? NOTHING_WANTED,
      tenant,
      keep: keep && store,
      ...buildOperationFields(pages, subpages),
    };
    const toAnswer = createAnswerBuilder(requestId, { pages, ignored, timeoutByCaller });
    return {
      most: all.length * PRICES.contentsPerUrl + subpages * PRICES.subpage,
      work: async (signal) => toAnswer(await contents({ ...request, signal })),
    };
  };
}

type ContentsContext = { pages: PageRequest; ignored: string[]; timeoutByCaller: boolean };

function createAnswerBuilder(
  requestId: string,
  { pages, ignored, timeoutByCaller }: ContentsContext,
): (answer: ContentsAnswer) => WorkResult {
  return ({ results, statuses, incomplete }) => {
    const loaded = statuses.filter(({ ok }) => ok).length - countLatePages(results);
    const late = results.flatMap(({ url, late: parts }) => (parts === undefined ? [] : [{ url, parts }]));
    return {
      used: loaded * PRICES.contentsPerUrl + countLoadedSubpages(results) * PRICES.subpage,
      cost: buildCostDollars,
      cache: summarizeCacheState(statuses),
      incomplete,
      headers: buildIgnoredHeader(ignored),
      body: {
        requestId,
        results: results.map((result) => toResult(result, pages)),
        ...buildContextField(results, pages),
        statuses: statuses.map((status) => toStatus(status, { timeoutByCaller })),
        service: {
          ignored,
          ...buildIncompleteField(incomplete),
          ...(late.length === 0 ? {} : { incompletePages: late }),
          ...collectPruning(results),
          ...collectReadRoutes(results),
          ...collectCompleteness(results),
        },
      },
    };
  };
}

/** Collects the read route of each result, in result order. */
function collectReadRoutes(results: readonly ContentsResult[]): JsonObject {
  const routes = results.map(({ readRoute }) => readRoute).filter((route) => route !== undefined);
  return routes.length === 0 ? {} : { routes };
}

/** Collects how much of each page's structure was kept, in result order; null where that is not known. */
function collectCompleteness(results: readonly ContentsResult[]): JsonObject {
  if (results.every(({ completeness }) => completeness === undefined)) return {};
  return { completeness: results.map(({ completeness = null }) => completeness) };
}

function toResult(result: ContentsResult, pages: PageRequest): JsonObject {
  const { url, title, publishedDay } = result;
  return {
    id: url,
    url,
    title,
    ...omitNulls({ publishedDate: publishedDay }),
    ...buildPartFields(result, pages),
  };
}

type UrlError = { tag: string; httpStatusCode: number | null };

/** Builds one element of `statuses`: the outcome for one requested URL. A timeout set by the caller has its own tag. */
export function toStatus(status: UrlStatus, { timeoutByCaller }: { timeoutByCaller: boolean }): JsonObject {
  if (status.ok)
    return { id: status.id, status: 'success', source: status.cache === 'miss' ? 'crawled' : 'cached' };
  const error =
    status.reason === 'timeout' && timeoutByCaller
      ? { tag: 'CRAWL_LIVECRAWL_TIMEOUT', httpStatusCode: 504 }
      : toUrlError(status.reason, status.httpStatus);
  return { id: status.id, status: 'error', source: 'crawled', error };
}

function toUrlError(reason: FetchReason, httpStatus: number | null): UrlError {
  switch (reason) {
    case 'http_status':
      return { tag: findStatusTag(httpStatus), httpStatusCode: httpStatus };
    case 'wall':
      // Block pages often come with a 200, but access to the page was still refused.
      return {
        tag: 'SOURCE_NOT_AVAILABLE',
        httpStatusCode: httpStatus !== null && httpStatus >= 400 ? httpStatus : 403,
      };
    case 'timeout':
    case 'aborted':
      return { tag: 'CRAWL_TIMEOUT', httpStatusCode: 504 };
    case 'not_kept':
      return { tag: 'SOURCE_NOT_AVAILABLE', httpStatusCode: null };
    case 'unsupported_type':
    case 'not_allowed':
      return { tag: 'UNSUPPORTED_URL', httpStatusCode: null };
    default:
      return { tag: 'CRAWL_UNKNOWN_ERROR', httpStatusCode: null };
  }
}

function findStatusTag(status: number | null): string {
  if (status === 404 || status === 410) return 'CRAWL_NOT_FOUND';
  if (status === 401 || status === 403 || status === 407 || status === 451) return 'SOURCE_NOT_AVAILABLE';
  return 'CRAWL_UNKNOWN_ERROR';
}
