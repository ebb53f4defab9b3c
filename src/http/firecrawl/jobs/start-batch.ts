import * as z from 'zod';
import { Failure } from '../../../contract/errors.ts';
import { JOBS } from '../../../contract/limits.ts';
import type { CheckUrl } from '../../../platform/net/fetch-types.ts';
import type { Call, JsonObject, PricedRoute } from '../../calls/call.ts';
import { createValidationFailure, parseBody, toCamelCase } from '../../calls/wire.ts';
import { addScheme, flag } from '../../shape-b/fields.ts';
import { findIgnoredOptions } from '../ignored-options.ts';
import { scrapeOptions, VERBATIM } from '../scrape-fields.ts';
import { buildPacing, createKeyFailure, jobFields } from './job-fields.ts';
import { createStartTask, type StartJobDeps } from './start-job.ts';

/** POST /v2/batch/scrape. */
export const BatchScrapeBody = z.object({
  urls: z
    .array(z.string('must be addresses'), 'must be an array of addresses')
    .min(1, 'must not be empty')
    .max(JOBS.batchUrlsMax, `must have at most ${JOBS.batchUrlsMax} addresses`),
  ignoreInvalidURLs: flag.unwrap().default(true).meta({
    description: 'true: addresses that may not be read are named in `invalidURLs`; false: they end the call.',
  }),
  ...jobFields,
  ...scrapeOptions,
});

/**
 * POST /v2/batch/scrape: starts a job that reads addresses and returns its id. Counts as one request without a key; with one, each page
 * costs a credit once it is in the results. Errors: 400 url_not_allowed, 402, 422 validation_error, 429 rate_limited.
 */
export function createStartBatchHandler(deps: StartJobDeps): PricedRoute['prepare'] {
  return (call) => {
    const { body } = call;
    const fields = parseBody(BatchScrapeBody, body, { verbatim: VERBATIM });
    const { urls: asked, ignoreInvalidURLs, webhook, ...scrape } = fields;
    const { urls, invalid } = partitionUrls(deps.checkUrl, asked);
    if (!ignoreInvalidURLs && invalid.length > 0)
      throw new Failure('url_not_allowed', `${invalid[0]} is not the address of a public page`);
    assertSome(urls, call);
    const own = Object.keys(BatchScrapeBody.shape);
    return createStartTask(deps, call, {
      webhook,
      urls,
      pages: urls.length,
      creditsNeeded: urls.length,
      order: {
        crawl: null,
        ...buildPacing(fields),
        reading: pickScrapeOptions(body),
        keep: scrape.store && scrape.storeInCache && !fields.zeroDataRetention,
      },
      ignored: findIgnoredOptions(body, scrape, {
        others: [...own, 'apiKey'],
        rendersPages: deps.rendersPages,
      }),
      extra: { invalidURLs: invalid },
    });
  };
}

function assertSome(urls: string[], { caller }: Pick<Call, 'caller'>): void {
  if (urls.length === 0)
    throw createValidationFailure([{ field: 'urls', message: 'must have an address of a public page' }]);
  const { pagesMax } = JOBS.keyless;
  if (caller.kind === 'keyless' && urls.length > pagesMax)
    throw createKeyFailure(`More than ${pagesMax} addresses need an API key.`);
}

/** Keeps only the scrape options: the body may contain a key. */
function pickScrapeOptions(body: JsonObject): JsonObject {
  return Object.fromEntries(
    Object.entries(body).filter(([name]) => Object.hasOwn(scrapeOptions, toCamelCase(name))),
  );
}

/** Splits addresses into those that may be read, each once, and those that may not. */
function partitionUrls(checkUrl: CheckUrl, asked: string[]): { urls: string[]; invalid: string[] } {
  const urls = new Set<string>();
  const invalid: string[] = [];
  for (const url of asked) {
    try {
      urls.add(checkUrl(addScheme(url)).href);
    } catch (error) {
      if (!(error instanceof Failure)) throw error;
      invalid.push(url);
    }
  }
  return { urls: [...urls], invalid };
}
