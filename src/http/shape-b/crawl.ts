import * as z from 'zod';
import { PRICES } from '../../billing/ledger/prices.ts';
import { SITE } from '../../contract/limits.ts';
import type { SiteCrawl } from '../../crawl/site/site-crawl.ts';
import type { PricedRoute } from '../calls/call.ts';
import { buildIgnoredHeader, buildKnownFields, findIgnoredFields } from '../calls/ignored-fields.ts';
import { countLatePages } from '../calls/incomplete.ts';
import { parseBody } from '../calls/json-body.ts';
import { computePagesMax, createClampedSchema, flag } from '../compat/fields.ts';
import { buildFaviconUrl } from '../compat/results.ts';
import { buildClosingFields, buildCostOption, joinPassages, pageFormat, passageCount } from './fields.ts';
import { buildSiteRequest, siteFields } from './site-fields.ts';

export const CrawlBody = z.object({
  ...siteFields,
  limit: createClampedSchema({ min: 1, max: SITE.pages.crawlMax, usual: SITE.pages.default }),
  chunksPerSource: passageCount,
  format: pageFormat,
  includeFavicon: flag,
});

const KNOWN_FIELDS = buildKnownFields(Object.keys(CrawlBody.shape));

/**
 * POST /shapeB/crawl: holds a credit per page it may return, or as many as the payer has, and uses one per page returned.
 * Errors: 400 url_not_allowed, 422 validation_error, 502 fetch_failed (the start page).
 */
export function createCrawlHandler(siteCrawl: SiteCrawl): PricedRoute['prepare'] {
  return ({ body, requestId, caller, tenant, keep, report }) => {
    const fields = parseBody(CrawlBody, body);
    const headers = buildIgnoredHeader(findIgnoredFields(body, KNOWN_FIELDS));
    const most = computePagesMax(fields.limit, SITE.pages.crawlMax, caller);
    return {
      most: most * PRICES.crawlPerPage,
      least: 1,
      async work(signal, credits) {
        const began = performance.now();
        const pages = await siteCrawl({
          ...buildSiteRequest(fields, {
            pagesMax: Math.floor(credits / PRICES.crawlPerPage),
            signal,
            tenant,
            keep,
          }),
          passagesPerPage: Math.floor(fields.chunksPerSource ?? SITE.passages.default),
          plain: fields.format === 'text',
          ...(report === undefined ? {} : { onPage: (count: number) => report(`pages read: ${count}`) }),
        });
        return {
          used: (pages.length - countLatePages(pages)) * PRICES.crawlPerPage,
          incomplete: [...new Set(pages.flatMap(({ late }) => late))],
          ...buildCostOption(fields),
          headers,
          body: {
            base_url: fields.url,
            results: pages.map(({ url, text, passages }) => ({
              url,
              raw_content: passages === null ? text : joinPassages(passages),
              images: [],
              ...(fields.includeFavicon ? { favicon: buildFaviconUrl(url) } : {}),
            })),
            ...buildClosingFields({ ms: performance.now() - began, requestId }),
          },
        };
      },
    };
  };
}
