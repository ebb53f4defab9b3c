/**
 * Normalizes addresses. One address has many spellings, and each function here answers a different question:
 *   toCrawlUrl      which address does a crawl fetch?              undoes only what no server can tell apart
 *   toSamePageKey   do two addresses name the same page of a site? also without scheme, `www.`, index file and last slash
 *   toCanonicalUrl  under which key do results fold?               also knows mobile hosts, AMP and the forms of large sites
 *   normalizePath   does a path lie below another?                 escapes and doubled slashes only
 * None of them fetches anything or checks that an address exists.
 */

import { applySiteForm } from './site-forms.ts';
import { toHostKey } from './sites.ts';

/**
 * Parameters that say where a visitor came from and never which page is meant. No site answers differently without them, so they
 * are removed from fetched addresses as well as from the keys by which pages are compared.
 */
const TRACKING = [
  ...['utm_\\w+', 'gclid', 'gclsrc', 'dclid', 'gbraid', 'wbraid', 'fbclid', 'msclkid', 'twclid', 'yclid'],
  ...['igshid', 'mc_cid', 'mc_eid', '_ga', '_gl', '_hsenc', '_hsmi', 'mkt_tok', 'oly_anon_id', 'oly_enc_id'],
  ...['vero_id', 'ref_src', 'ref_url', 'phpsessid', 'jsessionid'],
];
/** Removed from fetched addresses, kept in keys. */
const FETCHED_ONLY = ['wickedid'];
/** Removed from keys, kept in fetched addresses: without them a site may refuse, or choose another page. */
const KEYS_ONLY = [
  ...[
    'utm_.*',
    '_hs.*',
    'hs(?:cta|a_).*',
    'pk_.*',
    'mtm_.*',
    'matomo_.*',
    'piwik_.*',
    '[wft]clid',
    'igshid?',
  ],
  ...[
    'at_(?:medium|campaign|custom\\d|recipient.*)',
    'li_fat_id',
    'vero_conv',
    's_cid',
    'cmpid',
    'campaign_?id',
  ],
  ...['ref', 'ref(?:src|url)', 'referrer', 'source', 'src', 'ncid', 'icid', 'spm', 'scm', 'si', 'feature'],
  ...['trk', 'trk(?:Info|Campaign)', 'share(?:_?id|d)?', 'fb_(?:action|source|ref).*', '_openstat'],
  ...['wt_(?:mc|zmc)', 'zanpid', 'amp', 'output(?:type)?', 'session_?id', 'sid', 'cfid', 'cftoken'],
];
/** Parameters of `KEYS_ONLY` that select the page unless they have one of these values. */
const TRACKING_VALUES: Record<string, RegExp> = {
  amp: /^(?:1|true|)$/i,
  output: /^amp$/i,
  outputtype: /^amp$/i,
  source:
    /^(?:[a-z]*--.*|rss|feed|twitter|x|facebook|linkedin|reddit|newsletter|email|share|social|google)$/is,
  src: /^(?:rss|feed|twitter|facebook|linkedin|reddit|newsletter|email|share|social|google)$/is,
  feature: /^(?:share|youtu\.be|emb_.*)$/i,
};
const buildNamePattern = (names: string[]): RegExp => new RegExp(`^(?:${names.join('|')})$`, 'i');
const IN_KEYS = buildNamePattern([...TRACKING, ...KEYS_ONLY]);
const IN_FETCHED = buildNamePattern([...TRACKING, ...FETCHED_ONLY]);

const INDEX_FILE = /\/(?:index\.(?:html?|php|aspx?|jsp)|default\.aspx?)$/i;
const SAME_PAGE_INDEX_FILE = /\/index\.(?:html?|php)$/i;
const MOBILE_PREFIX = /^(?:www\d?|m|mobile|amp)\.(?=[^.]+\.[^.])/;
const MOBILE_INFIX = /^([a-z-]{2,12})\.(?:m|mobile)\.(?=[^.]+\.[^.]+$)/;
const AMP_PATH = /(?<=[^/])(?:\/amp|\.amp(?=\.html?$))\/?$|\.amp(?=\.html?$)/i;
const SESSION_PATH = /;(?:jsessionid|phpsessid|sid)=[^/?]*/gi;
const CRAWL_SESSION_PATH = /;jsessionid=[^/;]*/i;
const STEPS_MAX = 8;

/**
 * Converts an address to the one that a crawl fetches and remembers: http(s) only, no credentials, fragment, tracking parameters or
 * standard port, no dot after the host, escapes in upper case and only where needed. Returns null for what cannot be crawled.
 */
export function toCrawlUrl(address: string, base?: string): string | null {
  const url = URL.parse(address, base);
  if (url === null || (url.protocol !== 'http:' && url.protocol !== 'https:')) return null;
  if (url.username !== '' || url.password !== '' || url.hostname === '') return null;
  url.hash = '';
  if (url.hostname.endsWith('.')) url.hostname = stripRootDot(url.hostname);
  url.pathname = normalizeEscapes(url.pathname).replace(CRAWL_SESSION_PATH, '');
  url.search = normalizeEscapes(stripTracking(url.search));
  return url.href;
}

/** Keeps the spelling and the order of the remaining pairs: a server may depend on either. */
function stripTracking(search: string): string {
  const kept = search
    .slice(1)
    .split('&')
    .filter((pair) => pair !== '' && !isNeverNeeded(pair.split('=')[0] ?? ''));
  return kept.length === 0 ? '' : `?${kept.join('&')}`;
}

/** Returns one key for addresses that differ only in scheme, `www.`, tracking parameters, index file or last slash. */
export function toSamePageKey(address: string): string {
  const spelled = toCrawlUrl(address);
  if (spelled === null) return address;
  const { pathname, search } = new URL(spelled);
  return toHostKey(spelled) + pathname.replace(SAME_PAGE_INDEX_FILE, '/').replace(/\/$/, '') + search;
}

/**
 * Returns one key for all addresses of a page, for folding results, not for fetching. Idempotent. A text that is not an http(s)
 * address is returned unchanged.
 */
export function toCanonicalUrl(address: string): string {
  let current = address;
  for (let step = 0; step < STEPS_MAX; step += 1) {
    const next = applyCanonicalStep(current);
    if (next === current) return current;
    current = next;
  }
  return current;
}

function applyCanonicalStep(address: string): string {
  const url = URL.parse(address);
  if (url === null || !/^https?:$/.test(url.protocol)) return address;
  const parameters = [...url.searchParams].filter(([name, value]) => !isTracking(name, value));
  const {
    path,
    parameters: kept,
    host,
    hashbang,
  } = applySiteForm({
    host: toCanonicalHost(url.hostname) + (isStandardPort(url.port) ? '' : `:${url.port}`),
    path: toCanonicalPath(url.pathname, parameters.length > 0),
    parameters: parameters.sort(compareParameters),
    hashbang: /^#!./.test(url.hash) ? url.hash : '',
  });
  const query = new URLSearchParams(kept).toString();
  return `https://${host}${path}${query === '' ? '' : `?${query}`}${hashbang}`;
}

function toCanonicalHost(hostname: string): string {
  return stripRootDot(hostname).replace(MOBILE_PREFIX, '').replace(MOBILE_INFIX, '$1.');
}

const isStandardPort = (port: string): boolean => port === '' || port === '80' || port === '443';

function toCanonicalPath(pathname: string, hasQuery: boolean): string {
  const path = normalizeEscapes(pathname)
    .replace(SESSION_PATH, '')
    .replace(/\/{2,}/g, '/')
    .replace(AMP_PATH, '');
  const folder = hasQuery ? path : path.replace(INDEX_FILE, '/');
  return folder === '/' ? '/' : folder.replace(/(?<!\/)\/+$/, '') || '/';
}

function compareParameters(
  [name, value]: [string, string],
  [otherName, otherValue]: [string, string],
): number {
  if (name !== otherName) return name < otherName ? -1 : 1;
  return value < otherValue ? -1 : value > otherValue ? 1 : 0;
}

/** Removes the differences between paths that servers ignore: escaped unreserved characters, doubled slashes. */
export function normalizePath(pathname: string): string {
  return normalizeEscapes(pathname).replace(/\/{2,}/g, '/');
}

/** Writes escapes in upper case, and none for letters, digits and `-._~` (RFC 3986, 6.2.2). */
export function normalizeEscapes(text: string): string {
  return text.replace(/%([0-9a-f]{2})/gi, (escaped, hex: string) => {
    const char = String.fromCharCode(Number.parseInt(hex, 16));
    return /[\w.~-]/.test(char) ? char : escaped.toUpperCase();
  });
}

/** `example.com.` -> `example.com` (RFC 1034, 3.1). */
export function stripRootDot(hostname: string): string {
  return hostname.replace(/(?<!\.)\.+$/, '');
}

export function stripFragment(address: string): string {
  const at = address.indexOf('#');
  return at === -1 ? address : address.slice(0, at);
}

/** True when a parameter says where a visitor came from rather than which page is meant. */
export function isTracking(name: string, value: string): boolean {
  if (!IN_KEYS.test(name)) return false;
  const values = TRACKING_VALUES[name.toLowerCase()];
  return values === undefined || values.test(value);
}

/** True when every site answers the same without the parameter. */
function isNeverNeeded(name: string): boolean {
  return IN_FETCHED.test(name);
}
