import * as z from 'zod';
import { PRICES } from '../../billing/ledger/prices.ts';
import { CHARS_PER_TOKEN, DOMAIN_FILTERS_MAX, RESULTS_MAX } from '../../contract/limits.ts';
import type { Selection } from '../../pages/extract/extras/map-fields.ts';
import type { Search } from '../../search/search.ts';
import type { SearchRequest, SearchResult } from '../../search/search-types.ts';
import { parseDomainFilter } from '../../text/query/filters.ts';
import type { Call, JsonObject, PricedRoute } from '../calls/call.ts';
import { computeSearchCredits } from '../calls/incomplete.ts';
import {
  buildIgnoredHeader,
  buildKnownFields,
  findIgnoredFields,
  omitNulls,
  parseBody,
} from '../calls/wire.ts';
import { mergeParameters } from '../drop-in/parameters.ts';
import { type ReaderOptions, readReaderOptions, wantsJson } from '../reader/reader-options.ts';
import { extractSearchText } from '../server/request-target.ts';
import { createCappedNumberSchema, createTextListSchema, storeField } from '../shape-b/fields.ts';
import { buildCostDollars } from '../v1/cost.ts';
import { query } from '../v1/wanted.ts';

const RESULTS_DEFAULT = 5;
/** Maximum page number; later pages have no results. */
const PAGES_MAX = 5;

const count = createCappedNumberSchema({ min: 1, max: RESULTS_MAX }).meta({
  description: `Results on a page; by default ${RESULTS_DEFAULT}.`,
});

/** The parameters of a search, in its address or its body; `num` is the newer name of `count`. */
export const JinaSearchFields = z.object({
  q: query,
  count: count.optional(),
  num: count.optional(),
  page: createCappedNumberSchema({ min: 1, max: PAGES_MAX + 1 }).default(1),
  site: createTextListSchema({ max: DOMAIN_FILTERS_MAX, what: 'domains', example: 'example.org' }).refine(
    (texts) => texts.every((text) => parseDomainFilter(text) !== null),
    'must hold domains such as example.org',
  ),
  store: storeField,
});

const KNOWN_FIELDS = buildKnownFields(Object.keys(JinaSearchFields.shape));

/** GET /s/{query}, GET and POST /s: the best pages with their text. Errors: 422 validation_error, 503 recall_unavailable. */
export function createJinaSearchHandler(search: Search): PricedRoute['prepare'] {
  return (call) => {
    const given = readParameters(call);
    const { q, store, site, page, ...counts } = parseBody(JinaSearchFields, given);
    const perPage = counts.num ?? counts.count ?? RESULTS_DEFAULT;
    const skipped = (page - 1) * perPage;
    const options = readReaderOptions(call.headers, { rendersPages: false });
    const withText = !/\bno-content\b/i.test(String(call.headers['x-respond-with'] ?? ''));
    const ignored = [...findIgnoredFields(given, KNOWN_FIELDS), ...listIgnoredHeaders(options, withText)];
    const { tenant, keep } = call;
    return {
      most: PRICES.search,
      async work(signal) {
        const numResults = Math.min(RESULTS_MAX, skipped + perPage);
        const answer = await search({
          query: q,
          numResults,
          includeDomains: site,
          excludeDomains: [],
          publishedFrom: null,
          publishedTo: null,
          ...buildContentOptions(options, withText),
          signal,
          tenant,
          keep: keep && store,
        });
        const found = answer.results.slice(skipped, skipped + perPage);
        const json = wantsJson(call.headers.accept);
        return {
          used: computeSearchCredits(answer),
          ...(json ? { cost: buildCostDollars } : {}),
          ...formatResults(found, json),
          cache: answer.cache,
          timingsMs: answer.timingsMs,
          incomplete: answer.incomplete,
          headers: { ...formatResults(found, json).headers, ...buildIgnoredHeader(ignored) },
        };
      },
    };
  };
}

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
    ...(include.length + exclude.length === 0 ? [] : ['X-Target-Selector', 'X-Remove-Selector']),
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
