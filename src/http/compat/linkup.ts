/** The shape of Linkup: search and sourced answers, pages, and the balance. Structured output, which needs a model, is refused. */

import * as z from 'zod';
import type { BalanceReader } from '../../billing/balance.ts';
import { PRICES } from '../../billing/ledger/prices.ts';
import { Failure, type FailureCode, type FetchReason, STATUS_OF } from '../../contract/errors.ts';
import { RESULTS_DEFAULT, RESULTS_MAX } from '../../contract/limits.ts';
import type { ReadAnswer, ReadOperation } from '../../search/read.ts';
import type { Search } from '../../search/search.ts';
import type { SearchResult } from '../../search/search-types.ts';
import type { QuotedAnswer } from '../../text/answer/candidates.ts';
import { NO_FILTERS } from '../../text/query/filters.ts';
import type { Writer } from '../../writing/writer.ts';
import type { FreeRoute, JsonObject, PricedRoute } from '../calls/call.ts';
import { createErrorFormat } from '../calls/error-format.ts';
import { buildKnownFields, findIgnoredFields, type KnownFields } from '../calls/ignored-fields.ts';
import { computeAnswerCredits, computeSearchCredits } from '../calls/incomplete.ts';
import { addScheme, isObject, omitNulls } from '../calls/json-body.ts';
import type { Operation, Terms } from '../calls/operation.ts';
import { addWritingTime, LIMITS } from '../calls/route-limits.ts';
import { query } from '../v1/content-fields.ts';
import { address } from '../v1/contents.ts';
import { writtenProofs } from '../writing/proof-schemas.ts';
import { limitSearch } from '../writing/search-within.ts';
import {
  buildNullValue,
  collectPassages,
  type FieldsPart,
  listQuotes,
  listUnwritten,
  NO_CREDITS,
  parseSchema,
  type TextPart,
  type WrittenPart,
  writePart,
} from '../writing/write-text.ts';
import {
  buildPostRoute,
  type CompatShape,
  createHandler,
  createSearchHandler,
  failureText,
  type MissingOperations,
  NO_MODEL,
  type ShapeErrors,
} from './core.ts';
import { createCappedNumberSchema, dateFields, domainList, flag, storeField } from './fields.ts';
import {
  buildFaviconUrl,
  buildPassageRequest,
  collectDescribedImages,
  findIcon,
  IMAGES_PER_PAGE,
} from './results.ts';

/** Number of passages of each page, by depth. */
const PASSAGES = { deep: 5, other: 3 };
const DEPTHS = new Set<unknown>(['deep', 'standard', 'fast']);

const SearchBody = z.object({
  q: query,
  depth: z
    .unknown()
    .meta({ examples: ['standard', 'deep', 'fast'] })
    .optional(),
  outputType: z
    .enum(
      ['searchResults', 'sourcedAnswer'],
      'must be searchResults or sourcedAnswer; structured output needs a model (MODEL_URL)',
    )
    .default('searchResults'),
  maxResults: createCappedNumberSchema({ min: 1, max: RESULTS_MAX }).default(RESULTS_DEFAULT),
  includeDomains: domainList,
  excludeDomains: domainList,
  fromDate: dateFields.startDate,
  toDate: dateFields.endDate,
  includeImages: flag.meta({ description: 'Adds the images of the pages to `searchResults`.' }),
  store: storeField,
});
/** The fields of a service with a model. */
const WrittenSearchBody = SearchBody.extend({
  outputType: z
    .enum(
      ['searchResults', 'sourcedAnswer', 'structured'],
      'must be searchResults, sourcedAnswer or structured',
    )
    .default('searchResults')
    .meta({
      description: 'Where the service has a model: `structured` returns a value by `structuredOutputSchema`.',
    }),
  structuredOutputSchema: z
    .unknown()
    .meta({
      description: 'A JSON schema, as an object or as text.',
      examples: [{ type: 'object', properties: { year: { type: 'integer' } } }],
    })
    .optional(),
  includeSources: flag.meta({ description: 'Returns a structured value as `data`, with its `sources`.' }),
  includeInlineCitations: flag.meta({ description: 'Adds the numbers of the sources to a written answer.' }),
}).refine(
  ({ outputType, structuredOutputSchema }) =>
    outputType !== 'structured' || parseSchema(structuredOutputSchema) !== null,
  {
    path: ['structuredOutputSchema'],
    error: 'must be a JSON schema',
  },
);
type SearchFields = z.output<typeof WrittenSearchBody>;

/** All depths run the same search, but a deep search returns more of each page. */
const KNOWN_FIELDS = {
  ...buildKnownFields(Object.keys(SearchBody.shape)),
  depth: (depth: unknown) => DEPTHS.has(depth),
};
const { includeImages: _, ...WITHOUT_IMAGES }: KnownFields = KNOWN_FIELDS;
const WRITTEN_FIELDS = buildKnownFields([
  'structuredOutputSchema',
  'includeSources',
  'includeInlineCitations',
]);
const VERBATIM: ReadonlySet<string> = new Set(['structuredOutputSchema']);
/** Passages of each page from which an answer is written. */
const WRITTEN_PASSAGES = 4;

/**
 * POST /linkup/v1/search: results, an answer with its sources, or a value by a schema; the last needs a model.
 * Errors: 400 validation_error, 503 recall_unavailable.
 */
function createLinkupSearchHandler({
  search,
  writer,
}: Pick<LinkupDeps, 'search' | 'writer'>): PricedRoute['prepare'] {
  const plain = createSearchHandler(search, {
    fields: SearchBody,
    findIgnored: (given, wanted) =>
      findIgnoredFields(given, includesImages(wanted) ? KNOWN_FIELDS : WITHOUT_IMAGES),
    toRequest: buildSearchRequest,
    computeCredits: (answer, wanted) =>
      isSourcedAnswer(wanted) ? computeAnswerCredits(answer) : computeSearchCredits(answer),
    toAnswer: (found, wanted) => ({ body: toAnswerBody(found, wanted) }),
  });
  if (writer === null) return plain;
  const written = createWrittenHandler(limitSearch(search), writer);
  return (call) => {
    const { outputType: camel, output_type: snake = camel } = call.body;
    return snake === 'sourcedAnswer' || snake === 'structured' ? written(call) : plain(call);
  };
}

function buildSearchRequest(wanted: BaseFields) {
  return {
    query: wanted.q,
    numResults: wanted.maxResults,
    includeDomains: wanted.includeDomains,
    excludeDomains: wanted.excludeDomains,
    publishedFrom: wanted.fromDate ?? null,
    publishedTo: wanted.toDate ?? null,
    ...buildPassageRequest(wanted.depth === 'deep' ? PASSAGES.deep : PASSAGES.other),
    ...(includesImages(wanted) ? { details: { links: 0, images: IMAGES_PER_PAGE } } : {}),
    answer: isSourcedAnswer(wanted),
  };
}

/** What a search found, with the quotation if it was asked for. */
type FoundPages = { results: readonly SearchResult[]; answer?: QuotedAnswer | null };

function toAnswerBody({ results, answer }: FoundPages, wanted: BaseFields): JsonObject {
  if (!isSourcedAnswer(wanted)) return { results: toResults(results, wanted) };
  return {
    answer: answer?.text ?? '',
    sources: results.map((result) => ({ ...toSource(result), snippet: joinHighlights(result) })),
  };
}

/** Answers and values that a model writes. Where nothing of them is proved, the quotation, or a value without anything in it. */
function createWrittenHandler(search: Search, writer: Writer): PricedRoute['prepare'] {
  const findIgnored = (given: JsonObject): string[] =>
    findIgnoredFields(given, { ...WITHOUT_IMAGES, ...WRITTEN_FIELDS });
  return createHandler({ fields: WrittenSearchBody, verbatim: VERBATIM, findIgnored }, (wanted, call) => {
    const schema = wanted.outputType === 'structured' ? parseSchema(wanted.structuredOutputSchema) : null;
    const most = PRICES.search + PRICES.writtenAnswer;
    return {
      most,
      least: 1,
      async work(signal, credits) {
        const { tenant } = call;
        const keep = call.keep && wanted.store;
        const found = await search({
          ...NO_FILTERS,
          ...buildSearchRequest(wanted),
          ...buildPassageRequest(WRITTEN_PASSAGES),
          answer: true,
          signal,
          tenant,
          keep,
        });
        const passages = collectPassages(found.results, found.answer);
        const part =
          credits < most
            ? NO_CREDITS
            : await writePart(writer, { task: wanted.q, passages, schema, signal, tenant, keep });
        const { cache, timingsMs } = found;
        const incomplete = [...found.incomplete, ...listUnwritten(part)];
        // A call for a value is free where there is none.
        const quoted = schema === null ? computeAnswerCredits(found) : 0;
        return {
          used: part.kind === 'none' ? quoted : most,
          cache,
          timingsMs,
          incomplete,
          body: schema === null ? toWrittenAnswer(found, part, wanted) : toStructured(part, schema, wanted),
        };
      },
    };
  });
}

function toWrittenAnswer(found: FoundPages, part: WrittenPart, wanted: SearchFields): JsonObject {
  if (part.kind !== 'text') return toAnswerBody(found, wanted);
  return {
    answer: wanted.includeInlineCitations ? part.text : part.plain,
    sources: toWrittenSources(part, found.results),
    statements: part.statements,
  };
}

function toStructured(
  part: WrittenPart,
  schema: Record<string, unknown>,
  { includeSources }: SearchFields,
): JsonObject {
  const value = part.kind === 'fields' ? part.value : null;
  const data = isObject(value) ? value : buildNullValue(schema);
  return includeSources ? { data, sources: part.kind === 'fields' ? toWrittenSources(part, []) : [] } : data;
}

/** The pages that a text stands on, with the quotations from them. */
function toWrittenSources(part: TextPart | FieldsPart, results: readonly SearchResult[]): JsonObject[] {
  return part.sources.map(({ url, title }) => {
    const result = results.find((one) => one.url === url);
    const favicon = (result === undefined ? null : findIcon(result)) ?? buildFaviconUrl(url) ?? '';
    return { name: title, url, favicon, snippet: listQuotes(part, url).join('\n\n') };
  });
}

type BaseFields = z.output<typeof SearchBody> | SearchFields;

const isSourcedAnswer = ({ outputType }: BaseFields): boolean => outputType === 'sourcedAnswer';

/** Sourced answers have no field for images. */
const includesImages = (wanted: BaseFields): boolean => wanted.includeImages && !isSourcedAnswer(wanted);

function toResults(results: readonly SearchResult[], wanted: BaseFields): JsonObject[] {
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
  favicon: findIcon(result) ?? '',
});

const joinHighlights = ({ highlights = [] }: SearchResult): string => highlights.join('\n\n');

const FetchBody = z.object({
  url: address,
  includeRawHtml: flag.meta({ description: 'Adds `rawHtml`, the source of the page.' }),
  includeRawContent: flag.meta({ description: 'Adds `rawContent`, the source of the page.' }),
  extractImages: flag.meta({ description: 'Adds `images`, those of the main content.' }),
  store: storeField,
});
type FetchFields = z.output<typeof FetchBody>;

/** POST /linkup/v1/fetch: a page as Markdown. Errors: 400 validation_error, url_not_allowed and fetch_failed. */
function createFetchHandler(read: ReadOperation): PricedRoute['prepare'] {
  return createHandler({ fields: FetchBody }, (wanted, { tenant, keep }) => ({
    most: PRICES.read,
    async work(signal) {
      const answer = await read({
        url: addScheme(wanted.url),
        question: null,
        ...buildOpening(wanted),
        signal,
        tenant,
        keep: keep && wanted.store,
      });
      return { used: PRICES.read, cache: answer.cache, body: toPage(answer, wanted) };
    },
  }));
}

/** Only a fetched page has a source and images. */
function buildOpening({ includeRawHtml, includeRawContent, extractImages }: FetchFields) {
  const isSourceWanted = includeRawHtml || includeRawContent;
  if (!isSourceWanted && !extractImages) return {};
  const images = extractImages ? ({ images: 'selection' } as const) : {};
  return { opening: { extras: { selection: null, rawHtml: isSourceWanted, ...images } } };
}

function toPage(
  { markdown, article, url, extras }: Pick<ReadAnswer, 'markdown' | 'article' | 'url' | 'extras'>,
  { includeRawHtml, includeRawContent }: FetchFields,
): JsonObject {
  const source = extras?.rawHtml;
  return {
    markdown,
    favicon: article.favicon ?? buildFaviconUrl(url) ?? '',
    ...omitNulls({
      rawHtml: includeRawHtml ? source : null,
      rawContent: includeRawContent ? source : null,
      images: extras?.images?.map(({ url, alt }) => ({ url, alt })),
    }),
  };
}

/** GET /linkup/v1/credits/balance: the credits left on the calling key. Error: 401 invalid_api_key. */
function createBalanceHandler(balanceOf: BalanceReader): FreeRoute['handle'] {
  return async ({ caller }) => {
    if (caller.kind !== 'key') throw new Failure('invalid_api_key', 'Only a key has a balance.');
    return { body: { balance: (await balanceOf(caller.keyId)).credits } };
  };
}

/** Linkup's clients recognise invalid requests and unreadable pages by 400 and a code. */
const BAD_REQUESTS: ReadonlySet<FailureCode> = new Set(['validation_error', 'fetch_failed']);
/** Codes of pages that could not be read; all other reasons are FETCH_ERROR. */
const FETCH_CODES: Partial<Record<FetchReason, string>> = {
  timeout: 'FETCH_TARGET_UNREACHABLE',
  dns: 'FETCH_TARGET_UNREACHABLE',
  connect: 'FETCH_TARGET_UNREACHABLE',
  protocol: 'FETCH_TARGET_UNREACHABLE',
  too_large: 'FETCH_RESPONSE_TOO_LARGE',
  unsupported_type: 'FETCH_UNSUPPORTED_CONTENT_TYPE',
};
const GONE: ReadonlySet<number | null> = new Set([404, 410]);

/** `{statusCode, error: {code, message, details}}`. */
const ERRORS: ShapeErrors = {
  format: createErrorFormat(
    ({ code, fetch, status, text, fields, requestId }) => ({
      statusCode: status,
      error: {
        code: fetch === null ? code.toUpperCase() : chooseFetchCode(fetch),
        message: text,
        details: fields,
      },
      requestId,
    }),
    (code) => (BAD_REQUESTS.has(code) ? 400 : STATUS_OF[code]),
  ),
  body: z
    .looseObject({
      statusCode: z.int(),
      error: z.object({
        code: z.string(),
        message: failureText,
        details: z.array(z.object({ field: z.string(), message: z.string() })),
      }),
    })
    .meta({ title: 'LinkupFailure' }),
};

function chooseFetchCode({ reason, httpStatus }: NonNullable<Failure['fetch']>): string {
  if (reason === 'not_allowed') return 'URL_NOT_ALLOWED';
  if (GONE.has(httpStatus)) return 'FETCH_TARGET_NOT_FOUND';
  return FETCH_CODES[reason] ?? 'FETCH_ERROR';
}

const MISSING: MissingOperations = {
  bases: ['/linkup/v1'],
  operations: [
    {
      why: `${NO_MODEL} POST /v1/research answers a question with quoted evidence instead.`,
      names: ['research'],
    },
    { why: 'This service keeps no tasks. Call /search and /fetch themselves.', names: ['tasks'] },
  ],
};

const source = { name: z.string(), url: z.string(), favicon: z.string() };

const SearchAnswer = z
  .object({
    results: z
      .array(
        z.union([
          z
            .object({ type: z.literal('text'), ...source, content: z.string() })
            .meta({ title: 'LinkupTextResult' }),
          z
            .object({ type: z.literal('image'), name: z.string(), url: z.string() })
            .meta({ title: 'LinkupImageResult' }),
        ]),
      )
      .optional()
      .meta({
        description: 'With `searchResults`; with `includeImages` the images of the pages follow the pages.',
      }),
    answer: z
      .string()
      .optional()
      .meta({ description: 'With `sourcedAnswer`: a passage quoted from the results, or empty.' }),
    sources: z
      .array(z.object({ ...source, snippet: z.string() }))
      .optional()
      .meta({ description: 'With `sourcedAnswer`.' }),
    statements: writtenProofs.statements,
  })
  .catchall(z.unknown())
  .meta({ title: 'LinkupAnswer', description: 'With `structured`: the value by the schema.' });

const FetchAnswer = z
  .object({
    markdown: z.string(),
    favicon: z
      .string()
      .meta({ description: 'The icon that the page declares, or the conventional address.' }),
    rawHtml: z.string().optional().meta({ description: 'The source of the page.' }),
    rawContent: z.string().optional().meta({ description: 'The source of the page.' }),
    images: z
      .array(
        z.object({
          url: z.string(),
          alt: z.string().meta({ description: 'The text in place of the image.' }),
        }),
      )
      .optional(),
  })
  .meta({ title: 'LinkupPage' });

const BalanceAnswer = z
  .object({ balance: z.int().meta({ description: 'Credits left on the key.' }) })
  .meta({ title: 'LinkupBalance' });

const SEARCH: Operation = {
  id: 'linkupSearch',
  tag: 'drop-in',
  summary: 'Search the web, as Linkup',
  about: 'For clients of Linkup; set their base URL to `/linkup/v1`.',
  price: '1 credit at any depth.',
  body: SearchBody,
  answer: SearchAnswer,
  errors: ['validation_error', 'recall_unavailable'],
  example: {
    body: { q: 'how does write-ahead logging work', depth: 'standard', outputType: 'searchResults' },
  },
};

/** The operations of Linkup's shape. */
const OPERATIONS: Record<string, Operation> = {
  'POST /linkup/v1/search': SEARCH,
  'POST /linkup/v1/fetch': {
    id: 'linkupFetch',
    tag: 'drop-in',
    summary: 'Read one page, as Linkup',
    about:
      'Returns the page as Markdown. `includeRawHtml`, `includeRawContent` and `extractImages` have the page fetched; plain Markdown may come from the cache.',
    price: '1 credit.',
    body: FetchBody,
    answer: FetchAnswer,
    errors: ['validation_error', 'url_not_allowed', 'fetch_failed'],
    example: { body: { url: 'https://example.org/' } },
  },
  'GET /linkup/v1/credits/balance': {
    id: 'linkupBalance',
    tag: 'drop-in',
    summary: 'Get the credits of a key, as Linkup',
    about: 'The credits left on the calling key.',
    price: 'Free.',
    answer: BalanceAnswer,
    errors: ['invalid_api_key'],
  },
};

const MODEL_OPERATIONS: Record<string, Operation> = {
  'POST /linkup/v1/search': {
    ...SEARCH,
    price: '1 credit at any depth; a written answer or value 5.',
    body: WrittenSearchBody,
  },
};

type LinkupDeps = {
  search: Search;
  writer: Writer | null;
  read: ReadOperation;
  balanceOf: BalanceReader;
  terms: Terms | null;
};

/** The shape of Linkup. */
export const LINKUP: CompatShape<LinkupDeps> = {
  prefixes: ['/linkup'],
  errors: ERRORS,
  operations: OPERATIONS,
  modelOperations: MODEL_OPERATIONS,
  missing: MISSING,
  buildRoutes: ({ search, writer, read, balanceOf, terms }) => [
    {
      ...buildPostRoute(
        ['/linkup/v1/search'],
        addWritingTime(LIMITS.search, writer),
        createLinkupSearchHandler({ search, writer }),
      ),
      ...(writer === null ? {} : { usesModel: true as const }),
    },
    buildPostRoute(['/linkup/v1/fetch'], LIMITS.page, createFetchHandler(read)),
    // There is no balance where calls are not metered.
    ...(terms === null ? [] : [buildBalanceRoute(balanceOf)]),
  ],
};

function buildBalanceRoute(balanceOf: BalanceReader): FreeRoute {
  const paths = ['/linkup/v1/credits/balance'];
  return {
    method: 'GET',
    paths,
    callers: 'key',
    limit: LIMITS.ledger,
    handle: createBalanceHandler(balanceOf),
  };
}
