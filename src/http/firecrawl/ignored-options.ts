import type { JsonObject } from '../calls/call.ts';
import { toCamelCase } from '../calls/wire.ts';
import { dropBrowserFormats } from './formats.ts';
import { isObject } from './json-format.ts';
import { type Rendering, type ScrapeOptions, scrapeOptions } from './scrape-fields.ts';

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

/** Finds the options without effect, in the caller's spelling. */
export function findIgnoredOptions(
  raw: JsonObject,
  options: ScrapeOptions,
  { others = [], rendersPages }: Rendering & { others?: readonly string[] },
): string[] {
  const formats = rendersPages ? options.formats : dropBrowserFormats(options.formats);
  const isKnown = (name: string): boolean => KNOWN.has(name) && (rendersPages || name !== 'waitFor');
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
  ];
}

const IGNORED_MAX = 20;
