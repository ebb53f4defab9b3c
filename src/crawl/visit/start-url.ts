import { Failure } from '../../contract/errors.ts';
import type { CheckUrl } from '../../platform/net/fetch-types.ts';
import { toCrawlUrl } from '../../text/urls/url-spelling.ts';

/** Turns a caller's start address into the address to crawl. Throws `Failure('url_not_allowed')`. */
export function parseStartUrl(checkUrl: CheckUrl, start: string): string {
  const url = toCrawlUrl(checkUrl(start).href);
  if (url === null)
    throw new Failure('url_not_allowed', `${start} cannot be crawled: it has credentials or no host`);
  return url;
}
