import * as z from 'zod';
import { JOBS, SITE } from '../../../contract/limits.ts';
import { compilePattern } from '../../../crawl/frontier/url-pattern.ts';
import { parseStartUrl } from '../../../crawl/visit/start-url.ts';
import type { CrawlOrder } from '../../../jobs/job-types.ts';
import type { PricedRoute } from '../../calls/call.ts';
import { parseBody } from '../../calls/wire.ts';
import { addScheme, flag } from '../../shape-b/fields.ts';
import { address } from '../../v1/contents.ts';
import { storeField } from '../../v1/opening.ts';
import { findIgnoredOptions } from '../ignored-options.ts';
import { scrapeOptions, VERBATIM } from '../scrape-fields.ts';
import { buildPacing, jobFields } from './job-fields.ts';
import { createStartTask, findIgnoredJobFields, type StartJobDeps } from './start-job.ts';

const patterns = z
  .array(z.string('must be regular expressions'), 'must be an array of regular expressions')
  .max(SITE.patterns.max, `must have at most ${SITE.patterns.max} regular expressions`)
  .default([])
  .superRefine((texts, context) => {
    for (const text of texts) {
      const compiled = compilePattern(text);
      if ('problem' in compiled)
        context.addIssue({ code: 'custom', message: `has a regular expression that ${compiled.problem}` });
    }
  })
  .meta({
    description: 'Regular expressions in RE2 syntax, matched against the path.',
    examples: [['^/docs/']],
  });

const ScrapeOptionsBody = z.object(scrapeOptions);

const depthField = z
  .number('must be a number')
  .min(0, 'must not be negative')
  .optional()
  .meta({ description: 'Maximum link distance from the start page and the pages in its sitemap.' });

/** POST /v2/crawl. */
export const CrawlJobBody = z.object({
  url: address,
  ...jobFields,
  limit: z
    .number('must be a number')
    .min(1, 'must be at least 1')
    .optional()
    .meta({ description: `Maximum pages; at most ${JOBS.keyed.pagesMax}, which is the default.` }),
  includePaths: patterns,
  excludePaths: patterns,
  regexOnFullURL: flag,
  maxDiscoveryDepth: depthField,
  sitemap: z.enum(['skip', 'include', 'only'], 'must be skip, include or only').default('include'),
  /** Version 1 names. */
  maxDepth: depthField,
  ignoreSitemap: flag,
  allowBackwardLinks: flag,
  ignoreQueryParameters: flag,
  deduplicateSimilarURLs: flag.unwrap().default(true),
  crawlEntireDomain: flag,
  allowExternalLinks: flag,
  allowSubdomains: flag,
  delay: z
    .number('must be a number of seconds')
    .min(0, 'must not be negative')
    .max(JOBS.delaySecondsMax, `must be at most ${JOBS.delaySecondsMax}`)
    .optional()
    .meta({ description: 'Seconds between two requests to one host.' }),
  scrapeOptions: z
    .looseObject({}, 'must be an object')
    .default({})
    .meta({ description: 'How each page is read: the fields of /v2/scrape, except url.' }),
  store: storeField,
});

type CrawlFields = z.output<typeof CrawlJobBody>;

/**
 * POST /v2/crawl: starts a crawl and returns its id. Counts as one request without a key; with one, each page costs a credit once it is in
 * the results. Errors: 400 url_not_allowed, 402, 422 validation_error, 429 rate_limited.
 */
export function createStartCrawlHandler(deps: StartJobDeps): PricedRoute['prepare'] {
  return (call) => {
    const fields = parseBody(CrawlJobBody, call.body, { verbatim: VERBATIM });
    const { scrapeOptions: reading, store, webhook } = fields;
    const scrape = parseBody(ScrapeOptionsBody, reading, { verbatim: VERBATIM });
    const start = parseStartUrl(deps.checkUrl, addScheme(fields.url));
    return createStartTask(deps, call, {
      webhook,
      urls: [start],
      pages: fields.limit ?? null,
      creditsNeeded: 1,
      order: {
        crawl: buildCrawlOrder(fields, start),
        ...buildPacing(fields),
        reading,
        keep: store && !fields.zeroDataRetention && scrape.store && scrape.storeInCache,
      },
      ignored: [
        ...findIgnoredJobFields(call.body, Object.keys(CrawlJobBody.shape)),
        ...findIgnoredOptions(reading, scrape, deps).map((name) => `scrapeOptions.${name}`),
      ],
    });
  };
}

function buildCrawlOrder(fields: CrawlFields, start: string): CrawlOrder {
  const depth = fields.maxDiscoveryDepth ?? fields.maxDepth;
  return {
    start,
    include: fields.includePaths,
    exclude: fields.excludePaths,
    matchesWholeUrl: fields.regexOnFullURL,
    entireDomain: fields.crawlEntireDomain || fields.allowBackwardLinks,
    subdomains: fields.allowSubdomains,
    external: fields.allowExternalLinks,
    ignoresQuery: fields.ignoreQueryParameters,
    foldsSpellings: fields.deduplicateSimilarURLs,
    depthMax: depth === undefined ? null : Math.floor(depth),
    sitemap: fields.ignoreSitemap ? 'skip' : fields.sitemap,
  };
}
