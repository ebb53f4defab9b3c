import type { Selectable } from 'kysely';
import type { Page } from '../pages/article.ts';
import type { Tenant } from '../platform/fairness/fair-queue.ts';
import type { JobTable } from '../platform/store/jobs/job-tables.ts';

/** Which pages of a site a crawl job reads. Patterns are regular expressions in RE2 syntax. */
export type CrawlOrder = {
  start: string;
  include: string[];
  exclude: string[];
  /** Patterns match the whole address instead of its path. */
  matchesWholeUrl: boolean;
  /** Includes pages that are not below the path of the start address. */
  entireDomain: boolean;
  subdomains: boolean;
  /** Includes pages of other sites that the site links to; their links are not followed. */
  external: boolean;
  /** Addresses that differ only in their query count as one. */
  ignoresQuery: boolean;
  /** Addresses that differ only in scheme, `www.`, index file or last slash count as one page. */
  foldsSpellings: boolean;
  /** Maximum link distance from the start page; null: no bound. */
  depthMax: number | null;
  sitemap: 'skip' | 'include' | 'only';
};

/** The webhook that receives a job's events. */
export type WebhookOrder = {
  url: string;
  headers: Record<string, string>;
  events: ('started' | 'page' | 'completed' | 'failed')[];
  /** Sent unchanged with every event. */
  metadata: unknown;
};

/** The work of a job, stored as JSON. */
export type JobOrder = {
  /** Null: a batch of addresses. */
  crawl: CrawlOrder | null;
  pagesMax: number;
  /** Milliseconds between two requests to one host; null: the default. */
  delayMs: number | null;
  /** Maximum concurrent requests to one host. */
  perHostMax: number;
  /** Options for reading each page; opaque to all but the reader. */
  reading: unknown;
  /** Pages that are read may be kept for other callers. */
  keep: boolean;
  webhook: WebhookOrder | null;
};

/** A stored job with its order parsed. */
export type Job = Omit<Selectable<JobTable>, 'request'> & { order: JobOrder };

/** A page that a job read, with the document that its caller gets, as JSON. */
export type JobReading = { page: Page; document: string };

/** Reads a page for a job. Throws `Failure` like `OpenPage`. */
export type ReadForJob = (
  url: string,
  how: {
    reading: unknown;
    tenant: Tenant;
    keep: boolean;
    signal: AbortSignal;
    /** Milliseconds between two reads of the host, observed by whichever process does the read. */
    paceMs: number;
  },
) => Promise<JobReading>;

/**
 * Charges for pages, once per reference. Resolves to the number of pages paid for: all, or as many as the payer can afford. Repeating
 * a reference returns the same result.
 */
export type ChargePages = (charge: { keyId: string | null; reference: string; pages: number }) => Promise<{
  paid: number;
  credits: number;
}>;
