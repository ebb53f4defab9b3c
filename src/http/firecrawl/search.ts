import * as z from 'zod';
import { PRICES } from '../../billing/ledger/prices.ts';
import { Failure } from '../../contract/errors.ts';
import type { Clock } from '../../platform/clock.ts';
import { isLate, type LatePart } from '../../search/late-parts.ts';
import type { ReadOperation } from '../../search/read.ts';
import type { Search } from '../../search/search.ts';
import type { SearchResult } from '../../search/search-types.ts';
import type { WantedParts } from '../../text/prune/page-parts.ts';
import type { JsonObject, PricedRoute } from '../calls/call.ts';
import { computeSearchCredits, countLatePages } from '../calls/incomplete.ts';
import { buildIgnoredHeader, parseBody } from '../calls/wire.ts';
import { type PageCall, scrapePage } from './scrape.ts';
import { buildScrape, type Rendering, type Scrape, VERBATIM } from './scrape-fields.ts';
import {
  findIgnoredSearchFields,
  parsePublishedSpan,
  SearchBody,
  type SearchFields,
} from './search-fields.ts';

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
    summary: z.string().optional().meta({ description: 'Sentences of the page, verbatim.' }),
    highlights: z.string().optional().meta({ description: 'Passages of the page, verbatim.' }),
    json: z.unknown().optional().meta({ description: 'The values of a schema with selectors.' }),
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
  {
    search,
    read: readPage,
    clock,
    rendersPages,
  }: Rendering & { search: Search; read: ReadOperation; clock: Clock },
  version: 1 | 2,
): PricedRoute['prepare'] {
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
          results.map((result) => readResultPage(readPage, result, { scrape, call })),
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
  read: ReadOperation,
  result: SearchResult,
  { scrape, call }: { scrape: Scrape | null; call: Omit<PageCall, 'url'> },
): Promise<ResultWithPage> {
  if (scrape === null) return { result, data: null, why: null, late: [] };
  const timeoutMs = Math.min(PAGE_MS_MAX, scrape.opening.timeoutMs ?? PAGE_MS_MAX);
  const opening = { ...scrape.opening, timeoutMs };
  try {
    const { data, incomplete } = await scrapePage(read, { ...scrape, opening }, { ...call, url: result.url });
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
