import { randomUUID } from 'node:crypto';
import * as z from 'zod';
import type { ReadForJob } from '../../../jobs/job-types.ts';
import type { FormatEvent } from '../../../jobs/webhooks/deliver.ts';
import { toPageText } from '../../../pages/article.ts';
import type { OpenPage } from '../../../pages/open-page-types.ts';
import type { PruneWorker } from '../../../search/prune-worker.ts';
import type { JsonObject } from '../../calls/call.ts';
import { parseBody } from '../../calls/wire.ts';
import { toDocument } from '../document.ts';
import { buildScrape, type Rendering, type Scrape, scrapeOptions, VERBATIM } from '../scrape-fields.ts';

const SIGNATURE_HEADER = 'x-firecrawl-signature';
/** Formats an event as receivers of this shape expect it: `{success, type, id, webhookId, data, metadata, error}`. */
export const formatFirecrawlEvent: FormatEvent = ({ id, job, event, document, error }) => {
  const kind = job.kind === 'crawl' ? 'crawl' : 'batch_scrape';
  const fields = {
    success: error === null,
    type: `${kind}.${event === 'page_failed' ? 'page' : event}`,
    id: job.id,
    webhookId: id,
    metadata: job.order.webhook?.metadata ?? {},
    ...(error === null ? {} : { error: describeReason(error.reason), code: error.reason }),
    ...(error?.url === null || error?.url === undefined ? {} : { url: error.url }),
  };
  // The document is JSON already.
  const body = `${JSON.stringify(fields).slice(0, -1)},"data":[${document ?? ''}]}`;
  return { body, signatureHeader: SIGNATURE_HEADER };
};
const WORDS: Readonly<Record<string, string>> = {
  insufficient_credits: 'The key ran out of credits before all pages were read.',
  host_gave_up: 'The host refused further requests.',
  too_large: 'The results reached the maximum size of a job.',
  too_long: 'The job reached the maximum time of a job.',
  cancelled: 'The job was cancelled.',
  internal: 'The job could not be continued.',
  robots_txt: 'robots.txt does not allow the page.',
  timeout: 'The page took too long.',
  wall: 'The page shows a bot check or a login instead of its content.',
  empty: 'The page has no readable text.',
  not_allowed: 'The address is not public.',
};

const Options = z.object(scrapeOptions);

/**
 * Creates the reader of pages for jobs. It works as POST /v2/scrape does, with the options that the job stores as its caller wrote them.
 */
export function createReadForJob({
  openPage,
  prune,
  rendersPages,
}: Rendering & { openPage: OpenPage; prune: PruneWorker }): ReadForJob {
  const parsed = new WeakMap<object, Scrape>();
  const parseScrape = (reading: JsonObject): Scrape => {
    const scrape =
      parsed.get(reading) ??
      buildScrape(parseBody(Options, reading, { verbatim: VERBATIM }), { rendersPages });
    parsed.set(reading, scrape);
    return scrape;
  };
  return async (url, { reading, keep, tenant, signal }) => {
    // The cast is safe: the object was validated when the job was ordered.
    const { formats, opening, parts, keep: mayKeep } = parseScrape(reading as JsonObject);
    const page = await openPage(url, { ...opening, tenant, signal, keep: keep && mayKeep });
    const { article, extras, cache, fetchedAt } = page;
    const markdown = extras?.markdown ?? article.markdown;
    const about = { sourceUrl: url, formats, scrapeId: randomUUID() };
    const text = { ...toPageText(article), markdown };
    const [takenParts] =
      parts === undefined ? [] : await prune([text], { wanted: parts, query: null, tenant }, signal);
    const { late: incomplete = [], ...taken } = takenParts ?? {};
    const read = {
      markdown,
      article,
      cache,
      fetchedAt,
      incomplete,
      ...(extras === undefined ? {} : { extras }),
      parts: taken,
    };
    return { page, document: JSON.stringify(toDocument(read, about)) };
  };
}

/** Explains why a page or a job failed. */
export function describeReason(reason: string): string {
  const [, status] = /^http_(\d+)$/.exec(reason) ?? [];
  if (status !== undefined) return `The page answered with status ${status}.`;
  return WORDS[reason] ?? `The page cannot be read: ${reason}.`;
}
