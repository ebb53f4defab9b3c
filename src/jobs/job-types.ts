import type { Selectable } from 'kysely';
import type { Page } from '../pages/article.ts';
import type { Tenant } from '../platform/sharing/fair-shares.ts';
import type { JobTable } from '../platform/store/jobs/job-tables.ts';

/** Which pages of a site a crawl job reads. Patterns are regular expressions in RE2 syntax. */
export type CrawlOrder = {
  start: string;
  include: string[];
  exclude: string[];
  /** Patterns match the whole address instead of its path. */
  matchesWholeUrl: boolean;
  /** Also pages that are not below the path of the start address. */
  entireDomain: boolean;
  subdomains: boolean;
  /** Also pages of other sites that the site links to; their links are not followed. */
  external: boolean;
  /** Addresses that differ only in their query are one. */
  ignoresQuery: boolean;
  /** Addresses that differ only in scheme, `www.`, index file or last slash are one page. */
  foldsSpellings: boolean;
  /** Maximum link distance from the start page; null: no bound. */
  depthMax: number | null;
  sitemap: 'skip' | 'include' | 'only';
};

/** Where events of a job are sent. */
export type WebhookOrder = {
  url: string;
  headers: Record<string, string>;
  events: ('started' | 'page' | 'completed' | 'failed')[];
  /** Sent with every event, as it is. */
  metadata: unknown;
};

/** What a job does; kept as JSON. */
export type JobOrder = {
  /** Null: a batch of addresses. */
  crawl: CrawlOrder | null;
  pagesMax: number;
  /** Milliseconds between two requests to one host; null: the default. */
  delayMs: number | null;
  /** Requests to one host at once. */
  perHostMax: number;
  /** How each page is read; only the reader understands it. */
  reading: unknown;
  /** Whether what is read may be kept for other callers. */
  keep: boolean;
  webhook: WebhookOrder | null;
};

/** A job as it is stored, its order parsed. */
export type Job = Omit<Selectable<JobTable>, 'request'> & { order: JobOrder };

/** A page that a job read, and what its caller gets of it: a document as JSON. */
export type JobReading = { page: Page; document: string };

/** Reads a page for a job. Throws `Failure` like `OpenPage`. */
export type ReadForJob = (
  url: string,
  how: {
    reading: unknown;
    tenant: Tenant;
    keep: boolean;
    signal: AbortSignal;
    /** Milliseconds between two reads of the host, for whoever reads in the place of this process. */
    paceMs: number;
  },
) => Promise<JobReading>;

/**
 * Charges for pages, once per reference. Resolves to the number that is paid: all, or as many as the payer can; the same answer each
 * time it is asked.
 */
export type ChargePages = (charge: { keyId: string | null; reference: string; pages: number }) => Promise<{
  paid: number;
  credits: number;
}>;
