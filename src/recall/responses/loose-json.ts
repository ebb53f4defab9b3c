import { decodeHTMLStrict } from 'entities/decode';
import type { SourceQuery } from '../source.ts';

/** Maximum characters read of one field; the rest is never shown. */
const FIELD_CHARS_MAX = 20_000;
const TAG = /<!--[^<>]{0,1000}-->|<\/?[a-z][^<>]{0,1000}>/gi;
const BLOCK_TAG = /<(?:\/?(?:p|div|li|br|title|sec|jats:(?:p|title|sec)))\b[^<>]{0,1000}>/gi;
// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is removed
const UNSEEN = /[\u0000-\u0008\u000e-\u001f\u007f-\u009f\u200b\u200e\u200f\u202a-\u202e\u2060-\u2064\ufeff]/g;

/** Reads the value under the keys, or undefined: foreign JSON may have any type at any depth. */
export function readAt(value: unknown, ...keys: (string | number)[]): unknown {
  let here = value;
  for (const key of keys) {
    if (typeof here !== 'object' || here === null || !Object.hasOwn(here, key)) return undefined;
    here = (here as Record<string | number, unknown>)[key];
  }
  return here;
}

/** Like `readAt`, for text; '' if there is none. */
export function readTextAt(value: unknown, ...keys: (string | number)[]): string {
  const found = readAt(value, ...keys);
  return typeof found === 'string' ? found : '';
}

/** Like `readAt`, for a finite number; null if there is none. */
export function readNumberAt(value: unknown, ...keys: (string | number)[]): number | null {
  const found = readAt(value, ...keys);
  return typeof found === 'number' && Number.isFinite(found) ? found : null;
}

/** Like `readAt`, for a list; null if there is none. */
export function readListAt(value: unknown, ...keys: (string | number)[]): unknown[] | null {
  const found = readAt(value, ...keys);
  return Array.isArray(found) ? found : null;
}

/** Builds a request's URL from a base URL, a path under it and parameters; null parameters are left out. */
export function buildSourceAddress(
  baseUrl: string,
  path: string,
  parameters: Record<string, string | number | null>,
): string {
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries(parameters)) {
    if (value !== null) search.set(name, String(value));
  }
  return `${baseUrl.replace(/(?<!\/)\/+$/, '')}${path}?${search}`;
}

/** Builds the headers that every source receives. */
export function buildSourceHeaders(userAgent: string, accept = 'application/json'): Record<string, string> {
  return { 'user-agent': userAgent, accept };
}

type Page = Pick<SourceQuery, 'page'>;

/** Computes how many results to skip, for sources that count results from 0; null for the first page, which needs no parameter. */
export function computeOffset({ page = 0 }: Page, size: number): number | null {
  return page === 0 ? null : page * size;
}

/** Computes the page number for sources that count pages from 1; null for the first page. */
export function computePageNumber({ page = 0 }: Page): number | null {
  return page === 0 ? null : page + 1;
}

/** Computes the page number for sources that count pages from 0; null for the first page. */
export function computePageIndex({ page = 0 }: Page): number | null {
  return page === 0 ? null : page;
}

/** HTML -> plain text: without tags, entities decoded, white space collapsed, at most `charsMax` characters. */
export function stripHtml(html: string, charsMax: number): string {
  const bare = html.slice(0, FIELD_CHARS_MAX).replace(BLOCK_TAG, ' ').replace(TAG, '');
  return cleanText(decodeHTMLStrict(bare), charsMax);
}

/** Raw text -> one line of visible characters, at most `charsMax`, cut between words if possible. */
export function cleanText(text: string, charsMax: number): string {
  const line = text.slice(0, FIELD_CHARS_MAX).toWellFormed().replace(UNSEEN, '').replace(/\s+/g, ' ').trim();
  if (line.length <= charsMax) return line;
  const room = line.slice(0, charsMax - 1).replace(/[\ud800-\udbff]$/, '');
  const space = room.lastIndexOf(' ');
  return `${(space > charsMax / 2 ? room.slice(0, space) : room).trimEnd()}…`;
}
