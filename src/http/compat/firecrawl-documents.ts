import * as z from 'zod';
import { PRICES } from '../../billing/ledger/prices.ts';
import { PAGE_TIMEOUT_MS } from '../../contract/limits.ts';
import type { Article } from '../../pages/article.ts';
import type { ExtrasRequest, Selection } from '../../pages/extract/extras/map-fields.ts';
import type { Selector } from '../../pages/extract/selector.ts';
import type { OpeningOptions } from '../../pages/open-page-types.ts';
import { readCallerHeaders } from '../../pages/privacy/caller-headers.ts';
import type { Clock } from '../../platform/clock.ts';
import type { ReadAnswer, ReadOperation, ReadRequest } from '../../search/read.ts';
import type { WantedParts } from '../../text/prune/page-parts.ts';
import type { TrackChanges } from '../../versions/track-changes.ts';
import type { JsonObject, PricedRoute } from '../calls/call.ts';
import { buildIgnoredHeader } from '../calls/ignored-fields.ts';
import {
  addScheme,
  buildPictureUrl,
  createValidationFailure,
  isObject,
  omitNulls,
  parseBody,
  toCamelCase,
} from '../calls/json-body.ts';
import { NO_ADDRESS, toGivenPage, uploadFields } from '../calls/upload.ts';
import { address } from '../v1/contents.ts';
import { storeField } from '../v1/opening.ts';
import { flag } from './fields.ts';
import {
  changeTrackingOptions,
  describeChanges,
  describeRemoval,
  parseChangeRequest,
} from './firecrawl-changes.ts';
import {
  dropBrowserFormats,
  explainMissing,
  formats,
  parseSelector,
  type RequestedFormats,
} from './firecrawl-formats.ts';

const SELECTORS_MAX = 50;
const LANGUAGES_MAX = 10;
/** `nav`, `.menu`, `#top` or any CSS selector; `*ad*` selects elements with that text in their class or id. */
const selectors = z
  .unknown()
  .meta({
    description: `At most ${SELECTORS_MAX} CSS selectors.`,
    examples: [['article', '.post > p'], ['nav', '#footer'], []],
  })
  .transform((given, context): Selector[] => {
    const complain = (message: string): void => context.addIssue({ code: 'custom', message });
    if (!Array.isArray(given) || given.length > SELECTORS_MAX) {
      complain(`must be an array of at most ${SELECTORS_MAX} CSS selectors`);
      return [];
    }
    return given.flatMap((one: unknown) => parseSelector(expandWildcard(String(one)), complain) ?? []);
  })
  .prefault([]);
const ownHeaders = z
  .unknown()
  .meta({
    description: 'Headers to send with the request for the page, which is then private to the caller.',
    examples: [{ Cookie: 'a=b' }, {}],
  })
  .transform((given, context): { headers: Record<string, string> | null; ignored: string[] } => {
    const nothing = { headers: null, ignored: [] };
    const complain = (message: string): typeof nothing => {
      context.addIssue({ code: 'custom', message });
      return nothing;
    };
    if (!isObject(given) || !Object.values(given).every((value) => typeof value === 'string'))
      return complain('must be an object of texts');
    // The cast is safe: every value has just been checked to be a string.
    const read = readCallerHeaders(given as Record<string, string>);
    return 'problem' in read ? complain(read.problem) : read;
  })
  .prefault({});
const location = z
  .unknown()
  .meta({
    description: '`languages` become the Accept-Language of the request.',
    examples: [{ languages: ['de'] }],
  })
  .transform((given): string[] => {
    const { languages }: JsonObject = isObject(given) ? given : {};
    const texts = Array.isArray(languages) ? languages.filter((one) => typeof one === 'string') : [];
    return texts.filter((one) => /^[a-z]{1,8}(?:-[a-z0-9]{1,8})*$/i.test(one)).slice(0, LANGUAGES_MAX);
  })
  .prefault({});
const createMsSchema = (description: string) =>
  z
    .number('must be a number of milliseconds')
    .min(0, 'must not be negative')
    .optional()
    .meta({ description });
/** Actions would change the page, so they are refused. */
const noActions = z
  .unknown()
  .meta({ description: 'Must be empty: pages are only read.', examples: [[]] })
  .refine((given) => !Array.isArray(given) || given.length === 0, 'are not offered: pages are only read')
  .optional();
/** Scrape options, shared by every endpoint that reads pages. */
export const scrapeOptions = {
  formats,
  onlyMainContent: flag.unwrap().default(true),
  includeTags: selectors,
  excludeTags: selectors,
  headers: ownHeaders,
  timeout: z
    .number('must be a number of milliseconds')
    .positive('must be above 0')
    .optional()
    .meta({ description: 'Time for fetching the page; at most 15 s.' }),
  maxAge: createMsSchema('Maximum age of a cached copy: 0 always fetches. Default: one hour.'),
  waitFor: createMsSchema(
    'Where the service has a browser: milliseconds to wait once the page has settled; at most 10 s.',
  ),
  lockdown: flag.meta({ description: 'true: use only cached copies.' }),
  storeInCache: flag.unwrap().default(true),
  zeroDataRetention: flag.meta({ description: 'true: keep nothing.' }),
  store: storeField,
  location,
  changeTrackingOptions,
  actions: noActions,
};
/** POST /v2/scrape. */
export const ScrapeBody = z.object({ url: address, ...scrapeOptions });
/** Fields that contain the caller's own names. */
export const VERBATIM: ReadonlySet<string> = new Set(['headers', 'schema', 'metadata']);
/** Maximum share of the caller's timeout that the fetch may take: some callers hang up when it ends. */
const FETCH_SHARE = 0.9;
const computeFetchMs = (timeout: number): number =>
  Math.min(PAGE_TIMEOUT_MS, Math.ceil(timeout * FETCH_SHARE));
const HIGHLIGHTS = 5;
/** Options with values that request nothing or the default behaviour; any other value is reported as ignored. */
const IDLE: ReadonlyMap<string, (given: unknown) => boolean> = new Map<string, (given: unknown) => boolean>([
  ['origin', () => true],
  ['integration', () => true],
  ['blockAds', (given) => given === true],
  ['removeBase64Images', (given) => given === true],
  ['fastMode', () => true],
  ['parsePDF', (given) => given === true],
  ['proxy', (given) => given === 'basic' || given === 'auto'],
  ['waitFor', (given) => given === 0],
  ['mobile', (given) => given === false],
  ['skipTlsVerification', (given) => given === false],
  ['parsers', (given) => Array.isArray(given) && given.length > 0 && given.every(isPdf)],
]);
/** PDFs are always read. */
const isPdf = (parser: unknown): boolean =>
  (isObject(parser) && Object.keys(parser).length === 1 ? parser.type : parser) === 'pdf';
const KNOWN = new Set(Object.keys(scrapeOptions));
const IGNORED_MAX = 20;

const formatLateWarnings = (incomplete: ReadAnswer['incomplete']): string[] =>
  incomplete.map((part) => `${part}: there was no time for it; try again in a moment`);
/** Additional names of this shape for the `meta` fields of a page. */
const META_NAMES: Record<string, string> = {
  keywords: 'keywords',
  robots: 'robots',
  'og:title': 'ogTitle',
  'og:description': 'ogDescription',
  'og:url': 'ogUrl',
  'og:image': 'ogImage',
  'og:audio': 'ogAudio',
  'og:video': 'ogVideo',
  'og:determiner': 'ogDeterminer',
  'og:locale': 'ogLocale',
  'og:site_name': 'ogSiteName',
  'article:modified_time': 'modifiedTime',
  'article:published_time': 'publishedTime',
  'article:tag': 'articleTag',
  'article:section': 'articleSection',
  'dc.date': 'dcDate',
  'dc.date.created': 'dcDateCreated',
  'dc.description': 'dcDescription',
  'dc.subject': 'dcSubject',
  'dc.type': 'dcType',
  'dcterms.created': 'dcTermsCreated',
  'dcterms.audience': 'dcTermsAudience',
  'dcterms.keywords': 'dcTermsKeywords',
  'dcterms.subject': 'dcTermsSubject',
  'dcterms.type': 'dcTermsType',
};

/** The parameters of a page read that do not come from the body. */
export type PageCall = Pick<ReadRequest, 'url' | 'given' | 'signal' | 'tenant'> & {
  keep: boolean;
  scrapeId: string;
};

/** The dependencies of a scrape: pages, and the versions that their readers saw before. */
export type ScrapeDeps = { read: ReadOperation; trackChanges: TrackChanges; clock: Clock };

/**
 * POST /v2/scrape: one page as a document. Errors: 400 url_not_allowed, 422 validation_error, 500 fetch_failed (408 when the page was too
 * slow).
 */
export function createScrapeHandler(deps: ScrapeDeps & Rendering): PricedRoute['prepare'] {
  const { rendersPages } = deps;
  return ({ body, requestId, tenant, keep }) => {
    const { url, ...options } = parseBody(ScrapeBody, body, { verbatim: VERBATIM });
    const headers = buildIgnoredHeader(
      findIgnoredOptions(body, options, { others: ['url', 'apiKey'], rendersPages }),
    );
    const scrape = buildScrape(options, { rendersPages });
    return {
      most: PRICES.read,
      async work(signal) {
        const { data, cache, incomplete } = await scrapePage(deps, scrape, {
          url,
          signal,
          tenant,
          keep,
          scrapeId: requestId,
        });
        const used = incomplete.length === 0 ? PRICES.read : 0;
        return { used, headers, cache, incomplete, body: { success: true, data } };
      },
    };
  };
}

/** POST /v2/parse: the options are JSON in a part of the form. */
export const ParseFileBody = z.object({ ...uploadFields, ...scrapeOptions });

/** POST /v2/parse: a file as a document. Errors: 422 validation_error, also for a file that cannot be read. */
export function createParseFileHandler(deps: ScrapeDeps): PricedRoute['prepare'] {
  return ({ body, requestId, tenant }) => {
    const { options: written, ...rest } = body;
    const given = typeof written === 'string' ? parseOptions(written) : written;
    const fields = { ...(isObject(given) ? given : {}), ...rest };
    const { file, filename, contentType, ...options } = parseBody(ParseFileBody, fields, {
      verbatim: VERBATIM,
    });
    // A file is no page whose changes could be followed, and no browser draws it.
    const rendering = { rendersPages: false, others: Object.keys(uploadFields) };
    const headers = buildIgnoredHeader(findIgnoredOptions(fields, options, rendering));
    const scrape = buildScrape(options, rendering);
    return {
      most: PRICES.read,
      async work(signal) {
        const page = toGivenPage({ file, filename, contentType });
        const call = { url: NO_ADDRESS, given: page, signal, tenant, keep: false, scrapeId: requestId };
        const { data, cache, incomplete } = await scrapePage(deps, scrape, call);
        const used = incomplete.length === 0 ? PRICES.read : 0;
        return { used, headers, cache, incomplete, body: { success: true, data } };
      },
    };
  };
}

function parseOptions(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw createValidationFailure([{ field: 'options', message: 'must be JSON' }], error as Error);
  }
}

/** Reads one page with its scrape options. Throws what `ReadOperation` throws. */
export async function scrapePage(
  deps: ScrapeDeps,
  { formats, opening, parts, keep: mayKeep }: Scrape,
  { url, keep: isKept, scrapeId, ...call }: PageCall,
): Promise<{ data: JsonObject } & Pick<ReadAnswer, 'cache' | 'incomplete'>> {
  const { read, trackChanges, clock } = deps;
  const keep = isKept && mayKeep;
  const page = call.given === undefined ? addScheme(url) : url;
  const { changes } = formats;
  const about = { sourceUrl: url, formats, scrapeId };
  const request = { ...call, url: page, question: null, opening, keep };
  try {
    const answer = await read(parts === undefined ? request : { ...request, parts });
    const { cache, incomplete } = answer;
    const tracking =
      changes === null || !keep
        ? {}
        : {
            changeTracking: await describeChanges(trackChanges, changes, {
              ...call,
              url: page,
              page: answer,
            }),
          };
    return { data: { ...toDocument(answer, about), ...tracking }, cache, incomplete };
  } catch (error) {
    const gone = { error, url: page, tenant: call.tenant, at: clock.now() };
    const data = changes === null || !keep ? null : await describeRemoval(trackChanges, changes, gone);
    if (data === null) throw error;
    Object.assign(data.metadata, { sourceURL: url, scrapeId });
    return { data, cache: 'miss', incomplete: [] };
  }
}

/** Data of a document besides its page. */
type DocumentContext = { sourceUrl: string; formats: RequestedFormats; scrapeId: string };

/** The part of a read page that a document is made of. */
type ReadPage = Pick<
  ReadAnswer,
  'markdown' | 'article' | 'extras' | 'parts' | 'cache' | 'fetchedAt' | 'incomplete'
>;

/** Converts a read page to the document of this shape. */
export function toDocument(
  { markdown, article, extras = { markdown }, parts = {}, ...kept }: ReadPage,
  { sourceUrl, formats, scrapeId }: DocumentContext,
): JsonObject {
  const { plain, attributes, notOffered, json } = formats;
  const warnings = [...notOffered.map(explainMissing), ...formatLateWarnings(kept.incomplete)];
  const { html, rawHtml, links, images, screenshot } = extras;
  return {
    ...(plain.has('markdown') ? { markdown } : {}),
    ...omitNulls({
      html,
      rawHtml,
      screenshot: screenshot && buildPictureUrl(screenshot),
      links: links?.map(({ url }) => url),
      images: images?.map(({ url }) => url),
      summary: parts.summary,
      highlights: parts.highlights?.join('\n\n'),
      attributes: extras.attributes?.map((values, at) => ({ ...attributes[at], values })),
    }),
    ...(json === null ? {} : { json: extras.fields ?? null }),
    ...(warnings.length === 0 ? {} : { warning: warnings.join('; ') }),
    metadata: { ...buildMetadata(article), ...buildCacheFields(kept), sourceURL: sourceUrl, scrapeId },
  };
}

function buildMetadata({
  url,
  title,
  description,
  language,
  author,
  published,
  modified,
  meta = {},
}: Article): JsonObject {
  const named = Object.entries(meta).flatMap(([name, content]) => {
    const shown = Object.hasOwn(META_NAMES, name) ? META_NAMES[name] : undefined;
    return shown === undefined
      ? [[name, content]]
      : [
          [name, content],
          [shown, content],
        ];
  });
  return {
    ...Object.fromEntries(named),
    title,
    url,
    ...omitNulls({
      description,
      language,
      author,
      publishedTime: meta['article:published_time'] ?? published?.day,
      modifiedTime: meta['article:modified_time'] ?? modified?.day,
    }),
    // Only pages with a successful response are read.
    statusCode: 200,
  };
}

function buildCacheFields({ cache, fetchedAt }: Pick<ReadAnswer, 'cache' | 'fetchedAt'>): JsonObject {
  return cache === 'miss'
    ? { cacheState: 'miss' }
    : { cacheState: 'hit', cachedAt: new Date(fetchedAt).toISOString() };
}

/** Finds the options without effect, in the caller's spelling. */
export function findIgnoredOptions(
  raw: JsonObject,
  options: ScrapeOptions,
  { others = [], rendersPages }: Rendering & { others?: readonly string[] },
): string[] {
  const formats = rendersPages ? options.formats : dropBrowserFormats(options.formats);
  const isKnown = (name: string): boolean =>
    KNOWN.has(name) &&
    (rendersPages || name !== 'waitFor') &&
    (formats.changes !== null || name !== 'changeTrackingOptions');
  const own = Object.entries(raw).flatMap(([written, given]) => {
    const name = toCamelCase(written);
    if (given === null || given === undefined || isKnown(name) || others.includes(name)) return [];
    return IDLE.get(name)?.(given) ? [] : [written];
  });
  const { country }: JsonObject = isObject(raw.location) ? raw.location : {};
  return [
    ...own.slice(0, IGNORED_MAX),
    ...(country === undefined || country === null ? [] : ['location.country']),
    ...options.headers.ignored.map((name) => `headers.${name}`),
    ...formats.notOffered.map((name) => `formats.${name}`),
    ...(formats.changes?.ignored ?? []).map((name) => `changeTracking.${name}`),
  ];
}

function expandWildcard(text: string): string {
  const [, word] = /^\*([\w-]+)\*$/.exec(text.trim()) ?? [];
  return word === undefined ? text : `[class*="${word}" i], [id*="${word}" i]`;
}

type ScrapeOptions = z.output<z.ZodObject<typeof scrapeOptions>>;

/** Options of one scrape: how the page is opened, and what is taken from it. */
export type Scrape = {
  formats: RequestedFormats;
  opening: OpeningOptions;
  /** Parts taken from the text of the page; absent: none. */
  parts?: WantedParts;
  /** False: the page must not be kept. */
  keep: boolean;
};

/** `rendersPages`: the service has a browser. */
export type Rendering = { rendersPages: boolean };

/** Converts parsed options to how a page is opened. A page without requested parts or extras may come from the cache. */
export function buildScrape(
  { formats: asked, ...options }: ScrapeOptions,
  { rendersPages }: Rendering,
): Scrape {
  const offered = rendersPages ? asked : dropBrowserFormats(asked);
  const wanted = addChangeOptions(offered, options.changeTrackingOptions);
  const languages: Record<string, string> =
    options.location.length === 0 ? {} : { 'accept-language': options.location.join(', ') };
  const headers = { ...languages, ...options.headers.headers };
  const extras = buildExtras(wanted, buildSelection(options));
  return {
    formats: wanted,
    ...buildPartsOption(wanted),
    keep: options.storeInCache && options.store && !options.zeroDataRetention,
    opening: {
      ...buildAgeOptions(options),
      ...(rendersPages ? buildEngineOptions(wanted, options) : {}),
      ...(options.timeout === undefined ? {} : { timeoutMs: computeFetchMs(options.timeout) }),
      ...(extras === null ? {} : { extras }),
      ...(Object.keys(headers).length === 0 ? {} : { headers }),
    },
  };
}

/** Version 1 has the options of changes in a field beside the formats. Throws `Failure('validation_error')`. */
function addChangeOptions(wanted: RequestedFormats, options: JsonObject): RequestedFormats {
  if (wanted.changes === null || Object.keys(options).length === 0) return wanted;
  const complain = (message: string): never => {
    throw createValidationFailure([{ field: 'changeTrackingOptions', message }]);
  };
  return { ...wanted, changes: parseChangeRequest(options, complain) };
}

function buildAgeOptions({ maxAge, lockdown }: Pick<ScrapeOptions, 'maxAge' | 'lockdown'>): OpeningOptions {
  if (lockdown) return { copies: 'only' };
  if (maxAge === undefined) return {};
  return maxAge === 0 ? { freshMs: 0, copies: 'never' } : { freshMs: maxAge };
}

/** Waiting and screenshots need a browser. */
function buildEngineOptions(
  { screenshot }: RequestedFormats,
  { waitFor = 0 }: Pick<ScrapeOptions, 'waitFor'>,
): OpeningOptions {
  if (waitFor === 0 && screenshot === null) return {};
  return { engine: 'browser', ...(waitFor === 0 ? {} : { waiting: { ms: Math.ceil(waitFor) } }) };
}

function buildSelection({
  includeTags,
  excludeTags,
  onlyMainContent,
}: Pick<ScrapeOptions, 'includeTags' | 'excludeTags' | 'onlyMainContent'>): Selection | null {
  if (includeTags.length === 0 && excludeTags.length === 0 && onlyMainContent) return null;
  return { include: includeTags, exclude: excludeTags, whole: !onlyMainContent };
}

function buildExtras(
  { plain, attributes, json, screenshot }: RequestedFormats,
  selection: Selection | null,
): ExtrasRequest | null {
  const wanted: Omit<ExtrasRequest, 'selection'> = {
    ...(plain.has('html') ? { html: true } : {}),
    ...(plain.has('rawHtml') ? { rawHtml: true } : {}),
    ...(plain.has('links') ? { links: 'selection' } : {}),
    ...(plain.has('images') ? { images: 'selection' } : {}),
    ...(attributes.length > 0 ? { attributes } : {}),
    ...(json === null ? {} : { fields: json }),
    ...(screenshot === null ? {} : { screenshot }),
  };
  return selection === null && Object.keys(wanted).length === 0 ? null : { selection, ...wanted };
}

function buildPartsOption({ summary, highlights }: RequestedFormats): { parts?: WantedParts } {
  if (!summary && highlights === null) return {};
  const passages = { query: highlights, perUrl: HIGHLIGHTS, charsMax: null };
  return {
    parts: {
      text: null,
      pruned: null,
      highlights: highlights === null ? null : passages,
      ...(summary ? { summary: { query: null } } : {}),
    },
  };
}
