/** The shape of Jina: search with page texts (`/s`). Its reader is the service's own, in reader/, and its reranker is in rerank.ts. */

import * as z from 'zod';
import { CHARS_PER_TOKEN, RESULTS_MAX } from '../../contract/limits.ts';
import type { Selection } from '../../pages/extract/extras/map-fields.ts';
import type { Search } from '../../search/search.ts';
import type { SearchRequest, SearchResult } from '../../search/search-types.ts';
import type { Call, JsonObject, PricedRoute } from '../calls/call.ts';
import { buildKnownFields, findIgnoredFields } from '../calls/ignored-fields.ts';
import { omitNulls } from '../calls/json-body.ts';
import type { Operation } from '../calls/operation.ts';
import { LIMITS } from '../calls/route-limits.ts';
import { READ_GIVEN } from '../reader/reader.ts';
import { type ReaderOptions, readReaderOptions, wantsJson } from '../reader/reader-options.ts';
import { readerEnvelope, tokenUsage } from '../reader/reader-parameters.ts';
import { extractSearchText, SEARCH_PATH } from '../server/request-target.ts';
import { query } from '../v1/content-fields.ts';
import { buildCostDollars } from '../v1/cost.ts';
import { buildGetAndPostRoutes, type CompatShape, createSearchHandler, describeParameters } from './core.ts';
import { createCappedNumberSchema, domainList, mergeParameters, storeField } from './fields.ts';

const RESULTS_DEFAULT = 5;
/** Maximum page number; later pages have no results. */
const PAGES_MAX = 5;

const count = createCappedNumberSchema({ min: 1, max: RESULTS_MAX }).meta({
  description: `Results on a page; by default ${RESULTS_DEFAULT}.`,
});

/** The parameters of a search, in its address or its body; `num` is the newer name of `count`. */
const SearchFields = z.object({
  q: query,
  count: count.optional(),
  num: count.optional(),
  page: createCappedNumberSchema({ min: 1, max: PAGES_MAX + 1 }).default(1),
  site: domainList,
  store: storeField,
});
type SearchWish = z.output<typeof SearchFields>;

/** GET /s/{query}, GET and POST /s: the best pages with their text. Errors: 422 validation_error, 503 recall_unavailable. */
function createJinaSearchHandler(search: Search): PricedRoute['prepare'] {
  return createSearchHandler(search, {
    fields: SearchFields,
    readParameters,
    findIgnored: (given, _wanted, call) => [
      ...findIgnoredFields(given, KNOWN_FIELDS),
      ...listIgnoredHeaders(readOptions(call), wantsText(call)),
    ],
    toRequest: (wanted, call) => ({
      query: wanted.q,
      numResults: Math.min(RESULTS_MAX, computeRanks(wanted).end),
      includeDomains: wanted.site,
      ...buildContentOptions(readOptions(call), wantsText(call)),
    }),
    toAnswer({ results }, wanted, { headers }) {
      const { start, end } = computeRanks(wanted);
      const isJson = wantsJson(headers.accept);
      const cost = isJson ? { cost: buildCostDollars } : {};
      return { ...cost, ...formatResults(results.slice(start, end), isJson) };
    },
  });
}

const KNOWN_FIELDS = buildKnownFields(Object.keys(SearchFields.shape));

/** Returns the rank before the first result of a page, and the rank of its last. */
function computeRanks({ page, num, count }: SearchWish): { start: number; end: number } {
  const perPage = num ?? count ?? RESULTS_DEFAULT;
  return { start: (page - 1) * perPage, end: page * perPage };
}

const readOptions = ({ headers }: Pick<Call, 'headers'>): ReaderOptions =>
  readReaderOptions(headers, { rendersPages: false });

const wantsText = ({ headers }: Pick<Call, 'headers'>): boolean =>
  !/\bno-content\b/i.test(String(headers['x-respond-with'] ?? ''));

/** The query is in the path, the query string or the body; `X-Site` is the same as `site`. */
function readParameters({ target, query: parameters, body, headers }: Omit<Call, 'signal'>): JsonObject {
  const inPath = decodeQuery(extractSearchText(target) ?? '');
  const site = headers['x-site'];
  const given = {
    ...(inPath === '' ? {} : { q: inPath }),
    ...(site === undefined ? {} : { site: String(site).split(',') }),
    ...mergeParameters(parameters, body),
  };
  // Forms and templates also send their empty fields.
  return Object.fromEntries(Object.entries(given).filter(([, value]) => value !== ''));
}

/** `a+b%20c` -> `a b c`; text with an invalid escape stays unchanged. */
function decodeQuery(text: string): string {
  const spaced = text.replaceAll('+', ' ');
  try {
    return decodeURIComponent(spaced).trim();
  } catch (error) {
    if (error instanceof URIError) return spaced.trim();
    throw error;
  }
}

/** A search without texts uses only cached copies, for its descriptions. */
function buildContentOptions(
  options: ReaderOptions,
  withText: boolean,
): Pick<SearchRequest, 'contents' | 'opening'> {
  const { freshMs, copies, timeoutMs } = options.opening;
  const opening = { ...omitNulls({ freshMs, copies, timeoutMs }) };
  return {
    contents: {
      text: withText
        ? { charsMax: options.tokensMax === null ? null : options.tokensMax * CHARS_PER_TOKEN }
        : null,
      highlights: { query: null, perUrl: 1, charsMax: null },
      pruned: null,
      ...(options.format === 'text' ? { plain: true } : {}),
    },
    opening: withText ? opening : { copies: 'only' },
  };
}

/** Lists the headers that have an effect only when reading a page. */
function listIgnoredHeaders(
  { ignored, format, opening, links, images }: ReaderOptions,
  withText: boolean,
): string[] {
  const asked = withText ? ignored : ignored.filter((name) => name !== 'X-Respond-With');
  return [
    ...asked,
    ...(format === 'html' ? ['X-Return-Format'] : []),
    ...listSelectorHeaders(opening.extras?.selection ?? null),
    ...(opening.headers === undefined ? [] : ['X-Locale']),
    ...(opening.engine === undefined ? [] : ['X-Engine']),
    ...(links === null ? [] : ['X-With-Links-Summary']),
    ...(images ? ['X-With-Images-Summary'] : []),
  ];
}

function listSelectorHeaders(selection: Selection | null): string[] {
  if (selection === null) return [];
  const { include, exclude, comments } = selection;
  return [
    ...(include.length === 0 ? [] : ['X-Target-Selector']),
    ...(exclude.length === 0 ? [] : ['X-Remove-Selector']),
    ...(comments ? ['X-With-Comments'] : []),
  ];
}

function formatResults(
  results: readonly SearchResult[],
  json: boolean,
): { body: JsonObject | string; headers: Record<string, string> } {
  if (!json)
    return {
      body: results.map(toText).join('\n\n'),
      headers: { 'content-type': 'text/plain; charset=utf-8' },
    };
  const data = results.map(toJson);
  const tokens = results.reduce((sum, { text }) => sum + estimateTokens(text), 0);
  return { body: { code: 200, status: 20_000, data, meta: { usage: { tokens } } }, headers: {} };
}

const estimateTokens = (text: string | undefined): number => Math.ceil((text ?? '').length / CHARS_PER_TOKEN);

const toJson = ({ title, url, text, highlights, publishedDay }: SearchResult): JsonObject => ({
  title,
  url,
  description: highlights?.[0] ?? '',
  ...omitNulls({ publishedTime: publishedDay, content: text }),
  ...(text === undefined ? {} : { usage: { tokens: estimateTokens(text) } }),
});

function toText({ title, url, text, highlights, publishedDay }: SearchResult, place: number): string {
  const lines: [label: string, value: string | null | undefined][] = [
    ['Title', title],
    ['URL Source', url],
    ['Description', highlights?.[0]?.replace(/\s+/g, ' ')],
    ['Published Time', publishedDay],
    ['Markdown Content', text === undefined ? undefined : `\n${text}`],
  ];
  return lines
    .filter(([, value]) => value !== undefined && value !== null)
    .map(([label, value]) => `[${place + 1}] ${label}: ${value}`)
    .join('\n');
}

const SearchAnswerBody = z
  .object({
    ...readerEnvelope,
    data: z.array(
      z.object({
        title: z.string(),
        url: z.string(),
        description: z.string().meta({ description: 'A passage of the page; may be empty.' }),
        publishedTime: z.string().optional(),
        content: z.string().optional().meta({ description: 'The page as Markdown, or as text.' }),
        usage: tokenUsage.optional(),
      }),
    ),
  })
  .meta({ title: 'JinaSearchAnswer' });

const SEARCH = {
  tag: 'drop-in',
  price: '1 credit.',
  answer: 'text/plain',
  json: SearchAnswerBody,
  errors: ['validation_error', 'recall_unavailable'],
} as const satisfies Partial<Operation>;

const ABOUT_SEARCH =
  'The best pages for a query with their text, for clients of Jina; `Accept: application/json` alone returns JSON. The headers of `/r/{url}` for formats, caches, time and tokens count here too; `X-Respond-With: no-content` leaves the texts out, and `X-Site` is the same as `site`.';

/** The operations in the shapes of Jina. */
const OPERATIONS: Record<string, Operation> = {
  'GET /s': {
    ...SEARCH,
    id: 'jinaSearch',
    summary: 'Search with page texts, as Jina',
    about: `${ABOUT_SEARCH} The query may stand in the path, as \`/s/{query}\`.`,
    parameters: describeParameters(SearchFields, {
      q: 'The query.',
      count: 'Results on a page.',
      num: 'The same under its newer name.',
      page: 'The page of results.',
      site: 'Only pages of this domain.',
    }),
    errors: [...SEARCH.errors],
    example: { path: '/s?q=how+does+write-ahead+logging+work' },
  },
  'POST /s': {
    ...SEARCH,
    id: 'jinaSearchPost',
    summary: 'Search with page texts, as Jina, by POST',
    about: `${ABOUT_SEARCH} The body is JSON or a form.`,
    body: SearchFields,
    errors: [...SEARCH.errors],
  },
  'POST /r': READ_GIVEN,
};

/** The shape of Jina. Failures are worded in the first shape, because the clients read the status and show the text unchanged. */
export const JINA: CompatShape<{ search: Search }> = {
  prefixes: [],
  errors: null,
  operations: OPERATIONS,
  buildRoutes: ({ search }) =>
    buildGetAndPostRoutes([SEARCH_PATH], LIMITS.search, createJinaSearchHandler(search)),
};
