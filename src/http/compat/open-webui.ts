/** The shape of Open WebUI: its external search engine and its external page loader. */

import * as z from 'zod';
import { PRICES } from '../../billing/ledger/prices.ts';
import { createFetchFailure } from '../../contract/errors.ts';
import { RESULTS_DEFAULT, RESULTS_MAX } from '../../contract/limits.ts';
import {
  type Contents,
  type ContentsResult,
  summarizeCacheState,
  type UrlStatus,
} from '../../search/contents.ts';
import type { Search } from '../../search/search.ts';
import type { JsonObject, PricedRoute } from '../calls/call.ts';
import { countLatePages } from '../calls/incomplete.ts';
import { addScheme, omitNulls } from '../calls/json-body.ts';
import type { Operation } from '../calls/operation.ts';
import { LIMITS } from '../calls/route-limits.ts';
import { query } from '../v1/content-fields.ts';
import {
  buildJsonList,
  buildPostRoute,
  type CompatShape,
  createHandler,
  createSearchHandler,
  PLAIN_ERRORS,
} from './core.ts';
import { createCappedNumberSchema, storeField, urlList } from './fields.ts';
import { buildSnippetRequest, readSnippet } from './results.ts';

const SearchBody = z.object({
  query,
  count: createCappedNumberSchema({ min: 0, max: RESULTS_MAX }).default(RESULTS_DEFAULT),
  store: storeField,
});
const LoadBody = z.object({ urls: urlList, store: storeField });

/** POST /openwebui/search: an array of `{link, title, snippet}`. Errors: 422 validation_error, 503 recall_unavailable. */
function createOpenWebuiSearchHandler(search: Search): PricedRoute['prepare'] {
  return createSearchHandler(search, {
    fields: SearchBody,
    toRequest: ({ query, count }) => ({ query, numResults: count, ...buildSnippetRequest(1) }),
    toAnswer: ({ results }) =>
      buildJsonList(
        results.map((result) => ({ link: result.url, title: result.title, snippet: readSnippet(result) })),
      ),
  });
}

const WHOLE_PAGE = { text: { charsMax: null }, highlights: null, pruned: null };

/**
 * POST /openwebui/load: an array of `{page_content, metadata}`, one for each page that loads; each is charged.
 * Errors: 422 validation_error, and 502 fetch_failed if no page loads.
 */
function createLoadHandler(contents: Contents): PricedRoute['prepare'] {
  return createHandler({ fields: LoadBody }, ({ urls, store }, { tenant, keep }) => ({
    most: urls.length * PRICES.contentsPerUrl,
    async work(signal) {
      const { results, statuses, incomplete } = await contents({
        urls: urls.map(addScheme),
        wanted: WHOLE_PAGE,
        eachAlone: true,
        signal,
        tenant,
        keep: keep && store,
      });
      if (results.length === 0) throw createLoadFailure(statuses);
      return {
        used: (results.length - countLatePages(results)) * PRICES.contentsPerUrl,
        incomplete,
        cache: summarizeCacheState(statuses),
        ...buildJsonList(results.map(toDocument)),
      };
    },
  }));
}

function toDocument({ url, title, author, publishedDay, text }: ContentsResult): JsonObject {
  return {
    page_content: text ?? '',
    metadata: { source: url, title, ...omitNulls({ author, published_date: publishedDay }) },
  };
}

function createLoadFailure(statuses: readonly UrlStatus[]): Error {
  const [first] = statuses.flatMap((status) => (status.ok ? [] : [status]));
  const { length } = statuses;
  const none = length === 1 ? 'The page could not be read' : `None of the ${length} pages could be read`;
  return createFetchFailure(first?.reason ?? 'empty', `${none}: ${first?.message ?? 'no reason is known'}`);
}

const SearchAnswer = z
  .array(
    z.object({
      link: z.string(),
      title: z.string(),
      snippet: z.string().meta({ description: 'A passage of the page as plain text; may be empty.' }),
    }),
  )
  .meta({ title: 'OpenWebuiResults' });

const LoadAnswer = z
  .array(
    z.object({
      page_content: z.string().meta({ description: 'The page as Markdown.' }),
      metadata: z.object({
        source: z.string().meta({ description: 'The URL of the page.' }),
        title: z.string(),
        author: z.string().optional(),
        published_date: z.string().optional(),
      }),
    }),
  )
  .meta({ title: 'OpenWebuiDocuments' });

/** The operations of Open WebUI's external search and loader. */
const OPERATIONS: Record<string, Operation> = {
  'POST /openwebui/search': {
    id: 'openWebuiSearch',
    tag: 'drop-in',
    summary: 'Search the web for Open WebUI',
    about: 'For its search engine `external`.',
    price: '1 credit.',
    body: SearchBody,
    spelling: 'snake_case',
    answer: SearchAnswer,
    errors: ['validation_error', 'recall_unavailable'],
    example: { body: { query: 'how does write-ahead logging work', count: 3 } },
  },
  'POST /openwebui/load': {
    id: 'openWebuiLoad',
    tag: 'drop-in',
    summary: 'Read pages for Open WebUI',
    about:
      'For its web loader `external`: up to twenty pages as Markdown. Pages that do not load are left out.',
    price: '1 credit for each page that loads.',
    body: LoadBody,
    spelling: 'snake_case',
    answer: LoadAnswer,
    errors: ['validation_error', 'url_not_allowed', 'fetch_failed'],
    example: { body: { urls: ['https://example.org/'] } },
  },
};

/** The shape of Open WebUI. */
export const OPEN_WEBUI: CompatShape<{ search: Search; contents: Contents }> = {
  prefixes: ['/openwebui'],
  errors: PLAIN_ERRORS,
  operations: OPERATIONS,
  buildRoutes: ({ search, contents }) => [
    buildPostRoute(['/openwebui/search'], LIMITS.search, createOpenWebuiSearchHandler(search)),
    buildPostRoute(['/openwebui/load'], LIMITS.pages, createLoadHandler(contents)),
  ],
};
