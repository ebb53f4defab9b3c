/** The shape of SearXNG: search as JSON, CSV or RSS, its config and its health check. Engines, categories and languages have no effect. */

import * as z from 'zod';
import { VERSION } from '../../contract/version.ts';
import type { Clock } from '../../platform/clock.ts';
import type { SourceReading } from '../../recall/upstream/upstream-types.ts';
import type { Search } from '../../search/search.ts';
import type { SearchAnswer, SearchResult } from '../../search/search-types.ts';
import { escapeXml } from '../../text/xml/escape-xml.ts';
import type { Answer, FreeRoute, JsonObject, PricedRoute } from '../calls/call.ts';
import { buildKnownFields, findIgnoredFields } from '../calls/ignored-fields.ts';
import { roundScore } from '../calls/json-body.ts';
import type { Operation } from '../calls/operation.ts';
import { LIMITS } from '../calls/route-limits.ts';
import { query } from '../v1/content-fields.ts';
import {
  buildGetAndPostRoutes,
  type CompatShape,
  createSearchHandler,
  describeParameters,
  PLAIN_ERRORS,
} from './core.ts';
import {
  computePublishedSpan,
  createCappedNumberSchema,
  dateFields,
  mergeParameters,
  readSiteOperators,
  storeField,
  treatEmptyAsAbsent,
} from './fields.ts';
import { buildSnippetRequest, readSnippet } from './results.ts';

/** Results per page, and the last page that has results. */
const PAGE_RESULTS = 10;
const PAGES_MAX = 5;
const FORMATS = ['json', 'csv', 'rss'] as const;
type Format = (typeof FORMATS)[number];
/** The parameters that have an effect (https://docs.searxng.org/dev/search_api.html). */
const SearxngFields = z.object({
  q: query,
  format: z
    .unknown()
    .meta({ examples: FORMATS })
    .transform((given): Format => parseFormat(given) ?? 'json')
    .default('json'),
  pageno: treatEmptyAsAbsent(createCappedNumberSchema({ min: 1, max: PAGES_MAX + 1 }).default(1)),
  timeRange: dateFields.timeRange,
  store: storeField,
});

type SearxngDeps = {
  search: Search;
  clock: Clock;
  serviceUrl(): string;
  /** The current state of every recall source. */
  sourceReadings(): SourceReading[];
};

/**
 * GET and POST /searxng/search: one page of results, each with the best passage of its cached copy or its source's snippet.
 * Errors: 422 validation_error, 503 recall_unavailable.
 */
function createSearxngHandler({ search, clock, serviceUrl }: SearxngDeps): PricedRoute['prepare'] {
  return createSearchHandler(search, {
    fields: SearxngFields,
    readParameters: ({ query, body }) => mergeParameters(query, body),
    findIgnored: findIgnoredParameters,
    toRequest: (wanted) =>
      wanted.pageno > PAGES_MAX
        ? null
        : {
            ...readSiteOperators(wanted.q),
            numResults: wanted.pageno * PAGE_RESULTS,
            ...computePublishedSpan(wanted, clock.now()),
            ...buildSnippetRequest(1),
          },
    toAnswer({ results, sources }, { q, format, pageno }) {
      const page = results.slice((pageno - 1) * PAGE_RESULTS);
      const { body, contentType } = renderResults(
        { results: page, sources },
        { query: q, format, link: serviceUrl() },
      );
      return { body, headers: { 'content-type': contentType } };
    },
  });
}

/** Values with which a parameter requests nothing beyond the default behaviour. */
const IDLE = new Map([
  ['language', /^(?:all|auto)?$/i],
  ['safesearch', /^0?$/],
  ['categories', /^(?:general)?$/i],
  ['engines', /^$/],
]);
const KNOWN_FIELDS = buildKnownFields(Object.keys(SearxngFields.shape));

/** Finds the parameters that request something without effect, in the caller's spelling. */
function findIgnoredParameters(parameters: JsonObject): string[] {
  const asking = Object.entries(parameters).filter(
    ([name, given]) => !IDLE.get(name)?.test(String(given).trim()),
  );
  const { format } = parameters;
  const isOther = format !== undefined && format !== '' && parseFormat(format) === null;
  return [...(isOther ? ['format'] : []), ...findIgnoredFields(Object.fromEntries(asking), KNOWN_FIELDS)];
}

function parseFormat(given: unknown): Format | null {
  const named = String(given).trim().toLowerCase();
  return FORMATS.find((format) => format === named) ?? null;
}

type SearxngResults = Pick<SearchAnswer, 'results' | 'sources'>;
type RenderedResults = { contentType: string; body: JsonObject | string };

/** Engine name in results, in place of the engines of a metasearch. */
const ENGINE = 'sanderling';
/** The only category. */
const CATEGORY = 'general';

/** Renders search results in the requested format. `link`: the address of the service, for RSS. */
function renderResults(
  found: SearxngResults,
  { query, format, link }: { query: string; format: Format; link: string },
): RenderedResults {
  switch (format) {
    case 'csv':
      return { contentType: 'text/csv; charset=utf-8', body: toCsv(found.results) };
    case 'rss':
      return {
        contentType: 'application/rss+xml; charset=utf-8',
        body: toRss(found.results, { query, link }),
      };
    default:
      return { contentType: 'application/json; charset=utf-8', body: toJson(found, query) };
  }
}

/** Every list is present, even if empty: clients read the lengths unchecked. */
function toJson({ results, sources }: SearxngResults, query: string): JsonObject {
  return {
    query,
    number_of_results: results.length,
    results: results.map(toResult),
    answers: [],
    corrections: [],
    infoboxes: [],
    suggestions: [],
    unresponsive_engines: Object.entries(sources).flatMap(([name, source]) =>
      source.ok ? [] : [[name, source.error]],
    ),
  };
}

function toResult(result: SearchResult, place: number): JsonObject {
  const { url, title, score, publishedDay } = result;
  const published = publishedDay === null ? null : `${publishedDay}T00:00:00`;
  return {
    url,
    title,
    content: readSnippet(result),
    engine: ENGINE,
    engines: [ENGINE],
    score: roundScore(score),
    category: CATEGORY,
    publishedDate: published,
    pubdate: published ?? '',
    template: 'default.html',
    parsed_url: splitUrl(url),
    positions: [place + 1],
    img_src: '',
    thumbnail: '',
    priority: '',
  };
}

/** Splits a URL into scheme, host, path, parameters, query and fragment, as Python's `urlparse` does. */
function splitUrl(url: string): string[] {
  const { protocol, host, pathname, search, hash } = new URL(url);
  return [protocol.slice(0, -1), host, pathname, '', search.slice(1), hash.slice(1)];
}

const CSV_HEAD = 'title,url,content,host,engine,score,type';

function toCsv(results: readonly SearchResult[]): string {
  const rows = results.map((result) => {
    const { title, url, score } = result;
    const cells = [title, url, readSnippet(result), new URL(url).host, ENGINE, roundScore(score), 'result'];
    return cells.map(formatCsvCell).join(',');
  });
  return [CSV_HEAD, ...rows, ''].join('\r\n');
}

/** Quotes a cell if necessary (RFC 4180). */
function formatCsvCell(value: string | number): string {
  const text = String(value);
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

/** RSS 2.0 (https://www.rssboard.org/rss-specification). */
function toRss(results: readonly SearchResult[], { query, link }: { query: string; link: string }): string {
  const title = escapeXml(`Sanderling search: ${query}`);
  return `<?xml version="1.0" encoding="UTF-8"?>
<rss version="2.0" xmlns:opensearch="http://a9.com/-/spec/opensearch/1.1/">
<channel>
<title>${title}</title>
<link>${escapeXml(link)}</link>
<description>${title}</description>
<opensearch:totalResults>${results.length}</opensearch:totalResults>
<opensearch:itemsPerPage>${results.length}</opensearch:itemsPerPage>
<opensearch:Query role="request" searchTerms="${escapeXml(query)}" startPage="1"/>
${results.map(renderRssItem).join('\n')}
</channel>
</rss>
`;
}

function renderRssItem(result: SearchResult): string {
  const { title, url, publishedDay } = result;
  const date =
    publishedDay === null ? '' : `<pubDate>${new Date(`${publishedDay}T00:00:00Z`).toUTCString()}</pubDate>`;
  return `<item><title>${escapeXml(title)}</title><link>${escapeXml(url)}</link><description>${escapeXml(readSnippet(result))}</description>${date}</item>`;
}

/** GET /searxng/config: the options of a client, and the upstream sources as engines. */
function createConfigHandler(readings: () => SourceReading[]): () => Promise<Answer> {
  return async () => ({
    body: {
      instance_name: ENGINE,
      version: VERSION,
      categories: [CATEGORY],
      engines: readings().map(toEngine),
      plugins: [],
      locales: { en: 'English' },
      default_locale: 'en',
      default_theme: 'simple',
      autocomplete: '',
      safe_search: 0,
      public_instance: false,
    },
  });
}

function toEngine({ name, state }: SourceReading): JsonObject {
  return {
    name,
    categories: [CATEGORY],
    shortcut: name,
    enabled: state === 'on',
    paging: true,
    language_support: false,
    languages: [],
    regions: [],
    safesearch: false,
    time_range_support: true,
  };
}

const PARAMETERS = describeParameters(SearxngFields, {
  q: 'The query.',
  format: 'json, csv or rss; anything else counts as json.',
  pageno: 'The page, ten results each; from page 6 on the list is empty.',
  timeRange: 'Only pages published in this span.',
  store: 'false: keep nothing.',
});

const list = z.array(z.string());

const AnswerBody = z
  .object({
    query: z.string(),
    number_of_results: z.int().min(0),
    results: z.array(
      z.object({
        url: z.string(),
        title: z.string(),
        content: z.string().meta({ description: 'A passage of the page as plain text; may be empty.' }),
        engine: z.string(),
        engines: list,
        score: z.number(),
        category: z.string(),
        publishedDate: z.string().nullable().meta({ description: 'YYYY-MM-DDT00:00:00, or null.' }),
        pubdate: z.string(),
        template: z.string(),
        parsed_url: list,
        positions: z.array(z.int()),
        img_src: z.string(),
        thumbnail: z.string(),
        priority: z.string(),
      }),
    ),
    answers: list,
    corrections: list,
    infoboxes: list,
    suggestions: list,
    unresponsive_engines: z
      .array(list)
      .meta({ description: 'The sources that failed, each with its error.' }),
  })
  .meta({ title: 'SearxngAnswer' });

const ConfigAnswer = z
  .looseObject({
    instance_name: z.string(),
    version: z.string(),
    categories: list,
    engines: z.array(z.looseObject({ name: z.string(), enabled: z.boolean() })),
  })
  .meta({ title: 'SearxngConfig' });

const SEARCH = {
  tag: 'drop-in',
  price: '1 credit.',
  parameters: PARAMETERS,
  answer: AnswerBody,
  otherTypes: ['text/csv', 'application/rss+xml'],
  errors: ['validation_error', 'recall_unavailable'],
} as const satisfies Partial<Operation>;

/** The operations of SearXNG's shape. */
const OPERATIONS: Record<string, Operation> = {
  'GET /searxng/search': {
    ...SEARCH,
    id: 'searxngSearch',
    summary: 'Search the web, as SearXNG',
    about:
      'For applications that take the address of a SearXNG: set it to `/searxng`, or to `/searxng/{key}` where they send no key. `GET /search` with a `format` is the same. Engines, categories, languages and safe search are accepted and have no effect.',
    errors: [...SEARCH.errors],
    example: { path: '/searxng/search?q=how+does+write-ahead+logging+work&format=json' },
  },
  'POST /searxng/search': {
    ...SEARCH,
    id: 'searxngSearchForm',
    summary: 'Search the web with a form, as SearXNG',
    about: 'The parameters stand in the query string, a form or a JSON object.',
    errors: [...SEARCH.errors],
  },
  'GET /searxng/config': {
    id: 'searxngConfig',
    tag: 'drop-in',
    summary: 'List what a SearXNG client may ask for',
    about: 'The categories, and the search sources in the place of engines.',
    price: 'Free.',
    answer: ConfigAnswer,
    errors: [],
  },
  'GET /searxng/healthz': {
    id: 'searxngHealthz',
    tag: 'drop-in',
    summary: 'Check liveness, as SearXNG',
    about: 'Succeeds while the process runs.',
    isProbe: true,
    price: 'Free.',
    answer: 'text/plain',
    errors: [],
  },
};

/** The shape of SearXNG. Applications that cannot send a key header may put the key in the path. */
export const SEARXNG: CompatShape<SearxngDeps> = {
  prefixes: ['/searxng'],
  errors: PLAIN_ERRORS,
  operations: OPERATIONS,
  buildRoutes: (deps) => [
    ...buildGetAndPostRoutes(
      ['/searxng/search', '/searxng', '/searxng/:key/search', '/searxng/:key'],
      LIMITS.search,
      createSearxngHandler(deps),
    ),
    buildFreeRoute(['/searxng/config', '/searxng/:key/config'], createConfigHandler(deps.sourceReadings)),
    { ...buildFreeRoute(['/searxng/healthz', '/searxng/:key/healthz'], answerLiveness), probe: true },
  ],
};

function buildFreeRoute(paths: string[], handle: FreeRoute['handle']): FreeRoute {
  return { method: 'GET', paths, callers: 'anybody', limit: LIMITS.prompt, handle };
}

/** Answers `OK`, which clients that probe a SearXNG expect. */
async function answerLiveness(): Promise<Answer> {
  return { body: 'OK', headers: { 'content-type': 'text/plain; charset=utf-8' } };
}
