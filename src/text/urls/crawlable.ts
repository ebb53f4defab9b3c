import { toCrawlUrl } from './url-spelling.ts';

/** Reasons why a crawl does not follow an address. */
type TrapReason = 'url_too_long' | 'path_too_deep' | 'path_repeats' | 'query_too_wide';

const CRAWL_URL_CHARS_MAX = 2_000;
const PATH_PARTS_MAX = 20;
const PATH_PART_REPEATS_MAX = 3;
const QUERY_PARAMETERS_MAX = 12;

/** Extensions of files that are not pages: pictures, sound, archives, programs, styles, documents that are not read. */
const NO_PAGE =
  /\.(?:png|jpe?g|gif|webp|avif|svg|ico|bmp|tiff?|psd|mp[34]|m4[av]|ogg|og[av]|opus|wav|flac|webm|avi|mov|mkv|wmv|zip|gz|tgz|bz2|xz|zst|7z|rar|tar|jar|war|whl|deb|rpm|apk|dmg|pkg|iso|img|exe|msi|dll|so|bin|css|js|mjs|map|woff2?|ttf|otf|eot|wasm|pdf|ps|epub|mobi|djvu|docx?|xlsx?|pptx?|od[tsp]|csv|sqlite|db|swf|torrent|ics|asc|sig)$/i;

/** Converts a link as written to the address to crawl; null if it cannot be a page or looks like a trap. */
export function toCrawlableUrl(link: string): string | null {
  const url = toCrawlUrl(link);
  return url === null || !canBePage(url) || detectTrap(url) !== null ? null : url;
}

/** Tests by the extension of its path whether an address can be a page; without a known extension it can. */
export function canBePage(url: string): boolean {
  return !NO_PAGE.test(new URL(url).pathname);
}

/** Returns why an address looks like one of endlessly many generated ones (calendars, doubled relative links), or null. */
export function detectTrap(url: string): TrapReason | null {
  if (url.length > CRAWL_URL_CHARS_MAX) return 'url_too_long';
  const { pathname, search } = new URL(url);
  const parts = pathname.split('/').filter((part) => part !== '');
  if (parts.length > PATH_PARTS_MAX) return 'path_too_deep';
  if (hasRepeats(parts)) return 'path_repeats';
  if (search.split('&').length > QUERY_PARAMETERS_MAX) return 'query_too_wide';
  return null;
}

/** True when a sequence of one to three parts occurs more than PATH_PART_REPEATS_MAX times in a row. */
function hasRepeats(parts: string[]): boolean {
  for (let width = 1; width <= 3; width += 1) {
    let same = 0;
    for (let place = width; place < parts.length; place += 1) {
      same = parts[place] === parts[place - width] ? same + 1 : 0;
      if (same >= width * PATH_PART_REPEATS_MAX) return true;
    }
  }
  return false;
}
