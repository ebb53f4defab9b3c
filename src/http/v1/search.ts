/**
 * The first shape's search: its fields, shared with findSimilar, and the handler of POST /v1/search. Validation and wire names end here;
 * search/ gets a typed request.
 */

import * as z from 'zod';
import { PRICES } from '../../billing/ledger/prices.ts';
import {
  ADDITIONAL_QUERIES_MAX,
  DOMAIN_FILTERS_MAX,
  RESULTS_DEFAULT,
  RESULTS_MAX,
  TEXT_FILTERS,
} from '../../contract/limits.ts';
import type { LibraryCatalog } from '../../libraries/search/library-catalog.ts';
import type { Search } from '../../search/search.ts';
import type { SearchRequest } from '../../search/search-types.ts';
import type { PrivateSites } from '../../sites/private-sites.ts';
import { matchesDomain, parseDomainFilter } from '../../text/query/filters.ts';
import type { Caller, PricedRoute, Task } from '../calls/call.ts';
import { createLenientSchema, createWholeNumberSchema } from '../calls/field-schemas.ts';
import { buildKnownFields, findIgnoredFields, type KnownFields } from '../calls/ignored-fields.ts';
import { computeSearchCredits } from '../calls/incomplete.ts';
import { INSTANT, parseInstant } from '../calls/instant.ts';
import { createValidationFailure, parseBody } from '../calls/json-body.ts';
import { query, wantedFields } from './content-fields.ts';
import { day } from './day.ts';
import {
  buildWish,
  chooseCollections,
  collectionField,
  libraryFields,
  type ScopedAnswer,
  toViewer,
} from './library-fields.ts';
import { openingFields, storeField } from './opening.ts';
import { computeSubpagesMax, EXTRA_KNOWN, extraFields, matchesSchema } from './page-part-fields.ts';
import { buildOperationFields, buildPageRequest, countLoadedSubpages, NO_PAGES } from './page-request.ts';
import { recordField } from './records.ts';
import { toAnswer } from './search-answer.ts';

/** Hosts of papers and preprints. */
const PAPERS = [
  ...['arxiv.org', 'doi.org', 'semanticscholar.org', 'openreview.net', 'aclanthology.org', 'ssrn.com'],
  ...['biorxiv.org', 'medrxiv.org', 'pubmed.ncbi.nlm.nih.gov', 'pmc.ncbi.nlm.nih.gov', 'europepmc.org'],
  ...['nature.com', 'science.org', 'sciencedirect.com', 'link.springer.com', 'onlinelibrary.wiley.com'],
  ...['dl.acm.org', 'ieeexplore.ieee.org', 'journals.plos.org', 'academic.oup.com', 'cambridge.org/core'],
  ...['tandfonline.com', 'journals.sagepub.com', 'mdpi.com', 'frontiersin.org', 'jstor.org', 'pnas.org'],
  ...['proceedings.mlr.press', 'proceedings.neurips.cc', 'hal.science', 'zenodo.org', 'openalex.org'],
  ...['papers.ssrn.com', 'core.ac.uk', 'dblp.org', 'jmlr.org', 'iopscience.iop.org', 'pubs.acs.org'],
];
/** The categories known to clients of this shape that a search can distinguish; others have no effect. */
const CATEGORIES: Readonly<Record<string, Category>> = {
  news: { topic: 'news' },
  'research paper': { topic: 'science', domains: PAPERS },
  publication: { topic: 'science', domains: PAPERS },
  pdf: { fileType: 'pdf' },
  github: { domains: ['github.com'] },
  tweet: { domains: ['x.com', 'twitter.com'] },
  'linkedin profile': { domains: ['linkedin.com/in'] },
  people: { domains: ['linkedin.com/in'] },
};
const CATEGORY_NAMES = Object.keys(CATEGORIES);

/** Up to 100 domains, each with an optional path. */
export const domains = z
  .array(
    z
      .string('must be a string')
      .refine((text) => parseDomainFilter(text) !== null, 'must be a domain such as example.org')
      .meta({ examples: ['example.org', 'example.org/docs'] }),
    'must be an array of domains',
  )
  .max(DOMAIN_FILTERS_MAX, `must have at most ${DOMAIN_FILTERS_MAX} entries`)
  .default([]);

const numResults = createWholeNumberSchema(1)
  .transform((wanted) => Math.min(wanted, RESULTS_MAX))
  .default(RESULTS_DEFAULT)
  .meta({
    description: `Values above ${RESULTS_MAX} count as ${RESULTS_MAX}. Results that are unlikely to be relevant fill the list, come last and carry \`weak\`.`,
  });

/** Minimum score of results, from 0 to 1. */
export const minScore = z
  .number('must be a number')
  .min(0, 'must be at least 0')
  .max(1, 'must be at most 1')
  .optional()
  .meta({ description: 'Results with a lower `score` are left out.', examples: [0.1] });

/** `contents: true` requests only the text. */
const contents = z
  .preprocess(
    (given) => (given === true ? { text: true } : given === false ? {} : given),
    z.object(
      { ...wantedFields, ...openingFields, ...extraFields },
      'must be true, false or an object of options',
    ),
  )
  .meta({
    also: [{ type: 'boolean' }],
    description: 'The parts of each page to return; true returns the text.',
  })
  .transform(buildPageRequest)
  .default(NO_PAGES);

/** The fields that search and findSimilar share. */
export const resultFields = {
  numResults,
  minScore,
  includeDomains: domains,
  excludeDomains: domains,
  startPublishedDate: day.optional(),
  endPublishedDate: day.optional(),
  contents,
  store: storeField,
  stream: z
    .unknown()
    .refine((wanted) => wanted !== true, 'must be false: answers are not streamed')
    .meta({ not: { const: true }, description: 'Streaming is not supported.' })
    .optional(),
};

const texts = z.array(z.string().trim().min(1).max(TEXT_FILTERS.charsMax)).min(1).max(TEXT_FILTERS.max);
const queries = z.array(query).min(1).max(ADDITIONAL_QUERIES_MAX);

/**
 * Fields that narrow or widen a search. Invalid values have no effect instead of failing, because clients have long sent them and had them
 * ignored.
 */
const scopeFields = {
  includeText: createLenientSchema(texts, {
    description: `Only pages that hold all of these texts, up to ${TEXT_FILTERS.max}, without regard to case.`,
    examples: [['write-ahead log']],
  }),
  excludeText: createLenientSchema(texts, {
    description: `No pages that hold one of these texts, up to ${TEXT_FILTERS.max}.`,
    examples: [['sponsored']],
  }),
  additionalQueries: createLenientSchema(queries, {
    description: `Up to ${ADDITIONAL_QUERIES_MAX} queries whose results are added to those of the first.`,
    examples: [['WAL checkpoint']],
  }),
  category: createLenientSchema(z.string(), {
    description: `Only pages of a kind: ${CATEGORY_NAMES.join(', ')}. Others have no effect.`,
    examples: CATEGORY_NAMES,
  }),
};

/** Accepted and reported as ignored: all types run the same pipeline. */
const type = z
  .unknown()
  .meta({
    type: 'string',
    description: 'The name of a type of search; all run the same pipeline.',
    examples: ['auto', 'fast', 'deep', 'neural', 'keyword'],
  })
  .optional();

const asOf = z
  .string('must be a text')
  .refine((text) => parseInstant(text) !== null, INSTANT)
  .optional()
  .meta({
    description:
      'Only pages that the service knew by then, with the text that was in force. What it does not know: pages that have left it since, and what their order was.',
    examples: ['2026-11-28T10:20:30Z', '2026-11-28'],
  });

export const SearchBody = z.object({
  query,
  type,
  ...resultFields,
  ...scopeFields,
  ...libraryFields,
  asOf,
  record: recordField,
  collection: collectionField,
});

/** Fields that select the parts of each page and how it is opened. */
export const PAGE_FIELDS: KnownFields = {
  text: { maxCharacters: true },
  highlights: { query: true, maxCharacters: true, highlightsPerUrl: true },
  prunedContext: { query: true },
  livecrawl: true,
  livecrawlTimeout: true,
  maxAgeHours: true,
  ...EXTRA_KNOWN,
};

const KNOWN_FIELDS = {
  ...buildKnownSearchFields(Object.keys(SearchBody.omit({ type: true }).shape)),
  includeText: matchesSchema(texts),
  excludeText: matchesSchema(texts),
  additionalQueries: matchesSchema(queries),
};
const { category: _, ...WITHOUT_CATEGORY }: KnownFields = KNOWN_FIELDS;

/** Declares the fields that have an effect: those named, `apiKey`, and the fields of `contents`. */
export function buildKnownSearchFields(names: string[]): KnownFields {
  return { ...buildKnownFields(names), contents: PAGE_FIELDS };
}

type SearchDeps = { search: Search; libraries: LibraryCatalog; privateSites: PrivateSites | null };

/** POST /v1/search. Errors: 422 validation_error, 503 recall_unavailable. */
export function createSearchHandler({ search, libraries, privateSites }: SearchDeps): PricedRoute['prepare'] {
  return ({ body, requestId, caller, tenant, keep }) => {
    const wanted = parseBody(SearchBody, body);
    const category = resolveCategory(wanted.category, wanted.includeDomains);
    return createSearchTask(wanted, {
      price: PRICES.search,
      caller,
      requestId,
      ignored: findIgnoredFields(body, category === null ? WITHOUT_CATEGORY : KNOWN_FIELDS),
      async run(signal, subpages) {
        const request: SearchRequest = {
          query: wanted.query,
          ...buildSearchRequest(wanted, { signal, tenant, keep, subpages }),
          ...buildScope(wanted),
          ...category,
        };
        const wish = buildWish(wanted);
        if (wanted.collection !== undefined) {
          if (wish !== null)
            throw createValidationFailure([{ field: 'collection', message: 'excludes libraries' }]);
          const chosen = await chooseCollections(privateSites, wanted.collection, { caller, tenant });
          return chosen.restoreUrls(await search({ ...request, library: chosen.filter }));
        }
        if (wish === null) return search(request);
        const choice = await libraries.choose(wish, toViewer(caller));
        const answer = await search({ ...request, library: choice.filter });
        const places = await libraries.places(
          answer.results.map(({ url }) => url),
          choice,
        );
        return { ...answer, scope: { choice, places } };
      },
    });
  };
}

function buildScope({
  includeText,
  excludeText,
  additionalQueries,
  asOf,
}: z.output<typeof SearchBody>): Pick<SearchRequest, 'pageText' | 'additionalQueries' | 'asOf'> {
  const pageText = { include: includeText ?? [], exclude: excludeText ?? [] };
  return {
    ...(includeText === undefined && excludeText === undefined ? {} : { pageText }),
    ...(additionalQueries === undefined ? {} : { additionalQueries }),
    ...(asOf === undefined ? {} : { asOf: parseInstant(asOf) ?? 0 }),
  };
}

/** Creates the task of a search in the first shape. Subpages cost extra: with fewer credits, fewer are opened. */
export function createSearchTask(
  { contents: pages, numResults: count }: Pick<ResultFields, 'contents' | 'numResults'>,
  {
    price,
    caller,
    requestId,
    ignored,
    run,
  }: {
    price: number;
    caller: Caller;
    requestId: string;
    ignored: string[];
    run(signal: AbortSignal, subpages: number): Promise<ScopedAnswer>;
  },
): Task {
  const most = computeSubpagesMax(pages.extras, { pages: count, caller });
  return {
    most: price + most * PRICES.subpage,
    ...(most === 0 ? {} : { least: 1 }),
    async work(signal, credits) {
      const affordable = Math.floor((credits - price) / PRICES.subpage);
      const answer = await run(signal, Math.min(most, affordable));
      const used = computeSearchCredits(answer) + countLoadedSubpages(answer.results) * PRICES.subpage;
      return toAnswer(answer, { used, requestId, ignored, pages });
    },
  };
}

type ResultFields = z.output<z.ZodObject<typeof resultFields>>;

export function buildSearchRequest(
  body: ResultFields,
  {
    signal,
    tenant,
    keep,
    subpages,
  }: { keep: boolean; subpages: number } & Pick<SearchRequest, 'signal' | 'tenant'>,
): Omit<SearchRequest, 'query'> {
  return {
    numResults: body.numResults,
    ...(body.minScore === undefined ? {} : { minScore: body.minScore }),
    includeDomains: body.includeDomains,
    excludeDomains: body.excludeDomains,
    publishedFrom: body.startPublishedDate ?? null,
    publishedTo: body.endPublishedDate ?? null,
    contents: body.contents.wanted,
    ...(body.contents.wanted === null ? {} : buildOperationFields(body.contents, subpages)),
    signal,
    tenant,
    keep: keep && body.store,
  };
}

/** The part of a search request that a category sets. */
type Category = Pick<SearchRequest, 'topic' | 'fileType'> & { domains?: readonly string[] };

/** Finds a category by its name, in any case; null if it is unknown. */
function findCategory(name: unknown): Category | null {
  const key = typeof name === 'string' ? name.trim().toLowerCase() : '';
  return Object.hasOwn(CATEGORIES, key) ? (CATEGORIES[key] ?? null) : null;
}

/**
 * Returns the part of a search request that a category sets; null if it has no effect: the category is unknown, or none of its domains is
 * among those that the caller included.
 */
function resolveCategory(
  name: unknown,
  includeDomains: readonly string[],
): Pick<SearchRequest, 'topic' | 'fileType' | 'includeDomains'> | null {
  const category = findCategory(name);
  if (category === null) return null;
  const { domains, ...fields } = category;
  const narrowed = domains === undefined ? [...includeDomains] : intersectDomains(includeDomains, domains);
  if (domains !== undefined && narrowed.length === 0) return null;
  return { ...fields, includeDomains: narrowed };
}

/** Returns the domains that lie within both lists; an empty first list allows all. */
function intersectDomains(included: readonly string[], domains: readonly string[]): string[] {
  if (included.length === 0) return [...domains];
  return included.flatMap((one) =>
    domains.flatMap((other) => (isWithin(one, other) ? [one] : isWithin(other, one) ? [other] : [])),
  );
}

function isWithin(inner: string, outer: string): boolean {
  const [narrow, wide] = [parseDomainFilter(inner), parseDomainFilter(outer)];
  return (
    narrow !== null && wide !== null && matchesDomain(new URL(`http://${narrow.host}${narrow.path}`), wide)
  );
}
