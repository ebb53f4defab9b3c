import { escapeUTF8 } from 'entities/escape';
import * as z from 'zod';
import type { SearchAnswer, SearchResult } from '../../search/search-types.ts';
import type { JsonObject } from '../calls/call.ts';
import { buildKnownFields, findIgnoredFields, roundScore } from '../calls/wire.ts';
import { readSnippet } from '../drop-in/snippets.ts';
import { createCappedNumberSchema, storeField } from '../shape-b/fields.ts';
import { dateFields } from '../shape-b/published-span.ts';
import { query } from '../v1/wanted.ts';

/** Results per page, and the last page that has results. */
export const PAGE_RESULTS = 10;
export const PAGES_MAX = 5;
const FORMATS = ['json', 'csv', 'rss'] as const;
/** An empty parameter counts as absent: forms send all their fields. */
const treatEmptyAsAbsent = <Schema extends z.ZodType>(schema: Schema) =>
  z.preprocess((given) => (given === '' ? undefined : given), schema);
/** The parameters that have an effect (https://docs.searxng.org/dev/search_api.html). */
export const SearxngFields = z.object({
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
/** Values with which a parameter requests nothing beyond the default behaviour. */
const IDLE = new Map([
  ['language', /^(?:all|auto)?$/i],
  ['safesearch', /^0?$/],
  ['categories', /^(?:general)?$/i],
  ['engines', /^$/],
]);
const KNOWN_FIELDS = buildKnownFields(Object.keys(SearxngFields.shape));

type SearxngResults = Pick<SearchAnswer, 'results' | 'sources'>;
type RenderedResults = { contentType: string; body: JsonObject | string };

/** Engine name in results, in place of the engines of a metasearch. */
export const ENGINE = 'sanderling';
/** The only category. */
export const CATEGORY = 'general';

/** Renders search results in the requested format. `link`: the address of the service, for RSS. */
export function renderResults(
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

/** Escapes text for XML 1.0 and removes the characters that XML cannot represent. */
function escapeXml(text: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is removed
  return escapeUTF8(text.toWellFormed().replace(/[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/g, ''));
}

type Format = (typeof FORMATS)[number];

/** Finds the parameters that request something without effect, in the caller's spelling. */
export function findIgnoredParameters(parameters: JsonObject): string[] {
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
