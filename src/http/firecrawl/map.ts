import * as z from 'zod';
import { PRICES } from '../../billing/ledger/prices.ts';
import { SITE } from '../../contract/limits.ts';
import { compilePattern, type UrlPattern } from '../../crawl/frontier/url-pattern.ts';
import { parseInstructions } from '../../crawl/site/instructions.ts';
import type { SiteMap } from '../../crawl/site/site-map.ts';
import type { SiteRequest } from '../../crawl/site/site-types.ts';
import { findRegistrableDomain } from '../../text/urls/sites.ts';
import type { PricedRoute } from '../calls/call.ts';
import { buildIgnoredHeader, buildKnownFields, findIgnoredFields, parseBody } from '../calls/wire.ts';
import { addScheme, createClampedSchema, flag, optionalQuery } from '../shape-b/fields.ts';
import { computePagesMax } from '../shape-b/site-fields.ts';
import { address } from '../v1/contents.ts';
import { storeField } from '../v1/opening.ts';

const LINKS_DEFAULT = 5_000;
/** Default time limit of a map, which then returns the addresses found so far. */
const MAP_MS_DEFAULT = 15_000;
const MS_MAX = SITE.secondsMax * 1_000;

/** POST /v2/map. */
export const MapBody = z.object({
  url: address,
  search: optionalQuery.meta({ description: 'Only addresses that fit these words, the best first.' }),
  limit: createClampedSchema({ min: 1, max: SITE.pages.mapMax, usual: LINKS_DEFAULT }),
  includeSubdomains: flag.unwrap().default(true),
  ignoreQueryParameters: flag.unwrap().default(true),
  timeout: createClampedSchema({ min: 1_000, max: MS_MAX, usual: MAP_MS_DEFAULT }),
  store: storeField,
});
type MapFields = z.output<typeof MapBody>;

const KNOWN = buildKnownFields([...Object.keys(MapBody.shape), 'origin', 'integration']);

/** Response body. */
export const MapAnswer = z
  .object({
    success: z.literal(true),
    id: z.string(),
    links: z
      .array(z.union([z.object({ url: z.string() }), z.string()]))
      .meta({ description: 'Objects; texts in version 1.' }),
  })
  .meta({ title: 'FirecrawlMap' });

/**
 * POST /v2/map: the addresses of a site, each once. Version 1 lists them as texts. Errors: 400 url_not_allowed, 422 validation_error,
 * 500 fetch_failed (the start page).
 */
export function createFirecrawlMapHandler(siteMap: SiteMap, version: 1 | 2): PricedRoute['prepare'] {
  return ({ body, requestId, caller, tenant, keep }) => {
    const fields = parseBody(MapBody, body);
    const { sitemap, ...others } = body;
    const isUsual = sitemap === undefined || sitemap === 'include';
    const headers = buildIgnoredHeader(findIgnoredFields(isUsual ? others : body, KNOWN));
    const pagesMax = computePagesMax(fields.limit ?? LINKS_DEFAULT, SITE.pages.mapMax, caller);
    return {
      most: PRICES.map,
      async work(signal) {
        const site = { ...buildMapRequest(fields), pagesMax, signal, tenant, keep: keep && fields.store };
        const found = await siteMap(site);
        const urls = fields.ignoreQueryParameters ? [...new Set(found.map(stripQuery))] : found;
        const links = version === 1 ? urls : urls.map((url) => ({ url }));
        return { used: PRICES.map, headers, body: { success: true, id: requestId, links } };
      },
    };
  };
}

function buildMapRequest({
  url,
  search,
  includeSubdomains,
  timeout,
}: MapFields): Omit<SiteRequest, 'pagesMax' | 'signal'> {
  const start = addScheme(url);
  return {
    starts: start === url ? [start] : [start, start.replace(/^https:/, 'http:')],
    filters: {
      selectPaths: [],
      excludePaths: [],
      excludeDomains: [],
      allowExternal: false,
      selectDomains: includeSubdomains ? buildHostPatterns(start) : [],
    },
    depthMax: SITE.depth.max,
    breadthMax: SITE.breadth.max,
    instructions: search === null ? null : parseInstructions(search),
    budgetMs: timeout ?? MAP_MS_DEFAULT,
  };
}

/** Builds a pattern for every host of the site's registrable domain; an IP address has none. */
function buildHostPatterns(start: string): UrlPattern[] {
  const domain = findRegistrableDomain(start);
  if (domain === null) return [];
  const compiled = compilePattern(`(?:^|\\.)${domain.replaceAll('.', '\\.')}$`);
  return 'isIn' in compiled ? [compiled] : [];
}

const stripQuery = (url: string): string => url.replace(/\?.*$/s, '');
