import { PRICES } from '../../billing/ledger/prices.ts';
import type { ReadAnswer, ReadOperation, ReadRequest } from '../../search/read.ts';
import type { JsonObject, PricedRoute } from '../calls/call.ts';
import { buildIgnoredHeader, parseBody } from '../calls/wire.ts';
import { addScheme } from '../shape-b/fields.ts';
import { toDocument } from './document.ts';
import { findIgnoredOptions } from './ignored-options.ts';
import { buildScrape, type Rendering, type Scrape, ScrapeBody, VERBATIM } from './scrape-fields.ts';

/** The parameters of a page read that do not come from the body. */
export type PageCall = Pick<ReadRequest, 'url' | 'signal' | 'tenant'> & { keep: boolean; scrapeId: string };

type ScrapeDeps = Rendering & { read: ReadOperation };

/**
 * POST /v2/scrape: one page as a document. Errors: 400 url_not_allowed, 422 validation_error, 500 fetch_failed (408 when the page was too
 * slow).
 */
export function createScrapeHandler({ read, rendersPages }: ScrapeDeps): PricedRoute['prepare'] {
  return ({ body, requestId, tenant, keep }) => {
    const { url, ...options } = parseBody(ScrapeBody, body, { verbatim: VERBATIM });
    const headers = buildIgnoredHeader(
      findIgnoredOptions(body, options, { others: ['url', 'apiKey'], rendersPages }),
    );
    const scrape = buildScrape(options, { rendersPages });
    return {
      most: PRICES.read,
      async work(signal) {
        const { data, cache, incomplete } = await scrapePage(read, scrape, {
          url,
          signal,
          tenant,
          keep,
          scrapeId: requestId,
        });
        const used = incomplete.length === 0 ? PRICES.read : 0;
        return { used, headers, cache, incomplete, body: { success: true, data } };
      },
    };
  };
}

/** Reads one page with its scrape options. Throws what `ReadOperation` throws. */
export async function scrapePage(
  read: ReadOperation,
  { formats, opening, parts, keep: mayKeep }: Scrape,
  { url, keep, scrapeId, ...call }: PageCall,
): Promise<{ data: JsonObject } & Pick<ReadAnswer, 'cache' | 'incomplete'>> {
  const answer = await read({
    ...call,
    url: addScheme(url),
    question: null,
    opening,
    ...(parts === undefined ? {} : { parts }),
    keep: keep && mayKeep,
  });
  const { cache, incomplete } = answer;
  return { data: toDocument(answer, { sourceUrl: url, formats, scrapeId }), cache, incomplete };
}
