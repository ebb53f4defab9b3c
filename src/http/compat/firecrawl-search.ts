/** Search and map in the shape of Firecrawl. */

import * as z from 'zod';
import { PRICES } from '../../billing/ledger/prices.ts';
import { Failure } from '../../contract/errors.ts';
import { RESULTS_MAX, SITE } from '../../contract/limits.ts';
import { compilePattern, type UrlPattern } from '../../crawl/frontier/url-pattern.ts';
import { parseInstructions } from '../../crawl/site/instructions.ts';
import type { SiteMap } from '../../crawl/site/site-map.ts';
import type { SiteRequest } from '../../crawl/site/site-types.ts';
import { DAY_MS, toUtcDay } from '../../platform/clock.ts';
import { isLate, type LatePart } from '../../search/late-parts.ts';
import type { Search } from '../../search/search.ts';
import type { SearchResult } from '../../search/search-types.ts';
import type { WantedParts } from '../../text/prune/page-parts.ts';
import type { Filters } from '../../text/query/filters.ts';
import { findRegistrableDomain } from '../../text/urls/sites.ts';
import type { JsonObject, PricedRoute } from '../calls/call.ts';
import { buildIgnoredHeader, buildKnownFields, findIgnoredFields } from '../calls/ignored-fields.ts';
import { computeSearchCredits, countLatePages } from '../calls/incomplete.ts';
import { addScheme, isObject, parseBody } from '../calls/json-body.ts';
import { query } from '../v1/content-fields.ts';
import { address } from '../v1/contents.ts';
import { storeField } from '../v1/opening.ts';
import { domains } from '../v1/search.ts';
import { writtenProofs } from '../writing/proof-schemas.ts';
import {
  computePagesMax,
  createCappedNumberSchema,
  createClampedSchema,
  flag,
  optionalQuery,
} from './fields.ts';
import { ChangeTracking } from './firecrawl-changes.ts';
import {
  buildScrape,
  findIgnoredOptions,
  type PageCall,
  type Rendering,
  type Scrape,
  type ScrapeDeps,
  scrapeOptions,
  scrapePage,
  VERBATIM,
} from './firecrawl-documents.ts';

const RESULTS_DEFAULT = 5;
/** Days that each letter of `qdr` reaches back; searches have no hour resolution. */
const DAYS_OF: Record<string, number> = { h: 1, d: 1, w: 7, m: 31, y: 366 };
/** Result groups; a search fills one of them. */
const GROUPS = ['web', 'news'] as const;
/** POST /v2/search. */
export const SearchBody = z.object({
  query,
  limit: createCappedNumberSchema({ min: 1, max: RESULTS_MAX }).default(RESULTS_DEFAULT),
  includeDomains: domains,
  excludeDomains: domains,
  sources: z
    .unknown()
    .meta({
      description: 'The group that the results come in: web (the default) or news.',
      examples: [['web'], [{ type: 'news' }]],
    })
    .transform((given): Group => {
      const named = readSourceNames(given);
      return GROUPS.find((group) => named.includes(group)) ?? 'web';
    })
    .prefault(['web']),
  tbs: z
    .unknown()
    .meta({
      description:
        'Only pages published in this span: qdr:d, qdr:w, qdr:m, qdr:y or cdr:1,cd_min:12/31/2025,cd_max:1/31/2026.',
      examples: ['qdr:w', 'cdr:1,cd_min:12/31/2025'],
    })
    .optional(),
  scrapeOptions: z
    .object(scrapeOptions, 'must be an object')
    .optional()
    .meta({ description: 'Read every result, as /v2/scrape does.' }),
  store: storeField,
});
const KNOWN = buildKnownFields([
  ...Object.keys(SearchBody.shape),
  ...['origin', 'integration', 'ignoreInvalidURLs', 'highlights', 'enterprise'],
]);
/** Month first. */
const CD_MIN = /\bcd_min:(\d{1,2})\/(\d{1,2})\/(\d{4})(?!\d)/;
const CD_MAX = /\bcd_max:(\d{1,2})\/(\d{1,2})\/(\d{4})(?!\d)/;

const texts = z.array(z.string());
/** The schema of a page wherever this shape returns one. */
export const FirecrawlDocument = z
  .object({
    markdown: z.string().optional(),
    html: z.string().optional().meta({ description: 'Without scripts and styles; addresses are absolute.' }),
    rawHtml: z.string().optional().meta({ description: 'The source.' }),
    screenshot: z.string().optional().meta({ description: 'A PNG as a `data:` address.' }),
    links: texts.optional(),
    images: texts.optional(),
    attributes: z.array(z.object({ selector: z.string(), attribute: z.string(), values: texts })).optional(),
    summary: z
      .string()
      .optional()
      .meta({ description: 'Sentences of the page, verbatim, or what a model wrote.' }),
    summaryStatements: writtenProofs.statements,
    highlights: z.string().optional().meta({ description: 'Passages of the page, verbatim.' }),
    json: z.unknown().optional().meta({
      description: 'The values of a schema with selectors; where the service has a model, of any schema.',
    }),
    jsonProofs: writtenProofs.proofs,
    changeTracking: ChangeTracking.optional().meta({
      description: 'How the page differs from when you read it before.',
    }),
    warning: z.string().optional().meta({ description: 'Why a format is missing.' }),
    metadata: z
      .looseObject({
        title: z.string(),
        description: z.string().optional(),
        language: z.string().optional(),
        sourceURL: z.string().meta({ description: 'As requested.' }),
        url: z.string().meta({ description: 'Where the text was read.' }),
        statusCode: z.int(),
        scrapeId: z.string(),
        cacheState: z.enum(['hit', 'miss']),
        cachedAt: z.string().optional(),
      })
      .meta({
        description:
          'Also every `meta` of the page by its name, and the usual ones as `ogTitle`, `keywords` ...',
      }),
  })
  .meta({ title: 'FirecrawlDocument' });

/** Contents of a description: the best passage of each page, as plain text. */
const DESCRIPTION: WantedParts = {
  text: null,
  highlights: { query: null, perUrl: 1, charsMax: null },
  pruned: null,
  plain: true,
};
/** Time limit for the page of one result, so that a late page does not hold up the others. */
const PAGE_MS_MAX = 8_000;

type ResultWithPage = {
  result: SearchResult;
  data: JsonObject | null;
  why: string | null;
  late: LatePart[];
};

/**
 * POST /v2/search: results in one group, each read if `scrapeOptions` are given; a page that cannot be read keeps its description. Version
 * 1 lists them without groups. Costs a credit, and one for each page that is read. Errors: 422 validation_error, 503 recall_unavailable.
 */
export function createFirecrawlSearchHandler(
  deps: Rendering & ScrapeDeps & { search: Search },
  version: 1 | 2,
): PricedRoute['prepare'] {
  const { search, clock, rendersPages } = deps;
  return ({ body, requestId, tenant, keep: mayKeep }) => {
    const fields = parseBody(SearchBody, body, { verbatim: VERBATIM });
    const { limit, scrapeOptions: options } = fields;
    const headers = buildIgnoredHeader(findIgnoredSearchFields(body, fields, { rendersPages }));
    const scrape = options === undefined ? null : buildScrape(options, { rendersPages });
    const keep = mayKeep && fields.store;
    return {
      most: PRICES.search + (scrape === null ? 0 : limit * PRICES.read),
      async work(signal) {
        const span = parsePublishedSpan(fields.tbs, clock.now());
        const request = { ...buildSearchRequest(fields), ...span, signal, tenant, keep };
        const answer = await search(request);
        const { results, cache, timingsMs } = answer;
        const call = { signal, tenant, keep, scrapeId: requestId };
        const found = await Promise.all(
          results.map((result) => readResultPage(deps, result, { scrape, call })),
        );
        const documents = found.map((one, at) => toResult(one, at + 1, fields));
        const read = found.filter(({ data }) => data !== null);
        const used = computeSearchCredits(answer) + (read.length - countLatePages(read)) * PRICES.read;
        const incomplete = [...new Set([...answer.incomplete, ...found.flatMap(({ late }) => late)])];
        const data = version === 1 ? documents : { [fields.sources]: documents };
        const body = { success: true, id: requestId, data };
        const buildCost = (credits: number): JsonObject => ({ creditsUsed: credits });
        return { used, cost: buildCost, headers, cache, timingsMs, incomplete, body };
      },
    };
  };
}

/** Descriptions come from cached copies, because pages are read only for `scrapeOptions`. */
function buildSearchRequest({ query, limit, includeDomains, excludeDomains }: SearchFields) {
  const filters = { includeDomains, excludeDomains };
  return {
    query,
    numResults: limit,
    ...filters,
    contents: DESCRIPTION,
    opening: { copies: 'only' },
  } as const;
}

async function readResultPage(
  deps: ScrapeDeps,
  result: SearchResult,
  { scrape, call }: { scrape: Scrape | null; call: Omit<PageCall, 'url'> },
): Promise<ResultWithPage> {
  if (scrape === null) return { result, data: null, why: null, late: [] };
  const timeoutMs = Math.min(PAGE_MS_MAX, scrape.opening.timeoutMs ?? PAGE_MS_MAX);
  const opening = { ...scrape.opening, timeoutMs };
  try {
    const { data, incomplete } = await scrapePage(deps, { ...scrape, opening }, { ...call, url: result.url });
    return { result, data, why: null, late: incomplete };
  } catch (error) {
    if (!(error instanceof Failure) || call.signal.aborted) throw error;
    return { result, data: null, why: error.message, late: isLate(error) ? ['pages'] : [] };
  }
}

function toResult(
  { result, data, why }: ResultWithPage,
  position: number,
  { sources }: SearchFields,
): JsonObject {
  const { url, title, highlights, publishedDay } = result;
  const passage = highlights?.[0] ?? '';
  const shown =
    sources === 'news'
      ? { url, title, snippet: passage, ...(publishedDay === null ? {} : { date: publishedDay }) }
      : { url, title, description: passage };
  const failed = why === null ? {} : { metadata: { sourceURL: url, error: why } };
  return { ...shown, position, ...failed, ...data };
}

const Result = FirecrawlDocument.partial().extend({
  url: z.string(),
  title: z.string(),
  description: z
    .string()
    .optional()
    .meta({ description: 'A passage of the page as plain text; may be empty.' }),
  snippet: z.string().optional(),
  date: z.string().optional(),
  position: z.int(),
  metadata: z.looseObject({ sourceURL: z.string(), error: z.string().optional() }).optional(),
});

/** Response body. */
export const SearchAnswer = z
  .object({
    success: z.literal(true),
    id: z.string(),
    data: z.union([
      z.object({ web: z.array(Result).optional(), news: z.array(Result).optional() }),
      z.array(Result).meta({ description: 'In version 1.' }),
    ]),
    creditsUsed: z.int().optional().meta({ costs: true }),
  })
  .meta({ title: 'FirecrawlSearch' });

type Group = (typeof GROUPS)[number];

type SearchFields = z.output<typeof SearchBody>;

function readSourceNames(given: unknown): string[] {
  const all: unknown[] = Array.isArray(given) ? given : [given];
  return all.map((one) => String(isObject(one) ? one.type : one));
}

/** Finds the fields without effect, in the caller's spelling. */
function findIgnoredSearchFields(
  body: JsonObject,
  { sources, scrapeOptions: options }: SearchFields,
  rendering: Rendering,
): string[] {
  const given = body.scrapeOptions ?? body.scrape_options;
  const raw = isObject(given) ? given : {};
  const others = body.sources === undefined || body.sources === null ? [] : readSourceNames(body.sources);
  return [
    ...findIgnoredFields(body, KNOWN),
    ...others.filter((name) => name !== sources).map((name) => `sources.${name.slice(0, 40)}`),
    ...(options === undefined
      ? []
      : findIgnoredOptions(raw, options, rendering).map((name) => `scrapeOptions.${name}`)),
  ];
}

type Span = Pick<Filters, 'publishedFrom' | 'publishedTo'>;

/** Parses a time span as search engines spell it into its first and last day, inclusive; an unreadable part sets no bound. */
function parsePublishedSpan(tbs: unknown, now: number): Span {
  const text = typeof tbs === 'string' ? tbs : '';
  const [, letter = '', count = ''] = /\bqdr:([hdwmy])(\d{0,3})/.exec(text) ?? [];
  const days = DAYS_OF[letter];
  if (days !== undefined)
    return { publishedFrom: toUtcDay(now - days * Number(count || 1) * DAY_MS), publishedTo: null };
  return { publishedFrom: parseDay(CD_MIN.exec(text)), publishedTo: parseDay(CD_MAX.exec(text)) };
}

function parseDay(found: RegExpExecArray | null): string | null {
  const [, month = '', day = '', year = ''] = found ?? [];
  const written = `${year}-${month.padStart(2, '0')}-${day.padStart(2, '0')}`;
  const time = Date.parse(`${written}T00:00:00Z`);
  return Number.isNaN(time) || toUtcDay(time) !== written ? null : written;
}

const LINKS_DEFAULT = 5_000;
/** Default time limit of a map, which then returns the addresses found so far. */
const MAP_MS_DEFAULT = 15_000;
const MS_MAX = SITE.secondsMax * 1_000;
/** POST /v2/map. */
export const MapBody = z.object({
  url: address,
  search: optionalQuery.meta({ description: 'Only addresses that fit these words, the best first.' }),
  limit: createClampedSchema({ min: 1, max: SITE.pages.mapMax, usual: LINKS_DEFAULT }),
  includeSubdomains: flag.unwrap().default(true),
  ignoreQueryParameters: flag.unwrap().default(true),
  timeout: createClampedSchema({ min: 1_000, max: MS_MAX, usual: MAP_MS_DEFAULT }),
  store: storeField,
});
const MAP_KNOWN = buildKnownFields([...Object.keys(MapBody.shape), 'origin', 'integration']);
/** Response body. */
export const MapAnswer = z
  .object({
    success: z.literal(true),
    id: z.string(),
    links: z
      .array(z.union([z.object({ url: z.string() }), z.string()]))
      .meta({ description: 'Objects; texts in version 1.' }),
  })
  .meta({ title: 'FirecrawlMap' });
const stripQuery = (url: string): string => url.replace(/\?.*$/s, '');

type MapFields = z.output<typeof MapBody>;

/**
 * POST /v2/map: the addresses of a site, each once. Version 1 lists them as texts. Errors: 400 url_not_allowed, 422 validation_error,
 * 500 fetch_failed (the start page).
 */
export function createFirecrawlMapHandler(siteMap: SiteMap, version: 1 | 2): PricedRoute['prepare'] {
  return ({ body, requestId, caller, tenant, keep }) => {
    const fields = parseBody(MapBody, body);
    const { sitemap, ...others } = body;
    const isUsual = sitemap === undefined || sitemap === 'include';
    const headers = buildIgnoredHeader(findIgnoredFields(isUsual ? others : body, MAP_KNOWN));
    const pagesMax = computePagesMax(fields.limit ?? LINKS_DEFAULT, SITE.pages.mapMax, caller);
    return {
      most: PRICES.map,
      async work(signal) {
        const site = { ...buildMapRequest(fields), pagesMax, signal, tenant, keep: keep && fields.store };
        const found = await siteMap(site);
        const urls = fields.ignoreQueryParameters ? [...new Set(found.map(stripQuery))] : found;
        const links = version === 1 ? urls : urls.map((url) => ({ url }));
        return { used: PRICES.map, headers, body: { success: true, id: requestId, links } };
      },
    };
  };
}

function buildMapRequest({
  url,
  search,
  includeSubdomains,
  timeout,
}: MapFields): Omit<SiteRequest, 'pagesMax' | 'signal'> {
  const start = addScheme(url);
  return {
    starts: start === url ? [start] : [start, start.replace(/^https:/, 'http:')],
    filters: {
      selectPaths: [],
      excludePaths: [],
      excludeDomains: [],
      allowExternal: false,
      selectDomains: includeSubdomains ? buildHostPatterns(start) : [],
    },
    depthMax: SITE.depth.max,
    breadthMax: SITE.breadth.max,
    instructions: search === null ? null : parseInstructions(search),
    budgetMs: timeout ?? MAP_MS_DEFAULT,
  };
}

/** Builds a pattern for every host of the site's registrable domain; an IP address has none. */
function buildHostPatterns(start: string): UrlPattern[] {
  const domain = findRegistrableDomain(start);
  if (domain === null) return [];
  const compiled = compilePattern(`(?:^|\\.)${domain.replaceAll('.', '\\.')}$`);
  return 'isIn' in compiled ? [compiled] : [];
}
