import { siteForm } from './site-forms.ts';

/** Parameters that tell where a visitor came from, never which page is meant. */
const TRACKING =
  /^(?:utm_.*|_hs.*|hs(?:cta|a_).*|mc_[ce]id|mkt_tok|pk_.*|mtm_.*|matomo_.*|piwik_.*|at_(?:medium|campaign|custom\d|recipient.*)|[gdwfty]clid|fbclid|gbraid|wbraid|gclsrc|msclkid|igshid?|li_fat_id|twclid|yclid|vero_(?:id|conv)|oly_(?:anon|enc)_id|s_cid|ref|ref_?(?:src|url)|referrer|source|src|cmpid|campaign_?id|ncid|icid|spm|scm|trk|trk(?:Info|Campaign)|share(?:_?id|d)?|si|feature|fb_(?:action|source|ref).*|_ga|_gl|_openstat|wt_(?:mc|zmc)|zanpid|amp|output(?:type|Type)?|sessionid|session_id|phpsessid|jsessionid|sid|cfid|cftoken)$/i;
/** Parameters of that kind that choose the page when they say anything but these. */
const CHOOSING: Record<string, RegExp> = {
  amp: /^(?:1|true|)$/i,
  output: /^amp$/i,
  outputtype: /^amp$/i,
  source:
    /^(?:[a-z]*--.*|rss|feed|twitter|x|facebook|linkedin|reddit|newsletter|email|share|social|google)$/is,
  src: /^(?:rss|feed|twitter|facebook|linkedin|reddit|newsletter|email|share|social|google)$/is,
  feature: /^(?:share|youtu\.be|emb_.*)$/i,
};
const HOST_PREFIX = /^(?:www\d?|m|mobile|amp)\.(?=[^.]+\.[^.])/;
const INDEX_FILE = /\/(?:index\.(?:html?|php|aspx?|jsp)|default\.aspx?)$/i;
const AMP_PATH = /(?<=[^/])(?:\/amp|\.amp(?=\.html?$))\/?$|\.amp(?=\.html?$)/i;
const SESSION_PATH = /;(?:jsessionid|phpsessid|sid)=[^/?]*/gi;
const STEPS_MAX = 8;

/**
 * An address -> the one spelling under which all the addresses of its page meet: a key for folding, not an address to open. Twice is
 * once. A text that is no http(s) address stays as it is.
 */
export function canonicalUrl(address: string): string {
  let current = address;
  for (let step = 0; step < STEPS_MAX; step += 1) {
    const next = canonicalStep(current);
    if (next === current) return current;
    current = next;
  }
  return current;
}

function canonicalStep(address: string): string {
  const url = URL.parse(address);
  if (url === null || !/^https?:$/.test(url.protocol)) return address;
  const host = canonicalHost(url.hostname) + (isStandardPort(url.port) ? '' : `:${url.port}`);
  const parameters = [...url.searchParams].filter(([name, value]) => !isTracking(name, value));
  const plain = {
    host,
    path: canonicalPath(url.pathname, parameters.length > 0),
    parameters: parameters.sort(byText),
    hashbang: /^#!./.test(url.hash) ? url.hash : '',
  };
  const { path, parameters: left, host: named, hashbang } = siteForm(plain);
  const query = new URLSearchParams(left).toString();
  const canonical = `https://${named}${path}${query === '' ? '' : `?${query}`}${hashbang}`;
  // What a cache of pages names as its page may be no host at all.
  return URL.canParse(canonical) ? canonical : address;
}

function canonicalHost(hostname: string): string {
  const host = hostname.replace(/(?<!\.)\.+$/, '');
  return host.replace(HOST_PREFIX, '').replace(/^([a-z-]{2,12})\.(?:m|mobile)\.(?=[^.]+\.[^.]+$)/, '$1.');
}

const isStandardPort = (port: string): boolean => port === '' || port === '80' || port === '443';

/** Whether a parameter tells where a visitor came from rather than which page is meant. */
export function isTracking(name: string, value: string): boolean {
  if (!TRACKING.test(name)) return false;
  const choosing = CHOOSING[name.toLowerCase()];
  return choosing === undefined || choosing.test(value);
}

function canonicalPath(pathname: string, hasQuery: boolean): string {
  const path = evenEscapes(pathname)
    .replace(SESSION_PATH, '')
    .replace(/\/{2,}/g, '/')
    .replace(AMP_PATH, '');
  const folder = hasQuery ? path : path.replace(INDEX_FILE, '/');
  return folder === '/' ? '/' : folder.replace(/(?<!\/)\/+$/, '') || '/';
}

/** RFC 3986, 6.2.2: escapes in upper case, and none for letters, digits and `-._~`. */
export function evenEscapes(text: string): string {
  return text.replace(/%([0-9a-f]{2})/gi, (escaped, hex: string) => {
    const char = String.fromCharCode(Number.parseInt(hex, 16));
    return /[\w.~-]/.test(char) ? char : escaped.toUpperCase();
  });
}

function byText([name, value]: [string, string], [otherName, otherValue]: [string, string]): number {
  if (name !== otherName) return name < otherName ? -1 : 1;
  return value < otherValue ? -1 : value > otherValue ? 1 : 0;
}
