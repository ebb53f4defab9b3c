/**
 * The reader, `/r/{url}`: one page as Markdown, text, HTML or an image, in Jina's shape. It parses options and formats the answer;
 * fetching, extraction and pruning are done by search/read.ts.
 */

import * as z from 'zod';
import { PRICES } from '../../billing/ledger/prices.ts';
import { Failure } from '../../contract/errors.ts';
import { CHARS_PER_TOKEN, QUERY_CHARS_MAX, URL_CHARS_MAX } from '../../contract/limits.ts';
import { type Article, resolveReadRoute } from '../../pages/article.ts';
import { STRUCTURES } from '../../pages/extract/completeness.ts';
import type { PageImage, PageLink } from '../../pages/extract/extras/map-fields.ts';
import type { GivenPage, ReadAnswer, ReadOperation, ReadRequest } from '../../search/read.ts';
import { cutMarkdown } from '../../text/prune/prune-markdown.ts';
import { restyleMarkdown } from '../../text/restyle/restyle-markdown.ts';
import {
  formatCsv,
  formatTable,
  listTables,
  type MarkdownTable,
  selectRows,
  toRecords,
} from '../../text/tables/markdown-tables.ts';
import type { Answer, Call, JsonObject, PricedRoute, Task, WorkResult } from '../calls/call.ts';
import { buildIgnoredHeader, buildKnownFields, findIgnoredFields } from '../calls/ignored-fields.ts';
import { buildPictureUrl, createValidationFailure, omitNulls, parseBody } from '../calls/json-body.ts';
import { buildMementoHeaders, readAcceptDatetime } from '../calls/memento.ts';
import type { Operation } from '../calls/operation.ts';
import { extractReaderAddress, parsePageAddress } from '../server/request-target.ts';
import { query } from '../v1/content-fields.ts';
import { buildCostDollars } from '../v1/cost.ts';
import { storeField } from '../v1/opening.ts';
import { type ReaderOptions, readReaderOptions } from './reader-options.ts';
import { FIELD_NAMES, READER_ANSWER_HEADERS, READER_HEADERS, ReaderAnswerBody } from './reader-parameters.ts';

const isPicture = ({ format }: ReaderOptions): boolean => format === 'screenshot' || format === 'pageshot';
/** HTML is sent as plain text: a page of another site must not run as one of ours. */
const CONTENT_TYPES = {
  markdown: 'text/markdown; charset=utf-8',
  html: 'text/plain; charset=utf-8',
  text: 'text/plain; charset=utf-8',
  csv: 'text/csv; charset=utf-8',
  screenshot: 'image/png',
  pageshot: 'image/png',
} as const;
/** Name of the JSON member that holds the page. */
const MEMBERS = {
  markdown: 'content',
  html: 'html',
  text: 'text',
  screenshot: 'screenshotUrl',
  pageshot: 'pageshotUrl',
} as const;
const labelImages = (images: readonly PageImage[]): [string, string][] =>
  images.map(({ url, alt }, place) => [`Image ${place + 1}${alt === '' ? '' : `: ${alt}`}`, url]);
const formatSection = (title: string, lines: readonly string[]): string =>
  lines.length === 0 ? '' : `\n\n${title}:\n${lines.join('\n')}`;
const estimateTokens = (text: string): number => Math.ceil(text.length / CHARS_PER_TOKEN);
const computeSavings = (raw: number, output: number): number =>
  raw === 0 ? 0 : Math.max(0, Math.round(100 * (1 - output / raw)));

type ReaderDeps = {
  read: ReadOperation;
  /** The service has a browser. */
  rendersPages: boolean;
};
type TimeGateDeps = ReaderDeps & {
  /** Each change of a page is kept, so that answers name where its versions are. */
  keepsVersions: boolean;
  /** Returns the address of the service as the caller knows it. */
  addressFor(call: Pick<Call, 'headers'>): string;
};

/**
 * GET /r/{url}: a page as Markdown, as it is or as it was (`at`, `Accept-Datetime`). Errors: 400 url_not_allowed or bad_request (no date),
 * 404 not_found (no version of that time), 422 validation_error (q too long), 502 fetch_failed.
 */
export function createReaderHandler(deps: TimeGateDeps): PricedRoute['prepare'] {
  const { rendersPages, keepsVersions, addressFor } = deps;
  return ({ target, headers, tenant, keep }) => {
    const options = assertEngine(readReaderOptions(headers, { rendersPages }), rendersPages);
    const { at = readAcceptDatetime(headers), ...page } = parseTarget(target);
    const address = { base: addressFor({ headers }), url: page.url };
    const request = { ...page, tenant, keep };
    if (at !== null) return createVersionTask(deps, request, { options, at, address });
    const buildHeaders = (): Record<string, string> =>
      keepsVersions ? buildMementoHeaders(address, null) : {};
    return createReadTask(deps, request, options, buildHeaders);
  };
}

/** Reads the version of a page that was in force at an instant. Only its text is kept. */
function createVersionTask(
  deps: ReaderDeps,
  page: PageToRead,
  { options, at, address }: { options: ReaderOptions; at: number; address: { base: string; url: string } },
): Task {
  if (options.opening.extras !== undefined)
    throw createValidationFailure([
      { field: 'at', message: 'gives the text of the main content only, as Markdown or plain text' },
    ]);
  return createReadTask(deps, page, { ...options, opening: { at } }, ({ fetchedAt }) =>
    buildMementoHeaders(address, { at: fetchedAt }),
  );
}

/** A page by its address, or given as HTML or PDF. Fields named after headers have the same effect. */
const ReaderBody = z
  .object({
    url: z
      .string('must be a string')
      .trim()
      .min(1, 'must not be empty')
      .max(URL_CHARS_MAX, `must have at most ${URL_CHARS_MAX.toLocaleString('en')} characters`)
      .meta({
        pattern: '\\S',
        description: 'The page; with html or pdf, the address that its links stand on.',
      })
      .optional(),
    html: z
      .string('must be a string')
      .meta({ description: 'A page to read; nothing is fetched or kept.' })
      .optional(),
    pdf: z
      .string('must be a string')
      .meta({ description: 'A PDF in Base64 to read; nothing is fetched or kept.' })
      .optional(),
    q: query.meta({ description: 'A question or topic.' }).optional(),
    store: storeField,
  })
  .meta({ anyOf: [{ required: ['url'] }, { required: ['html'] }, { required: ['pdf'] }] });

const KNOWN_FIELDS = buildKnownFields([...Object.keys(ReaderBody.shape), ...FIELD_NAMES]);

/** POST /r: a page by its address, or a page that the caller gives. Errors: as GET /r/{url}. */
export function createGivenPageHandler(deps: ReaderDeps): PricedRoute['prepare'] {
  const { rendersPages } = deps;
  return ({ body, target, headers, tenant, keep }) => {
    const { url, q: question = null, html, pdf, store } = parseBody(ReaderBody, body);
    const wanted = assertEngine(readReaderOptions(headers, { body, rendersPages }), rendersPages);
    const options = { ...wanted, ignored: [...wanted.ignored, ...findIgnoredFields(body, KNOWN_FIELDS)] };
    const request = { question, tenant, keep: keep && store };
    const given = html !== undefined ? toHtmlPage(html) : pdf !== undefined ? toPdfPage(pdf) : null;
    if (given !== null) return createReadTask(deps, { ...request, url: resolveBase(url), given }, options);
    return createReadTask(deps, { ...request, url: url ?? parseTargetAddress(target) }, options);
  };
}

/** Requesting a browser where there is none is an error, because the answer could be a different page. */
function assertEngine(options: ReaderOptions, rendersPages: boolean): ReaderOptions {
  if (options.opening.engine !== 'browser' || rendersPages) return options;
  const message =
    'browser needs a browser, which this service does not have: its operator can run `sanderling render` and set RENDER_URL';
  throw createValidationFailure([{ field: 'X-Engine', message }]);
}

/** Reads the address from the path, where some clients put it as in a GET. */
function parseTargetAddress(target: string): string {
  const behind = extractReaderAddress(target) ?? '';
  if (behind !== '' && !behind.startsWith('?')) return parseTarget(target).url;
  throw createValidationFailure([{ field: 'url', message: 'is required, unless html or pdf is given' }]);
}

const toHtmlPage = (html: string): GivenPage => ({
  bytes: new TextEncoder().encode(html),
  contentType: 'text/html; charset=utf-8',
});

const toPdfPage = (pdf: string): GivenPage => ({
  bytes: new Uint8Array(Buffer.from(pdf, 'base64')),
  contentType: 'application/pdf',
});

/** Returns the base URL for the links of a given page; without a web address, relative links do not resolve. */
function resolveBase(url: string | undefined): string {
  return (url === undefined ? null : parsePageAddress(url)?.url) ?? 'about:blank';
}

type PageToRead = Omit<ReadRequest, 'signal' | 'opening'>;

type HeaderBuilder = (answer: ReadAnswer) => Record<string, string>;

function createReadTask(
  { read }: ReaderDeps,
  page: PageToRead,
  options: ReaderOptions,
  buildHeaders: HeaderBuilder = () => ({}),
): Task {
  const { format, opening } = options;
  const request = { ...page, opening, ...(format === 'text' ? { plain: true as const } : {}) };
  return {
    most: PRICES.read,
    async work(signal) {
      const page = await read({ ...request, signal });
      const answer = buildAnswer(page, options);
      return { ...answer, headers: { ...answer.headers, ...buildHeaders(page) } };
    },
  };
}

function buildAnswer(page: ReadAnswer, options: ReaderOptions): WorkResult {
  const cost = options.json ? { cost: buildCostDollars } : {};
  const used = page.incomplete.length === 0 ? PRICES.read : 0;
  return { used, ...cost, ...toReaderAnswer(page, options) };
}

function parseTarget(target: string): NonNullable<ReturnType<typeof parsePageAddress>> {
  const page = parsePageAddress(extractReaderAddress(target) ?? '');
  if (page === null)
    throw new Failure(
      'url_not_allowed',
      'Write an http(s) address after /r/, such as /r/https://example.org/.',
    );
  if (page.url.length > URL_CHARS_MAX) throw new Failure('url_not_allowed', 'The address is too long.');
  if (page.question !== null && [...page.question].length > QUERY_CHARS_MAX)
    throw createValidationFailure([
      { field: 'q', message: `must have at most ${QUERY_CHARS_MAX.toLocaleString('en')} characters` },
    ]);
  return page;
}

/** Converts a page to an answer: text, or the JSON of the shape. Throws `Failure('validation_error')` above the token budget. */
function toReaderAnswer(page: ReadAnswer, options: ReaderOptions): Answer {
  const { screenshot } = page.extras ?? {};
  if (screenshot !== undefined && !options.json) return toPicture(page, screenshot, options);
  const table = options.table === null ? null : takeTable(page, options.table);
  const content = table === null ? buildContent(page, options) : writeTable(table, options.table);
  const isWhole = content === page.markdown;
  const tokens = isPicture(options) ? 0 : isWhole ? page.outputTokens : estimateTokens(content);
  if (options.tokenBudget !== null && tokens > options.tokenBudget)
    throw createValidationFailure([
      {
        field: 'X-Token-Budget',
        message: `the page has ${tokens} tokens; send a larger budget, or X-Max-Tokens to cut the page`,
      },
    ]);
  return {
    body: options.json
      ? toJson(page, { content, tokens, options, table })
      : content + formatSummaries(page, options),
    cache: page.cache,
    incomplete: page.incomplete,
    headers: {
      ...(options.json ? {} : { 'content-type': CONTENT_TYPES[options.table?.csv ? 'csv' : options.format] }),
      // Prevents shared caches from storing the page.
      'Cache-Control': 'private, no-store',
      'X-Token-Savings': String(isWhole ? page.savingsPercent : computeSavings(page.rawTokens, tokens)),
      'X-Raw-Tokens': String(page.rawTokens),
      'X-Reader-Route': resolveReadRoute(page.article),
      'X-Output-Tokens': String(tokens),
      ...(content === page.article.markdown ? buildCompletenessHeader(page.article) : {}),
      ...buildIgnoredHeader(options.ignored),
    },
  };
}

/** Takes the rows that were asked for from a table of the whole page. Throws `Failure('validation_error')` if it has fewer tables. */
function takeTable(
  { article, extras }: ReadAnswer,
  { number, rows }: NonNullable<ReaderOptions['table']>,
): MarkdownTable {
  const tables = listTables(extras?.markdown ?? article.markdown);
  const table = tables[number - 1];
  if (table !== undefined) return selectRows(table, rows);
  const has = tables.length === 1 ? 'one table' : `${tables.length || 'no'} tables`;
  throw createValidationFailure([{ field: 'X-Table', message: `the page has ${has}` }]);
}

const writeTable = (table: MarkdownTable, choice: ReaderOptions['table']): string =>
  choice?.csv ? formatCsv(table) : formatTable(table);

/** Names the kinds of structure that the page shows, as `tables=12/12, rows=340/340`. */
function buildCompletenessHeader({ completeness }: Article): Record<string, string> {
  if (completeness === undefined) return {};
  const shown = STRUCTURES.filter((kind) => completeness[kind][1] > 0);
  return { 'X-Completeness': shown.map((kind) => `${kind}=${completeness[kind].join('/')}`).join(', ') };
}

function toPicture(page: ReadAnswer, screenshot: string, { ignored }: ReaderOptions): Answer {
  return {
    body: Buffer.from(screenshot, 'base64'),
    cache: page.cache,
    incomplete: page.incomplete,
    headers: {
      'content-type': 'image/png',
      'Cache-Control': 'private, no-store',
      'X-Reader-Route': resolveReadRoute(page.article),
      ...buildIgnoredHeader(ignored),
    },
  };
}

function buildContent(page: ReadAnswer, { format, tokensMax, style }: ReaderOptions): string {
  if (format === 'html') return page.extras?.html ?? '';
  const { screenshot } = page.extras ?? {};
  if (screenshot !== undefined) return buildPictureUrl(screenshot);
  const markdown =
    format === 'text' || Object.keys(style).length === 0
      ? page.markdown
      : restyleMarkdown(page.markdown, style);
  return tokensMax === null ? markdown : cutMarkdown(markdown, tokensMax * CHARS_PER_TOKEN);
}

function toJson(
  { article, extras }: ReadAnswer,
  {
    content,
    tokens,
    options,
    table,
  }: { content: string; tokens: number; options: ReaderOptions; table: MarkdownTable | null },
): JsonObject {
  const { title, url, description, published, language, author } = article;
  return {
    code: 200,
    status: 20_000,
    data: {
      title,
      url,
      description: description ?? '',
      ...omitNulls({ publishedTime: published?.day }),
      [MEMBERS[options.format]]: content,
      ...(table === null ? {} : { table: toRecords(table) }),
      metadata: omitNulls({ lang: language, author }),
      ...(options.links === null ? {} : { links: buildLinks(extras?.links ?? [], options.links) }),
      ...(options.images ? { images: Object.fromEntries(labelImages(extras?.images ?? [])) } : {}),
      usage: { tokens },
    },
    meta: { usage: { tokens } },
  };
}

/** Builds pairs of text and address, or an object with the first address of each text. */
function buildLinks(links: readonly PageLink[], wanted: 'some' | 'each'): JsonObject | [string, string][] {
  const pairs = links.map(({ url, text }): [string, string] => [text, url]);
  return wanted === 'each' ? pairs : Object.fromEntries(pairs.toReversed());
}

/** Formats the lists of links and images at the end of a text. */
function formatSummaries({ extras }: ReadAnswer, { format, links, images }: ReaderOptions): string {
  if (format === 'html') return '';
  const linkLines = (links === null ? [] : (extras?.links ?? [])).map(
    ({ url, text }) => `- [${text}](${url})`,
  );
  const imageLines = (images ? labelImages(extras?.images ?? []) : []).map(
    ([name, url]) => `- ![${name}](${url})`,
  );
  return formatSection('Links/Buttons', [...new Set(linkLines)]) + formatSection('Images', imageLines);
}

/** Description of POST /r. */
export const READ_GIVEN: Operation = {
  id: 'readGiven',
  tag: 'drop-in',
  summary: 'Read a page, also one that you send',
  about:
    'As `GET /r/{url}`, for addresses with a fragment or many parameters, and for a page that you have: `html` or `pdf` is read without fetching or keeping anything. The body is JSON or a form; fields such as `targetSelector` count as the headers.',
  price: '1 credit.',
  parameters: READER_HEADERS,
  body: ReaderBody,
  answer: 'text/markdown',
  headers: READER_ANSWER_HEADERS,
  json: ReaderAnswerBody,
  otherTypes: ['text/plain', 'text/csv', 'image/png'],
  errors: ['url_not_allowed', 'validation_error', 'fetch_failed'],
};
