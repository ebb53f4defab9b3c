import type { IncomingHttpHeaders } from 'node:http';
import { PAGE_TIMEOUT_MS } from '../../contract/limits.ts';
import type { ExtrasRequest, Selection } from '../../pages/extract/extras/map-fields.ts';
import { type Selector, validateSelector } from '../../pages/extract/selector.ts';
import type { OpeningOptions } from '../../pages/open-page-types.ts';
import type { MarkdownStyle } from '../../text/restyle/restyle-markdown.ts';
import type { JsonObject } from '../calls/call.ts';
import { createValidationFailure } from '../calls/json-body.ts';

/** Markdown style by header and value; unknown values have no effect. */
const STYLES: Record<string, Record<string, MarkdownStyle>> = {
  'X-Md-Heading-Style': { atx: {}, setext: { heading: 'setext' } },
  'X-Md-Hr': Object.fromEntries(
    ['***', '---', '___', '* * *', '- - -', '_ _ _'].map((rule) => [rule, { rule }]),
  ),
  'X-Md-Bullet-List-Marker': { '-': {}, '*': { bullet: '*' }, '+': { bullet: '+' } },
  'X-Md-Em-Delimiter': { '*': {}, _: { em: '_' } },
  'X-Md-Strong-Delimiter': { '**': {}, __: { strong: '__' } },
  'X-Md-Link-Style': { inlined: {}, referenced: { links: 'referenced' }, discarded: { links: 'discarded' } },
  'X-Md-Link-Reference-Style': { full: {}, discarded: { links: 'discarded' } },
  'X-Retain-Links': { all: {}, text: { links: 'discarded' } },
  'X-Retain-Images': { all: {}, none: { images: 'none' }, alt: { images: 'alt' } },
};
/** Header names in lower case. */
const STYLE_HEADERS: ReadonlySet<string> = new Set(Object.keys(STYLES).map((name) => name.toLowerCase()));

/** Options of a read, from the headers that a reader's clients send. */
export type ReaderOptions = {
  json: boolean;
  /** `screenshot` is an image of the viewport, `pageshot` of the whole page. */
  format: 'markdown' | 'html' | 'text' | 'screenshot' | 'pageshot';
  opening: OpeningOptions;
  /** `each`: every link, instead of one per text. */
  links: 'some' | 'each' | null;
  images: boolean;
  /** A page with more tokens is an error. */
  tokenBudget: number | null;
  /** A longer page is cut to this many tokens. */
  tokensMax: number | null;
  /** One table alone, by its number from 1, or some of its rows; see `selectRows`. */
  table: { number: number; rows: string | null; csv: boolean } | null;
  style: MarkdownStyle;
  /** Headers that had no effect. */
  ignored: string[];
};

/** Headers of the shape that have no effect here. */
const WITHOUT_EFFECT = [
  ...['X-Base', 'X-Keep-Img-Data-Url', 'X-Markdown-Chunking', 'X-No-Gfm', 'X-Proxy', 'X-Proxy-Url'],
  ...['X-Referer', 'X-Respond-Timing', 'X-Robots-Txt', 'X-Set-Cookie'],
  ...['X-User-Agent', 'X-With-Generated-Alt', 'X-With-Iframe', 'X-With-Shadow-Dom'],
];
/** Prefix of style headers; unknown ones have no effect. */
const MARKDOWN_STYLE = /^x-md-/;
const OFF = /^(?:0|false|no|off|none|default|auto)?$/i;
const FORMATS = /^(?:markdown|html|text)$/;
const PICTURES = /^(?:screenshot|pageshot)$/;
/** Names for a fetch without a browser in this shape and others. */
const PLAIN_ENGINES = /^(?:direct|curl|plain|fetch)$/i;
const SECOND_MS = 1_000;

/**
 * Reads the options from headers, and from body fields named after the headers (`targetSelector`). On a service without a browser, options
 * that need one have no effect, except the request for the browser itself. Throws `Failure('validation_error')`.
 */
export function readReaderOptions(
  headers: IncomingHttpHeaders,
  { body = {}, rendersPages }: { body?: JsonObject; rendersPages: boolean },
): ReaderOptions {
  const given = new HeaderReader({ ...headers, ...toHeaders(body) });
  const { format, unknown } = chooseFormat(given, rendersPages);
  const engine = chooseEngine(given, { format, rendersPages });
  const options = {
    json: wantsJson(headers.accept),
    format,
    links: given.isOn('X-With-Links-Summary')
      ? given.text('X-With-Links-Summary') === 'all'
        ? ('each' as const)
        : ('some' as const)
      : null,
    images: given.isOn('X-With-Images-Summary'),
  };
  const { style, unread } = readMarkdownStyle((name) => given.text(name));
  return {
    ...options,
    opening: { ...buildOpening(given, buildExtras(options, buildSelection(given))), ...engine.opening },
    tokenBudget: given.number('X-Token-Budget'),
    tokensMax: given.number('X-Max-Tokens') ?? given.number('X-Max-Output-Tokens'),
    table: readTableChoice(given),
    style,
    ignored: [...unknown, ...engine.ignored, ...unread, ...new HeaderReader(headers).without()],
  };
}

/** Returns true if the client accepts JSON and no text, as programs do that want only JSON. */
export function wantsJson(accept: string | undefined): boolean {
  return (
    /\b(?:application|text)\/json\b/i.test(accept ?? '') &&
    !/\btext\/(?:plain|markdown)\b|\*\/\*/i.test(accept ?? '')
  );
}

/** `{targetSelector: [".a", ".b"]}` -> `{"x-target-selector": ".a, .b"}` */
function toHeaders(body: JsonObject): IncomingHttpHeaders {
  const named = Object.entries(body).flatMap(([name, value]) => {
    const isList = Array.isArray(value) && value.every((item) => typeof item === 'string');
    const text = isList ? value.join(', ') : value;
    if (!['string', 'number', 'boolean'].includes(typeof text)) return [];
    const header = name.replaceAll('_', '-').replace(/(?<=[a-z])[A-Z]/g, (letter) => `-${letter}`);
    return [[`x-${header.toLowerCase()}`, String(text)]];
  });
  return Object.fromEntries(named);
}

class HeaderReader {
  readonly #headers: IncomingHttpHeaders;

  constructor(headers: IncomingHttpHeaders) {
    this.#headers = headers;
  }

  /** The header's text; empty if it was not sent. */
  text(name: string): string {
    return String(this.#headers[name.toLowerCase()] ?? '').trim();
  }

  isOn(name: string): boolean {
    return !OFF.test(this.text(name));
  }

  /** A number above 0, or null if the header was not sent. */
  number(name: string, { min = 1 } = {}): number | null {
    const text = this.text(name);
    if (text === '') return null;
    const value = Number(text);
    if (/^\d{1,12}(?:\.\d{1,6})?$/.test(text) && value >= min) return value;
    throw createValidationFailure([{ field: name, message: `must be a number from ${min} on` }]);
  }

  selector(name: string): Selector[] {
    const text = this.text(name);
    if (text === '') return [];
    const selector = validateSelector(text);
    if (typeof selector === 'string') return [selector];
    throw createValidationFailure([{ field: name, message: selector.problem }]);
  }

  /** Returns the sent headers that have no effect. */
  without(): string[] {
    const styles = Object.keys(this.#headers).filter(
      (name) => MARKDOWN_STYLE.test(name) && !STYLE_HEADERS.has(name),
    );
    return [...WITHOUT_EFFECT, ...styles].filter((name) => this.isOn(name));
  }
}

/** Waiting for a selector and screenshots require a browser. */
function chooseEngine(
  given: HeaderReader,
  { format, rendersPages }: Pick<ReaderOptions, 'format'> & { rendersPages: boolean },
): { opening: Pick<OpeningOptions, 'engine' | 'waiting'>; ignored: string[] } {
  const [engine, selector] = [given.text('X-Engine'), given.text('X-Wait-For-Selector')];
  const isWaiting = given.isOn('X-Wait-For-Selector');
  const isKnown = !given.isOn('X-Engine') || /browser/i.test(engine) || PLAIN_ENGINES.test(engine);
  const ignored = [
    ...(isKnown ? [] : ['X-Engine']),
    ...(isWaiting && !rendersPages ? ['X-Wait-For-Selector'] : []),
  ];
  if (PLAIN_ENGINES.test(engine)) return { opening: { engine: 'plain' }, ignored };
  const waits = isWaiting && rendersPages;
  if (!waits && !/browser/i.test(engine) && !PICTURES.test(format)) return { opening: {}, ignored };
  return { opening: { engine: 'browser', ...(waits ? { waiting: { selector } } : {}) }, ignored };
}

/** An unknown format counts as Markdown. `X-Respond-With` is the newer name. */
function chooseFormat(
  given: HeaderReader,
  rendersPages: boolean,
): { format: ReaderOptions['format']; unknown: string[] } {
  const named = ['X-Respond-With', 'X-Return-Format'].find((name) => given.text(name) !== '');
  if (named === undefined) return { format: 'markdown', unknown: [] };
  const asked = given.text(named).toLowerCase();
  // The casts are safe: the expressions list the formats.
  if (FORMATS.test(asked) || (rendersPages && PICTURES.test(asked)))
    return { format: asked as ReaderOptions['format'], unknown: [] };
  return { format: 'markdown', unknown: asked === 'content' ? [] : [named] };
}

function readTableChoice(given: HeaderReader): ReaderOptions['table'] {
  const number = given.number('X-Table');
  if (number === null) return null;
  const rows = given.text('X-Table-Row');
  return { number, rows: rows === '' ? null : rows, csv: /^csv$/i.test(given.text('X-Table-Format')) };
}

function buildSelection(given: HeaderReader): Selection | null {
  const include = given.selector('X-Target-Selector');
  const exclude = given.selector('X-Remove-Selector');
  const comments = given.isOn('X-With-Comments');
  if (include.length + exclude.length === 0 && !comments) return null;
  return { include, exclude, whole: false, ...(comments ? { comments } : {}) };
}

/** Requests only the needed extras: a page with extras is fetched again. */
function buildExtras(
  { format, links, images }: Pick<ReaderOptions, 'format' | 'links' | 'images'>,
  selection: Selection | null,
): ExtrasRequest | null {
  const isPicture = PICTURES.test(format);
  if (selection === null && format !== 'html' && links === null && !images && !isPicture) return null;
  return {
    selection,
    ...(format === 'html' ? { html: true } : {}),
    ...(links === null ? {} : { links: 'page' }),
    ...(images ? { images: 'page' } : {}),
    ...(isPicture ? { screenshot: format === 'pageshot' ? 'page' : 'viewport' } : {}),
  };
}

/** The locale is sent to the page's server as a header of the caller, so the page is not kept for others. */
function buildOpening(given: HeaderReader, extras: ExtrasRequest | null): OpeningOptions {
  const tolerance = given.isOn('X-No-Cache') ? 0 : given.number('X-Cache-Tolerance', { min: 0 });
  const seconds = given.number('X-Timeout');
  const locale = given.text('X-Locale');
  return {
    ...(tolerance === null ? {} : { freshMs: tolerance * SECOND_MS }),
    ...(tolerance === 0 ? { copies: 'never' } : {}),
    ...(seconds === null ? {} : { timeoutMs: Math.min(PAGE_TIMEOUT_MS, seconds * SECOND_MS) }),
    ...(locale === '' ? {} : { headers: { 'accept-language': parseLocale(locale) } }),
    ...(extras === null ? {} : { extras }),
  };
}

function parseLocale(text: string): string {
  if (/^[a-z]{2,8}(?:[-_][a-z0-9]{1,8}){0,3}$/i.test(text)) return text.replaceAll('_', '-');
  throw createValidationFailure([{ field: 'X-Locale', message: 'must be a language tag such as de-AT' }]);
}

/** Reads the style that headers ask for; also returns the headers with unknown values. */
function readMarkdownStyle(text: (name: string) => string): {
  style: MarkdownStyle;
  unread: string[];
} {
  const style: MarkdownStyle = {};
  const unread: string[] = [];
  for (const [name, values] of Object.entries(STYLES)) {
    const value = text(name);
    const meant = Object.hasOwn(values, value) ? values[value] : undefined;
    if (meant !== undefined) Object.assign(style, meant);
    else if (value !== '') unread.push(name);
  }
  return { style, unread };
}
