import type { Article } from '../article.ts';
import { readJsonFeed } from './feeds/json-feed.ts';
import { readNotebook } from './notebook.ts';
import { buildPlainArticle } from './plain-article.ts';
import { fenceCode } from './text.ts';

/** Maximum length of indented JSON: a small document may grow many times by indentation; beyond this it stays unchanged. */
const INDENTED_CHARS_MAX = 2_000_000;

/** Reads a JSON body: indented, in a fence; a JSON Feed as its list, a notebook as its cells. Invalid JSON is shown unchanged. */
export function readJson(text: string, url: string): Article {
  const value = parseLossless(text);
  const known = readJsonFeed(value, url, text.length) ?? readNotebook(value, url, text.length);
  if (known !== null) return known;
  const indented =
    value === undefined || text.length > INDENTED_CHARS_MAX ? null : JSON.stringify(value, null, 2);
  const body = indented === null || indented.length > INDENTED_CHARS_MAX ? text.trim() : indented;
  return buildPlainArticle(url, {
    kind: 'json',
    title: '',
    markdown: body === '' ? '' : fenceCode(body, 'json'),
    rawChars: text.length,
  });
}

/** Parses JSON, or returns undefined where JavaScript would round a number: numbers keep their digits, so such text stays unchanged. */
function parseLossless(text: string): unknown {
  if (/\d{16}/.test(text)) return parseUnlessRounded(text);
  return parseJsonOrUndefined(text);
}

function parseUnlessRounded(text: string): unknown {
  const value = parseJsonOrUndefined(text);
  return value === undefined || /[:[,\s]-?\d{16,}\s*[,\]}]|\d\.\d{16,}/.test(text) ? undefined : value;
}

function parseJsonOrUndefined(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    // Deep nesting throws a RangeError.
    if (error instanceof SyntaxError || error instanceof RangeError) return undefined;
    throw error;
  }
}
