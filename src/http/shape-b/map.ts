import * as z from 'zod';
import { PRICES } from '../../billing/ledger/prices.ts';
import { SITE } from '../../contract/limits.ts';
import type { SiteMap } from '../../crawl/site/site-map.ts';
import type { PricedRoute } from '../calls/call.ts';
import { buildIgnoredHeader, buildKnownFields, findIgnoredFields } from '../calls/ignored-fields.ts';
import { parseBody } from '../calls/json-body.ts';
import { computePagesMax, createClampedSchema } from '../compat/fields.ts';
import { buildClosingFields, buildCostOption } from './fields.ts';
import { buildSiteRequest, siteFields } from './site-fields.ts';

export const MapBody = z.object({
  ...siteFields,
  limit: createClampedSchema({ min: 1, max: SITE.pages.mapMax, usual: SITE.pages.default }),
});

const KNOWN_FIELDS = buildKnownFields(Object.keys(MapBody.shape));

/**
 * POST /shapeB/map: the URLs of a site, each once. Errors: 400 url_not_allowed, 422 validation_error, 502 fetch_failed (the start page).
 */
export function createMapHandler(siteMap: SiteMap): PricedRoute['prepare'] {
  return ({ body, requestId, caller, tenant, keep }) => {
    const fields = parseBody(MapBody, body);
    const headers = buildIgnoredHeader(findIgnoredFields(body, KNOWN_FIELDS));
    const pagesMax = computePagesMax(fields.limit, SITE.pages.mapMax, caller);
    return {
      most: PRICES.map,
      async work(signal) {
        const began = performance.now();
        const results = await siteMap(buildSiteRequest(fields, { pagesMax, signal, tenant, keep }));
        const ending = buildClosingFields({ ms: performance.now() - began, requestId });
        const body = { base_url: fields.url, results, ...ending };
        return { used: PRICES.map, ...buildCostOption(fields), headers, body };
      },
    };
  };
}
