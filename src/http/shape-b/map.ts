import * as z from 'zod';
import { PRICES } from '../../billing/ledger/prices.ts';
import { SITE } from '../../contract/limits.ts';
import type { SiteMap } from '../../crawl/site/site-map.ts';
import type { PricedRoute } from '../calls/call.ts';
import { ignoredFields, ignoredHeader, knownFields } from '../calls/ignored-fields.ts';
import { parseBody } from '../calls/wire.ts';
import { clamped, closing, usageOf } from './fields.ts';
import { pagesAskedFor, siteFields, siteRequestOf } from './site-fields.ts';

export const MapBody = z.object({
  ...siteFields,
  limit: clamped({ min: 1, max: SITE.pages.mapMax, usual: SITE.pages.default }),
});

const KNOWN_FIELDS = knownFields(Object.keys(MapBody.shape));

/**
 * POST /shapeB/map: the URLs of a site, each once. Errors: 400 url_not_allowed, 422 validation_error, 502 fetch_failed (the start page).
 */
export function mapHandler(siteMap: SiteMap): PricedRoute['prepare'] {
  return ({ body, requestId, caller, tenant, keep }) => {
    const fields = parseBody(MapBody, body);
    const headers = ignoredHeader(ignoredFields(body, KNOWN_FIELDS));
    const pagesMax = pagesAskedFor(fields.limit, SITE.pages.mapMax, caller);
    return {
      most: PRICES.map,
      async work(signal) {
        const began = performance.now();
        const results = await siteMap(siteRequestOf(fields, { pagesMax, signal, tenant, keep }));
        const ending = closing({ ms: performance.now() - began, requestId });
        const body = { base_url: fields.url, results, ...ending };
        return { used: PRICES.map, ...usageOf(fields), headers, body };
      },
    };
  };
}
