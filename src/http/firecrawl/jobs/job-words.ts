import type { FormatEvent } from '../../../jobs/webhooks/deliver.ts';

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

/** Explains why a page or a job failed. */
export function describeReason(reason: string): string {
  const [, status] = /^http_(\d+)$/.exec(reason) ?? [];
  if (status !== undefined) return `The page answered with status ${status}.`;
  return WORDS[reason] ?? `The page cannot be read: ${reason}.`;
}
