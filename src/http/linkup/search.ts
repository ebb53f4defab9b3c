/**
 * The shape of Linkup: search and sourced answers here, pages in fetch.ts, the balance in balance.ts. Structured output, which needs a
 * model, is refused.
 */
import * as z from 'zod';
import { PRICES } from '../../billing/ledger/prices.ts';
import { DOMAIN_FILTERS_MAX, RESULTS_DEFAULT, RESULTS_MAX } from '../../contract/limits.ts';
import { resolveDeclared } from '../../search/pages/page-details.ts';
import type { Search } from '../../search/search.ts';
import type { SearchAnswer, SearchResult } from '../../search/search-types.ts';
import { parseDomainFilter } from '../../text/query/filters.ts';
import type { JsonObject, PricedRoute } from '../calls/call.ts';
import { computeAnswerCredits, computeSearchCredits } from '../calls/incomplete.ts';
import {
  buildIgnoredHeader,
  buildKnownFields,
  findIgnoredFields,
  type KnownFields,
  parseBody,
} from '../calls/wire.ts';
import { buildPassageRequest } from '../drop-in/snippets.ts';
import { collectDescribedImages, IMAGES_PER_PAGE } from '../shape-b/extract.ts';
import {
  buildFaviconUrl,
  createCappedNumberSchema,
  createTextListSchema,
  flag,
  storeField,
} from '../shape-b/fields.ts';
import { dateFields } from '../shape-b/published-span.ts';
import { query } from '../v1/wanted.ts';

/** Number of passages of each page, by depth. */
const PASSAGES = { deep: 5, other: 3 };
const DEPTHS = new Set<unknown>(['deep', 'standard', 'fast']);

const domains = createTextListSchema({
  max: DOMAIN_FILTERS_MAX,
  what: 'domains',
  example: 'example.org',
}).refine(
  (texts) => texts.every((text) => parseDomainFilter(text) !== null),
  'must hold domains such as example.org',
);

export const LinkupSearchBody = z.object({
  q: query,
  depth: z
    .unknown()
    .meta({ examples: ['standard', 'deep', 'fast'] })
    .optional(),
  outputType: z
    .enum(
      ['searchResults', 'sourcedAnswer'],
      'must be searchResults or sourcedAnswer; structured output needs a model',
    )
    .default('searchResults'),
  maxResults: createCappedNumberSchema({ min: 1, max: RESULTS_MAX }).default(RESULTS_DEFAULT),
  includeDomains: domains,
  excludeDomains: domains,
  fromDate: dateFields.startDate,
  toDate: dateFields.endDate,
  includeImages: flag.meta({ description: 'Adds the images of the pages to `searchResults`.' }),
  store: storeField,
});
type LinkupSearchFields = z.output<typeof LinkupSearchBody>;

/** All depths run the same search, but a deep search returns more of each page. */
const KNOWN_FIELDS = {
  ...buildKnownFields(Object.keys(LinkupSearchBody.shape)),
  depth: (depth: unknown) => DEPTHS.has(depth),
};
const { includeImages: _, ...WITHOUT_IMAGES }: KnownFields = KNOWN_FIELDS;

/** POST /linkup/v1/search: results, or a quoted answer with its sources. Errors: 400 validation_error, 503 recall_unavailable. */
export function createLinkupSearchHandler(search: Search): PricedRoute['prepare'] {
  return ({ body, tenant, keep }) => {
    const wanted = parseBody(LinkupSearchBody, body);
    const known = includesImages(wanted) ? KNOWN_FIELDS : WITHOUT_IMAGES;
    const headers = buildIgnoredHeader(findIgnoredFields(body, known));
    return {
      most: PRICES.search,
      async work(signal) {
        const answer = await search({
          query: wanted.q,
          numResults: wanted.maxResults,
          includeDomains: wanted.includeDomains,
          excludeDomains: wanted.excludeDomains,
          publishedFrom: wanted.fromDate ?? null,
          publishedTo: wanted.toDate ?? null,
          ...buildPassageRequest(wanted.depth === 'deep' ? PASSAGES.deep : PASSAGES.other),
          ...(includesImages(wanted) ? { details: { links: 0, images: IMAGES_PER_PAGE } } : {}),
          answer: wanted.outputType === 'sourcedAnswer',
          signal,
          tenant,
          keep: keep && wanted.store,
        });
        const { cache, timingsMs, incomplete } = answer;
        const used =
          wanted.outputType === 'sourcedAnswer' ? computeAnswerCredits(answer) : computeSearchCredits(answer);
        return { used, cache, timingsMs, incomplete, headers, body: toBody(answer, wanted) };
      },
    };
  };
}

/** Sourced answers have no field for images. */
const includesImages = ({ includeImages, outputType }: LinkupSearchFields): boolean =>
  includeImages && outputType === 'searchResults';

function toBody({ results, answer }: SearchAnswer, wanted: LinkupSearchFields): JsonObject {
  if (wanted.outputType === 'searchResults') return { results: toResults(results, wanted) };
  return {
    answer: answer?.text ?? '',
    sources: results.map((result) => ({ ...toSource(result), snippet: joinHighlights(result) })),
  };
}

function toResults(results: SearchResult[], wanted: LinkupSearchFields): JsonObject[] {
  const pages = results.map((result) => ({
    type: 'text',
    ...toSource(result),
    content: joinHighlights(result),
  }));
  if (!includesImages(wanted)) return pages;
  const images = collectDescribedImages(results).map(({ url, description }) => ({
    type: 'image',
    name: description,
    url,
  }));
  return [...pages, ...images];
}

const toSource = (result: SearchResult): JsonObject => ({
  name: result.title,
  url: result.url,
  favicon: resolveDeclared(result).favicon ?? buildFaviconUrl(result.url) ?? '',
});

const joinHighlights = ({ highlights = [] }: SearchResult): string => highlights.join('\n\n');
