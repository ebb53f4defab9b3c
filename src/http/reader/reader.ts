import { PRICES } from '../../billing/ledger/prices.ts';
import { Failure } from '../../contract/errors.ts';
import { QUERY_CHARS_MAX, URL_CHARS_MAX } from '../../contract/limits.ts';
import type { Read } from '../../search/read.ts';
import type { PricedRoute } from '../calls/call.ts';
import { validationFailure } from '../calls/wire.ts';
import { readerAddress } from '../server/request-target.ts';
import { parsePageAddress } from './page-address.ts';

/** GET /r/{url}: a page as Markdown. Errors: 400 url_not_allowed, 422 validation_error (q too long), 502 fetch_failed. */
export function readerHandler(read: Read): PricedRoute['prepare'] {
  return ({ target, tenant, keep }) => {
    const page = pageOf(target);
    return {
      most: PRICES.read,
      async work(signal) {
        const { markdown, cache, ...figures } = await read({ ...page, signal, tenant, keep });
        return {
          used: PRICES.read,
          body: markdown,
          cache,
          headers: {
            'content-type': 'text/markdown; charset=utf-8',
            // Keeps shared caches from storing the page.
            'Cache-Control': 'private, no-store',
            'X-Token-Savings': String(figures.savingsPercent),
            'X-Raw-Tokens': String(figures.rawTokens),
            'X-Output-Tokens': String(figures.outputTokens),
          },
        };
      },
    };
  };
}

function pageOf(target: string): NonNullable<ReturnType<typeof parsePageAddress>> {
  const page = parsePageAddress(readerAddress(target) ?? '');
  if (page === null)
    throw new Failure(
      'url_not_allowed',
      'Write an http(s) address after /r/, such as /r/https://example.org/.',
    );
  if (page.url.length > URL_CHARS_MAX) throw new Failure('url_not_allowed', 'The address is too long.');
  if (page.question !== null && [...page.question].length > QUERY_CHARS_MAX)
    throw validationFailure([
      { field: 'q', message: `must have at most ${QUERY_CHARS_MAX.toLocaleString('en')} characters` },
    ]);
  return page;
}
