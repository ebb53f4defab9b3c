/**
 * The second shape's search: its fields and the handler of POST /shapeB/search. The other operations of the shape (extract, crawl, map,
 * research, usage) are beside it, and the fields that they share in fields.ts.
 */

import * as z from 'zod';
import { PRICES } from '../../billing/ledger/prices.ts';
import { DOMAIN_FILTERS_MAX, RESULTS_MAX, SHAPE_B_RESULTS_DEFAULT } from '../../contract/limits.ts';
import type { OpeningOptions } from '../../pages/open-page-types.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Citation } from '../../search/cite-parts.ts';
import { resolveDeclared } from '../../search/pages/page-details.ts';
import type { Search } from '../../search/search.ts';
import type { SearchAnswer, SearchRequest, SearchResult } from '../../search/search-types.ts';
import type { QuotedAnswer } from '../../text/answer/candidates.ts';
import type { WantedParts } from '../../text/prune/page-parts.ts';
import { parseDomainFilter } from '../../text/query/filters.ts';
import { readQuery } from '../../text/query/read-query.ts';
import type { Writer } from '../../writing/writer.ts';
import type { JsonObject, PricedRoute } from '../calls/call.ts';
import {
  buildIgnoredHeader,
  buildKnownFields,
  findIgnoredFields,
  type KnownFields,
} from '../calls/ignored-fields.ts';
import { computeSearchCredits } from '../calls/incomplete.ts';
import { omitNulls, parseBody, roundScore } from '../calls/json-body.ts';
import {
  computePublishedSpan,
  createCappedNumberSchema,
  createTextListSchema,
  dateFields,
  flag,
  storeField,
} from '../compat/fields.ts';
import { buildFaviconUrl, IMAGES_PER_PAGE } from '../compat/results.ts';
import { query } from '../v1/content-fields.ts';
import { minScore } from '../v1/search.ts';
import { limitSearch } from '../writing/search-within.ts';
import {
  collectPassages,
  listUnwritten,
  NO_CREDITS,
  type WrittenPart,
  writePart,
} from '../writing/write-text.ts';
import { findCountryDomains } from './country.ts';
import { collectImages, imageFields } from './extract.ts';
import {
  buildClosingFields,
  buildCostOption,
  joinPassages,
  type PageFormat,
  passageCount,
  rawContent,
} from './fields.ts';

/** Sites of news agencies, broadcasters and newspapers. */
const NEWS = [
  ...[
    'reuters.com',
    'apnews.com',
    'afp.com',
    'bbc.com',
    'bbc.co.uk',
    'theguardian.com',
    'npr.org',
    'cnn.com',
  ],
  ...['nytimes.com', 'washingtonpost.com', 'wsj.com', 'ft.com', 'economist.com', 'bloomberg.com', 'cnbc.com'],
  ...['aljazeera.com', 'dw.com', 'france24.com', 'euronews.com', 'politico.com', 'politico.eu', 'axios.com'],
  ...['abcnews.go.com', 'cbsnews.com', 'nbcnews.com', 'news.sky.com', 'abc.net.au', 'cbc.ca', 'time.com'],
  ...['lemonde.fr', 'spiegel.de', 'tagesschau.de', 'zeit.de', 'elpais.com', 'corriere.it', 'nhk.or.jp'],
  ...[
    'scmp.com',
    'straitstimes.com',
    'thehindu.com',
    'indianexpress.com',
    'news.yahoo.com',
    'techcrunch.com',
  ],
];
/** Sites about markets and companies, and company registers. */
const FINANCE = [
  ...['sec.gov', 'federalreserve.gov', 'ecb.europa.eu', 'bankofengland.co.uk', 'imf.org', 'worldbank.org'],
  ...['bis.org', 'nasdaq.com', 'nyse.com', 'londonstockexchange.com', 'finance.yahoo.com', 'marketwatch.com'],
  ...['bloomberg.com', 'reuters.com', 'ft.com', 'wsj.com', 'cnbc.com', 'barrons.com', 'morningstar.com'],
  ...[
    'investing.com',
    'investopedia.com',
    'fool.com',
    'seekingalpha.com',
    'stockanalysis.com',
    'macrotrends.net',
  ],
  ...[
    'forbes.com',
    'businessinsider.com',
    'economist.com',
    'find-and-update.company-information.service.gov.uk',
  ],
];
const TOPICS = ['general', 'news', 'finance'] as const;
/** `country` prefers pages of that country in general searches. */
const countryField = z
  .unknown()
  .meta({
    description: 'Pages of this country rank higher, if the topic is general.',
    examples: ['norway', 'united states'],
  })
  .optional();
const FINANCE_WORDS =
  /\b(?:stocks?|shares?|dividends?|earnings|bonds?|etfs?|ipo|nasdaq|nyse|market cap|interest rates?|inflation|revenue|quarterly results|exchange rate|bitcoin|treasury|10-[kq])\b/i;
const NEWS_MIN = 0.5;
/** Minimum words of a query that gets an advanced search. */
const DEEP_WORDS = 8;

/** Default number of passages in `content`; a deep search gets more. */
const PASSAGES = { deep: 3, plain: 1 };

const domains = createTextListSchema({
  max: DOMAIN_FILTERS_MAX,
  what: 'domains',
  example: 'example.org',
}).refine(
  (texts) => texts.every((text) => parseDomainFilter(text) !== null),
  'must hold domains such as example.org',
);

/** Fields not listed here are accepted and have no effect. */
export const ShapeBSearchBody = z.object({
  query,
  searchDepth: z
    .unknown()
    .meta({ examples: ['basic', 'advanced', 'fast', 'ultra-fast'] })
    .optional(),
  chunksPerSource: passageCount,
  maxResults: createCappedNumberSchema({ min: 0, max: RESULTS_MAX }).default(SHAPE_B_RESULTS_DEFAULT),
  minScore,
  includeDomains: domains,
  excludeDomains: domains,
  ...dateFields,
  includeAnswer: flag,
  ...imageFields,
  country: countryField,
  exactMatch: flag,
  autoParameters: flag,
  includeRawContent: rawContent,
  includeFavicon: flag,
  includeUsage: flag,
  store: storeField,
});
type ShapeBSearchFields = z.output<typeof ShapeBSearchBody>;

const KNOWN_FIELDS: KnownFields = {
  ...buildKnownFields(Object.keys(ShapeBSearchBody.shape)),
  country: (given) => findCountryDomains(given) !== null,
};

type ShapeBSearchDeps = { search: Search; clock: Clock; writer: Writer | null };

/** Passages of each page from which an answer is written, by the depth of the answer. */
const WRITTEN_PASSAGES = { basic: 2, advanced: 4 } as const;
type WrittenDepth = keyof typeof WRITTEN_PASSAGES;

/** `true` asks for a quotation on every service; a name of a depth asks a model, where there is one. */
function parseWrittenDepth({
  include_answer: snake,
  includeAnswer: camel = snake,
}: JsonObject): WrittenDepth | null {
  return camel === 'basic' || camel === 'advanced' ? camel : null;
}

/** POST /shapeB/search. Errors: 422 validation_error, 503 recall_unavailable. */
export function createShapeBSearchHandler({
  search,
  clock,
  writer,
}: ShapeBSearchDeps): PricedRoute['prepare'] {
  return ({ body, requestId, tenant, keep }) => {
    const { wanted, chosen } = applyAutoParameters(parseBody(ShapeBSearchBody, body));
    const headers = buildIgnoredHeader(findIgnoredFields(body, KNOWN_FIELDS));
    const depth = writer === null ? null : parseWrittenDepth(body);
    const most = PRICES.search + (depth === null ? 0 : PRICES.writtenAnswer);
    const searchInTime = depth === null ? search : limitSearch(search);
    return {
      most,
      ...(depth === null ? {} : { least: 1 }),
      async work(signal, credits) {
        const mayKeep = keep && wanted.store;
        const answer = await searchInTime({
          query: wanted.query,
          numResults: wanted.maxResults,
          ...(wanted.minScore === undefined ? {} : { minScore: wanted.minScore }),
          includeDomains: wanted.includeDomains,
          excludeDomains: wanted.excludeDomains,
          ...computePublishedSpan(wanted, clock.now()),
          ...buildPreferences(parseTopic(wanted.topic), wanted.country),
          ...buildPhraseFilter(wanted),
          contents: buildWantedParts(wanted, depth),
          ...(wanted.includeImages ? { details: { links: 0, images: IMAGES_PER_PAGE } } : {}),
          ...buildOpening(wanted),
          answer: wanted.includeAnswer,
          signal,
          tenant,
          keep: mayKeep,
        });
        const part =
          writer === null || depth === null
            ? null
            : credits < most
              ? NO_CREDITS
              : await writePart(writer, {
                  task: depth === 'advanced' ? `${wanted.query}\n\nAnswer in detail.` : wanted.query,
                  passages: collectPassages(answer.results, answer.answer),
                  signal,
                  tenant,
                  keep: mayKeep,
                });
        const { cache, timingsMs } = answer;
        const incomplete = [...answer.incomplete, ...listUnwritten(part)];
        const used = part?.kind === 'text' ? most : computeSearchCredits(answer);
        const body = { ...toBody(answer, { wanted, requestId, part }), ...chosen };
        return { used, ...buildCostOption(wanted), headers, cache, timingsMs, incomplete, body };
      },
    };
  };
}

/** With `auto_parameters`, chooses the topic and depth that the caller left open by the query, and states them in the response. */
function applyAutoParameters(wanted: ShapeBSearchFields): { wanted: ShapeBSearchFields; chosen: JsonObject } {
  if (!wanted.autoParameters) return { wanted, chosen: {} };
  const automatic = chooseParameters(wanted.query);
  const topic = parseTopic(wanted.topic) ?? automatic.topic;
  const searchDepth = wanted.searchDepth ?? automatic.searchDepth;
  return {
    wanted: { ...wanted, topic, searchDepth },
    chosen: { auto_parameters: { topic, search_depth: searchDepth } },
  };
}

/** With `exact_match`, every result's page must contain the quoted phrases of the query. */
function buildPhraseFilter({ exactMatch, query: text }: ShapeBSearchFields): Pick<SearchRequest, 'pageText'> {
  if (!exactMatch) return {};
  const phrases = [...text.matchAll(/["“]([^"“”]+)["”]/g)].map(([, phrase = '']) => phrase.trim());
  const include = phrases.filter((phrase) => phrase !== '');
  return include.length === 0 ? {} : { pageText: { include, exclude: [] } };
}

const countPassages = ({ chunksPerSource, searchDepth }: ShapeBSearchFields): number =>
  chunksPerSource ?? (searchDepth === 'advanced' ? PASSAGES.deep : PASSAGES.plain);

/** `content` holds each page's best passages; the full text is included only if requested. */
function buildWantedParts(wanted: ShapeBSearchFields, depth: WrittenDepth | null): WantedParts {
  const { includeRawContent } = wanted;
  const passages = Math.max(countPassages(wanted), depth === null ? 0 : WRITTEN_PASSAGES[depth]);
  return {
    text: includeRawContent === null ? null : { charsMax: null },
    highlights: { query: null, perUrl: passages, charsMax: null },
    pruned: null,
    ...buildPlainOption(includeRawContent),
  };
}

/** An `ultra-fast` search uses only cached pages; other results keep the snippet of their source. */
function buildOpening({ searchDepth, includeRawContent, includeAnswer }: ShapeBSearchFields): {
  opening?: OpeningOptions;
} {
  const isHasty = searchDepth === 'ultra-fast' && includeRawContent === null && !includeAnswer;
  return isHasty ? { opening: { copies: 'only' } } : {};
}

const buildPlainOption = (format: PageFormat | null): { plain?: true } =>
  format === 'text' ? { plain: true } : {};

function toBody(
  { results, answer, timingsMs }: SearchAnswer,
  { wanted, requestId, part }: { wanted: ShapeBSearchFields; requestId: string; part: WrittenPart | null },
): JsonObject {
  return {
    query: wanted.query,
    images: collectImages(results, wanted),
    results: results.map((result) =>
      toResult(result, wanted, part === null ? undefined : countPassages(wanted)),
    ),
    ...(wanted.includeAnswer ? buildAnswerFields(answer ?? null, part) : {}),
    ...buildClosingFields({ ms: timingsMs.total ?? 0, requestId }),
  };
}

/** Builds the written answer with its statements, or the quotation as plain text, with its citation in a field beside it. */
function buildAnswerFields(answer: QuotedAnswer | null, part: WrittenPart | null): JsonObject {
  if (part?.kind === 'text')
    return { answer: part.plain, answer_statements: part.statements, answer_dropped: part.dropped };
  if (answer === null) return { answer: null, answer_proof: null };
  const { text, url, title, contentHash, ...proof } = answer;
  return {
    answer: text,
    answer_proof: { url, title, ...toCitation(proof), content_hash: contentHash },
  };
}

const toCitation = ({ start, end, headingPath, link }: Citation): JsonObject => ({
  start,
  end,
  heading_path: headingPath,
  link,
});

/**
 * Title, URL, content and score are always present: clients read them unchecked. `passagesMax` is set beside a written answer, which may
 * have needed more passages than the caller asked for.
 */
function toResult(result: SearchResult, wanted: ShapeBSearchFields, passagesMax?: number): JsonObject {
  const { includeRawContent, includeFavicon } = wanted;
  const { url, title, score, isWeak, publishedDay, text, contentHash } = result;
  const [highlights, highlightProofs] = [
    result.highlights?.slice(0, passagesMax),
    result.highlightProofs?.slice(0, passagesMax),
  ];
  return {
    title,
    url,
    content: joinPassages(highlights ?? []),
    raw_content: includeRawContent === null ? null : (text ?? ''),
    score: roundScore(score),
    ...omitNulls({
      weak: isWeak,
      published_date: publishedDay,
      favicon: includeFavicon ? (resolveDeclared(result).favicon ?? buildFaviconUrl(url)) : null,
      content_proofs: highlightProofs?.map(toCitation),
      content_hash: contentHash,
    }),
  };
}

type Topic = (typeof TOPICS)[number];

/** Returns the topic of a request; null if it is unknown. */
function parseTopic(given: unknown): Topic | null {
  return TOPICS.find((topic) => topic === given) ?? null;
}

/** Builds the part of a search that topic and country decide: which sites rank higher, and which kind of page the sources search for. */
function buildPreferences(
  topic: Topic | null,
  country: unknown,
): Pick<SearchRequest, 'topic' | 'preferredDomains'> {
  if (topic === 'news') return { topic: 'news', preferredDomains: NEWS };
  if (topic === 'finance') return { preferredDomains: FINANCE };
  const domains = findCountryDomains(country);
  return domains === null ? {} : { preferredDomains: domains };
}

/** Chooses the values of `auto_parameters` for a query. */
function chooseParameters(query: string): { topic: Topic; searchDepth: 'basic' | 'advanced' } {
  const { news } = readQuery(query).traits();
  const isDeep = query.trim().split(/\s+/).length >= DEEP_WORDS;
  return {
    topic: news >= NEWS_MIN ? 'news' : FINANCE_WORDS.test(query) ? 'finance' : 'general',
    searchDepth: isDeep ? 'advanced' : 'basic',
  };
}
