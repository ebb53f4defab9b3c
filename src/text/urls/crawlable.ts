import { parse } from 'tldts';

/** An address that a crawl does not follow, and why. */
type TrapReason = 'url_too_long' | 'path_too_deep' | 'path_repeats' | 'query_too_wide';

const CRAWL_URL_CHARS_MAX = 2_000;
const PATH_PARTS_MAX = 20;
const PATH_PART_REPEATS_MAX = 3;
const QUERY_PARAMETERS_MAX = 12;

/** Parameters that say where a visitor came from and never which page is meant. */
const TRACKING =
  /^(?:utm_\w+|gclid|gclsrc|dclid|gbraid|wbraid|fbclid|msclkid|twclid|yclid|igshid|mc_cid|mc_eid|_ga|_gl|_hsenc|_hsmi|mkt_tok|oly_anon_id|oly_enc_id|vero_id|wickedid|ref_src|ref_url|phpsessid|jsessionid)$/i;

/** Endings of files that are no pages: pictures, sound, archives, programs, styles, documents that are not read. */
const NO_PAGE =
  /\.(?:png|jpe?g|gif|webp|avif|svg|ico|bmp|tiff?|psd|mp[34]|m4[av]|ogg|og[av]|opus|wav|flac|webm|avi|mov|mkv|wmv|zip|gz|tgz|bz2|xz|zst|7z|rar|tar|jar|war|whl|deb|rpm|apk|dmg|pkg|iso|img|exe|msi|dll|so|bin|css|js|mjs|map|woff2?|ttf|otf|eot|wasm|pdf|ps|epub|mobi|djvu|docx?|xlsx?|pptx?|od[tsp]|csv|sqlite|db|swf|torrent|ics|asc|sig)$/i;

/**
 * The one spelling under which a crawl knows an address: http(s) only, no credentials, no fragment, no tracking
 * parameters, no port that is the scheme's own, no dot after the host, escapes written large and only where needed.
 * Null for what cannot be crawled.
 */
export function crawlUrl(address: string, base?: string): string | null {
  const url = URL.parse(address, base);
  if (url === null || (url.protocol !== 'http:' && url.protocol !== 'https:')) return null;
  if (url.username !== '' || url.password !== '' || url.hostname === '') return null;
  url.hash = '';
  if (url.hostname.endsWith('.')) url.hostname = url.hostname.replace(/(?<!\.)\.+$/, '');
  url.pathname = tidyEscapes(url.pathname).replace(/;jsessionid=[^/;]*/i, '');
  url.search = tidyEscapes(withoutTracking(url.search));
  return url.href;
}

/** Host and port without a leading `www.`: two addresses with the same key belong to one site of a crawl. */
export function hostKey(url: string): string {
  return new URL(url).host.replace(/^www\./, '');
}

/** Registrable domain by the public suffix list; the host itself where there is none (addresses, intranets). */
export function registrableDomain(url: string): string {
  const { domain, hostname } = parse(url, { allowPrivateDomains: true });
  return domain ?? hostname ?? '';
}

/** Whether two addresses lie in the same registrable domain, subdomains included. */
export function isSameSite(left: string, right: string): boolean {
  return registrableDomain(left) === registrableDomain(right);
}

/** Whether a host is one of the public web by its name: false for IP addresses, `localhost`, `.test`, `.internal` and their like. */
export function hasPublicName(url: string): boolean {
  const { isIp, isIcann, isPrivate, domain } = parse(url);
  return !isIp && domain !== null && (isIcann === true || isPrivate === true);
}

/** Whether the address can be a page by its ending. An address without a known ending can. */
export function canBePage(url: string): boolean {
  return !NO_PAGE.test(new URL(url).pathname);
}

/** Why an address looks made by a machine that never ends (calendars, doubled relative links), or null. */
export function trapReason(url: string): TrapReason | null {
  if (url.length > CRAWL_URL_CHARS_MAX) return 'url_too_long';
  const { pathname, search } = new URL(url);
  const parts = pathname.split('/').filter((part) => part !== '');
  if (parts.length > PATH_PARTS_MAX) return 'path_too_deep';
  if (repeats(parts)) return 'path_repeats';
  if (search.split('&').length > QUERY_PARAMETERS_MAX) return 'query_too_wide';
  return null;
}

/** True when one to three parts stand more often than PATH_PART_REPEATS_MAX times in a row. */
function repeats(parts: string[]): boolean {
  for (let width = 1; width <= 3; width += 1) {
    let same = 0;
    for (let place = width; place < parts.length; place += 1) {
      same = parts[place] === parts[place - width] ? same + 1 : 0;
      if (same >= width * PATH_PART_REPEATS_MAX) return true;
    }
  }
  return false;
}

function withoutTracking(search: string): string {
  const kept = search
    .slice(1)
    .split('&')
    .filter((pair) => pair !== '' && !TRACKING.test(pair.split('=')[0] ?? ''));
  return kept.length === 0 ? '' : `?${kept.join('&')}`;
}

/** Escapes of letters, digits and `-._~` are undone, the others written with large digits (RFC 3986, 6.2.2). */
function tidyEscapes(text: string): string {
  return text.replace(/%[0-9a-f]{2}/gi, (coded) => {
    const char = String.fromCharCode(Number.parseInt(coded.slice(1), 16));
    return /[a-z0-9._~-]/i.test(char) ? char : coded.toUpperCase();
  });
}
