import type { Article } from '../article.ts';
import { readJsonFeed } from './feeds/json-feed.ts';
import { readNotebook } from './notebook.ts';
import { plainArticle } from './plain-article.ts';
import { fenced } from './text.ts';

/** A small document indented over a few levels may grow many times; beyond this it stays unchanged. */
const INDENTED_CHARS_MAX = 2_000_000;

/** A JSON body, indented, in a fence; a JSON Feed as its list, a notebook as its cells. Invalid JSON is shown unchanged. */
export function readJson(text: string, url: string): Article {
  const value = parsed(text);
  const known = readJsonFeed(value, url, text.length) ?? readNotebook(value, url, text.length);
  if (known !== null) return known;
  const indented =
    value === undefined || text.length > INDENTED_CHARS_MAX ? null : JSON.stringify(value, null, 2);
  const body = indented === null || indented.length > INDENTED_CHARS_MAX ? text.trim() : indented;
  return plainArticle(url, {
    kind: 'json',
    title: '',
    markdown: body === '' ? '' : fenced(body, 'json'),
    rawChars: text.length,
  });
}

/** Numbers keep their digits: text with a number that JavaScript would round stays unchanged. */
function parsed(text: string): unknown {
  if (/\d{16}/.test(text)) return parsedExactly(text);
  return parsedOrUndefined(text);
}

function parsedExactly(text: string): unknown {
  const value = parsedOrUndefined(text);
  return value === undefined || /[:[,\s]-?\d{16,}\s*[,\]}]|\d\.\d{16,}/.test(text) ? undefined : value;
}

function parsedOrUndefined(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    // Deep nesting ends in a RangeError.
    if (error instanceof SyntaxError || error instanceof RangeError) return undefined;
    throw error;
  }
}
