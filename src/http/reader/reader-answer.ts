import { CHARS_PER_TOKEN } from '../../contract/limits.ts';
import { readRouteOf } from '../../pages/article.ts';
import type { PageImage, PageLink } from '../../pages/extract/extras/extras-types.ts';
import type { ReadAnswer } from '../../search/read.ts';
import { cutMarkdown } from '../../text/prune/cut-markdown.ts';
import { restyleMarkdown } from '../../text/restyle/restyle-markdown.ts';
import type { Answer, JsonObject } from '../calls/call.ts';
import { buildIgnoredHeader } from '../calls/ignored-fields.ts';
import { buildPictureUrl, omitNulls } from '../calls/present.ts';
import { createValidationFailure } from '../calls/wire.ts';
import type { ReaderOptions } from './reader-options.ts';

/** Converts a page to an answer: text, or the JSON of the shape. Throws `Failure('validation_error')` above the token budget. */
export function toReaderAnswer(page: ReadAnswer, options: ReaderOptions): Answer {
  const { screenshot } = page.extras ?? {};
  if (screenshot !== undefined && !options.json) return toPicture(page, screenshot, options);
  const content = buildContent(page, options);
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
      ? toJson(page, { content, tokens, options })
      : content + formatSummaries(page, options),
    cache: page.cache,
    incomplete: page.incomplete,
    headers: {
      ...(options.json ? {} : { 'content-type': CONTENT_TYPES[options.format] }),
      // Prevents shared caches from storing the page.
      'Cache-Control': 'private, no-store',
      'X-Token-Savings': String(isWhole ? page.savingsPercent : computeSavings(page.rawTokens, tokens)),
      'X-Raw-Tokens': String(page.rawTokens),
      'X-Reader-Route': readRouteOf(page.article),
      'X-Output-Tokens': String(tokens),
      ...buildIgnoredHeader(options.ignored),
    },
  };
}

const isPicture = ({ format }: ReaderOptions): boolean => format === 'screenshot' || format === 'pageshot';

function toPicture(page: ReadAnswer, screenshot: string, { ignored }: ReaderOptions): Answer {
  return {
    body: Buffer.from(screenshot, 'base64'),
    cache: page.cache,
    incomplete: page.incomplete,
    headers: {
      'content-type': 'image/png',
      'Cache-Control': 'private, no-store',
      'X-Reader-Route': readRouteOf(page.article),
      ...buildIgnoredHeader(ignored),
    },
  };
}

/** HTML is sent as plain text: a page of another site must not run as one of ours. */
const CONTENT_TYPES = {
  markdown: 'text/markdown; charset=utf-8',
  html: 'text/plain; charset=utf-8',
  text: 'text/plain; charset=utf-8',
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
  { content, tokens, options }: { content: string; tokens: number; options: ReaderOptions },
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

const labelImages = (images: readonly PageImage[]): [string, string][] =>
  images.map(({ url, alt }, place) => [`Image ${place + 1}${alt === '' ? '' : `: ${alt}`}`, url]);

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

const formatSection = (title: string, lines: readonly string[]): string =>
  lines.length === 0 ? '' : `\n\n${title}:\n${lines.join('\n')}`;

const estimateTokens = (text: string): number => Math.ceil(text.length / CHARS_PER_TOKEN);

const computeSavings = (raw: number, output: number): number =>
  raw === 0 ? 0 : Math.max(0, Math.round(100 * (1 - output / raw)));
