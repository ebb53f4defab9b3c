import { parseInstant } from '../calls/instant.ts';
import { addScheme } from '../calls/json-body.ts';

/** The one router path that serves every reader address. */
export const READER_PATH = '/r';

/** Fast path: paths that are already normal, as nearly all are: no page address or query, no repeated slash, no escape. */
const PLAIN_PATH = /^(?:\/[a-z\d]{2,64}){1,8}$/i;

/**
 * Normalises the raw request target for the router: collapses repeated slashes, drops one trailing slash, and turns every `/r/<address>`
 * into `/r`, because an address is not a path and the router must not decode it.
 */
export function normaliseTarget(target: string): string {
  if (PLAIN_PATH.test(target)) return target;
  const local = stripHost(target);
  if (extractReaderAddress(local) !== null) return READER_PATH;
  if (extractSearchText(local) !== null) return SEARCH_PATH + extractQuery(local);
  const mark = local.indexOf('?');
  const path = mark === -1 ? local : local.slice(0, mark);
  const single = path.replace(/\/{2,}/g, '/');
  const routed = single.length > 1 && single.endsWith('/') ? single.slice(0, -1) : single;
  return ensureDecodable(unescapePath(routed)) + (mark === -1 ? '' : local.slice(mark));
}

/** Decodes escaped unreserved characters: the router reads `/%6dcp` as `/mcp` (RFC 3986, 6.2.2.2), so every check of the path must too. */
function unescapePath(path: string): string {
  return path.replace(/%(?:[46][1-9a-f]|[57][0-9a]|3\d)/gi, (written) => decodeURIComponent(written));
}

/**
 * Rewrites a normalised target: GET /search (or the root, with `q`) that names a format of SearXNG goes to the search of that shape. POST
 * /search is the first shape's.
 */
export function rewriteMetasearchTarget(method: string, target: string): string {
  if (method !== 'GET' && method !== 'HEAD') return target;
  const [path = '', ...rest] = target.split('?');
  if (path !== '/search' && path !== '/') return target;
  const query = new URLSearchParams(rest.join('?'));
  const isMetasearch = METASEARCH_FORMAT.test(query.get('format') ?? '');
  return isMetasearch && (path === '/search' || query.has('q'))
    ? `/searxng/search?${rest.join('?')}`
    : target;
}

const METASEARCH_FORMAT = /^(?:json|csv|rss)$/i;

/** Re-escapes a path with an invalid percent escape, so that it gets the same response as any unknown route. */
function ensureDecodable(path: string): string {
  try {
    decodeURIComponent(path);
    return path;
  } catch (error) {
    if (error instanceof URIError) return path.replaceAll('%', '%25');
    throw error;
  }
}

/** The one router path that serves every search with its query in the path. */
export const SEARCH_PATH = '/s';

/** Returns the raw text after `/s/` in a request target; empty if there is none, null if the target is another route's. */
export function extractSearchText(target: string): string | null {
  return /^\/+s(?:\/+([^?]*))?(?:\?|$)/s.exec(stripHost(target))?.[1] ?? (isBareSearch(target) ? '' : null);
}

const isBareSearch = (target: string): boolean => /^\/+s(?:\?|$)/.test(stripHost(target));

const extractQuery = (target: string): string => /\?.*$/s.exec(target)?.[0] ?? '';

/** Returns the raw address after `/r/` in a request target; null if the target is not the reader's. */
export function extractReaderAddress(target: string): string | null {
  return /^\/+r(?:\/+(.*))?$/s.exec(stripHost(target))?.[1] ?? (isBareReader(target) ? '' : null);
}

const isBareReader = (target: string): boolean => /^\/+r\/*(?:\?.*)?$/s.test(stripHost(target));

/** Drops the host from `http://host/path`, which clients send when they take this server for a proxy. */
function stripHost(target: string): string {
  if (target.startsWith('/')) return target;
  const local = target.replace(/^https?:\/\/[^/?#]*/i, '');
  return local.startsWith('/') ? local : `/${local}`;
}

/** The URL in a reader request, the question sent with it, and the instant of the version that is wanted; absent: the page as it is. */
type PageAddress = { url: string; question: string | null; at?: number };

/**
 * Parses the text after `/r/` into the page's URL; null if it cannot be an http(s) URL. The text may be plain or fully percent-encoded; a
 * slash lost after the scheme is restored, and a missing scheme becomes https. Only `q`, and an `at` that is an instant,
 * are taken from an unencoded query string; the other parameters stay in the page's URL, in their order and spelling.
 */
export function parsePageAddress(behindR: string): PageAddress | null {
  const mark = behindR.indexOf('?');
  const written = mark === -1 ? behindR : behindR.slice(0, mark);
  const { question, at, rest } = splitQuery(mark === -1 ? '' : behindR.slice(mark + 1));
  const address = decodeWhole(written)?.trim();
  if (address === undefined || address === '') return null;
  const whole = rest === '' ? address : `${address}${address.includes('?') ? '&' : '?'}${rest}`;
  const url = addScheme(whole);
  if (!/^https?:\/\/[^/]/i.test(url) || !URL.canParse(url)) return null;
  return at === null ? { url, question } : { url, question, at };
}

function splitQuery(query: string): { question: string | null; at: number | null; rest: string } {
  const parts = query.split('&').map((text) => {
    const given = new URLSearchParams(text);
    return { text, q: given.get('q'), at: parseInstant(given.get('at') ?? '') };
  });
  const question = parts.map(({ q }) => q?.trim() ?? '').find((q) => q !== '') ?? null;
  const at = parts.find((part) => part.at !== null)?.at ?? null;
  const rest = parts.filter((part) => part.q === null && part.at === null).map(({ text }) => text);
  return { question, at, rest: rest.join('&') };
}

/** A fully encoded URL has an encoded `:` or `/` before its first plain slash; null when the encoding is invalid. */
function decodeWhole(written: string): string | null {
  if (!/^[^/]*%(?:2f|3a)/i.test(written)) return written;
  try {
    return decodeURIComponent(written);
  } catch (error) {
    if (error instanceof URIError) return null;
    throw error;
  }
}
