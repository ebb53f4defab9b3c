import { CHARS_PER_TOKEN } from '../../contract/limits.ts';
import { readRouteOf } from '../../pages/article.ts';
import type { PageImage, PageLink } from '../../pages/extract/extras/extras-types.ts';
import type { ReadAnswer } from '../../search/read.ts';
import { cutMarkdown } from '../../text/prune/cut-markdown.ts';
import { restyleMarkdown } from '../../text/restyle/restyle-markdown.ts';
import type { Answer, JsonObject } from '../calls/call.ts';
import { ignoredHeader } from '../calls/ignored-fields.ts';
import { pictureUrl, present } from '../calls/present.ts';
import { validationFailure } from '../calls/wire.ts';
import type { ReaderOptions } from './reader-options.ts';

/** Converts a page to an answer: text, or the JSON of the shape. Throws `Failure('validation_error')` above the token budget. */
export function toReaderAnswer(page: ReadAnswer, options: ReaderOptions): Answer {
  const { screenshot } = page.extras ?? {};
  if (screenshot !== undefined && !options.json) return toPicture(page, screenshot, options);
  const content = contentOf(page, options);
  const isWhole = content === page.markdown;
  const tokens = isPicture(options) ? 0 : isWhole ? page.outputTokens : tokensOf(content);
  if (options.tokenBudget !== null && tokens > options.tokenBudget)
    throw validationFailure([
      {
        field: 'X-Token-Budget',
        message: `the page has ${tokens} tokens; send a larger budget, or X-Max-Tokens to cut the page`,
      },
    ]);
  return {
    body: options.json ? toJson(page, { content, tokens, options }) : content + summaries(page, options),
    cache: page.cache,
    incomplete: page.incomplete,
    headers: {
      ...(options.json ? {} : { 'content-type': CONTENT_TYPES[options.format] }),
      // Prevents shared caches from storing the page.
      'Cache-Control': 'private, no-store',
      'X-Token-Savings': String(isWhole ? page.savingsPercent : savings(page.rawTokens, tokens)),
      'X-Raw-Tokens': String(page.rawTokens),
      'X-Reader-Route': readRouteOf(page.article),
      'X-Output-Tokens': String(tokens),
      ...ignoredHeader(options.ignored),
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
      ...ignoredHeader(ignored),
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

function contentOf(page: ReadAnswer, { format, tokensMax, style }: ReaderOptions): string {
  if (format === 'html') return page.extras?.html ?? '';
  const { screenshot } = page.extras ?? {};
  if (screenshot !== undefined) return pictureUrl(screenshot);
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
      ...present({ publishedTime: published?.day }),
      [MEMBERS[options.format]]: content,
      metadata: present({ lang: language, author }),
      ...(options.links === null ? {} : { links: linksOf(extras?.links ?? [], options.links) }),
      ...(options.images ? { images: Object.fromEntries(numbered(extras?.images ?? [])) } : {}),
      usage: { tokens },
    },
    meta: { usage: { tokens } },
  };
}

/** Builds pairs of text and address, or an object with the first address of each text. */
function linksOf(links: readonly PageLink[], wanted: 'some' | 'each'): JsonObject | [string, string][] {
  const pairs = links.map(({ url, text }): [string, string] => [text, url]);
  return wanted === 'each' ? pairs : Object.fromEntries(pairs.toReversed());
}

const numbered = (images: readonly PageImage[]): [string, string][] =>
  images.map(({ url, alt }, place) => [`Image ${place + 1}${alt === '' ? '' : `: ${alt}`}`, url]);

/** Formats the lists of links and images at the end of a text. */
function summaries({ extras }: ReadAnswer, { format, links, images }: ReaderOptions): string {
  if (format === 'html') return '';
  const linkLines = (links === null ? [] : (extras?.links ?? [])).map(
    ({ url, text }) => `- [${text}](${url})`,
  );
  const imageLines = (images ? numbered(extras?.images ?? []) : []).map(
    ([name, url]) => `- ![${name}](${url})`,
  );
  return section('Links/Buttons', [...new Set(linkLines)]) + section('Images', imageLines);
}

const section = (title: string, lines: readonly string[]): string =>
  lines.length === 0 ? '' : `\n\n${title}:\n${lines.join('\n')}`;

const tokensOf = (text: string): number => Math.ceil(text.length / CHARS_PER_TOKEN);

const savings = (raw: number, output: number): number =>
  raw === 0 ? 0 : Math.max(0, Math.round(100 * (1 - output / raw)));
