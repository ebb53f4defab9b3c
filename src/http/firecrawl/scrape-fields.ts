import * as z from 'zod';
import { PAGE_TIMEOUT_MS } from '../../contract/limits.ts';
import type { ExtrasRequest, Selection, Selector } from '../../pages/extract/extras/map-fields.ts';
import type { OpeningOptions } from '../../pages/open-page-types.ts';
import { readCallerHeaders } from '../../pages/sharing/caller-headers.ts';
import type { WantedParts } from '../../text/prune/page-parts.ts';
import type { JsonObject } from '../calls/call.ts';
import { flag } from '../shape-b/fields.ts';
import { address } from '../v1/contents.ts';
import { storeField } from '../v1/opening.ts';
import { dropBrowserFormats, formats, type RequestedFormats } from './formats.ts';
import { isObject, parseSelector } from './json-format.ts';

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

function expandWildcard(text: string): string {
  const [, word] = /^\*([\w-]+)\*$/.exec(text.trim()) ?? [];
  return word === undefined ? text : `[class*="${word}" i], [id*="${word}" i]`;
}

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
  actions: noActions,
};

/** POST /v2/scrape. */
export const ScrapeBody = z.object({ url: address, ...scrapeOptions });

/** Fields that contain the caller's own names. */
export const VERBATIM: ReadonlySet<string> = new Set(['headers', 'schema', 'metadata']);

export type ScrapeOptions = z.output<z.ZodObject<typeof scrapeOptions>>;

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
  const wanted = rendersPages ? asked : dropBrowserFormats(asked);
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

/** Maximum share of the caller's timeout that the fetch may take: some callers hang up when it ends. */
const FETCH_SHARE = 0.9;

const computeFetchMs = (timeout: number): number =>
  Math.min(PAGE_TIMEOUT_MS, Math.ceil(timeout * FETCH_SHARE));

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

const HIGHLIGHTS = 5;

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
