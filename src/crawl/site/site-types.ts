import type { OpenPage } from '../../pages/open-page-types.ts';
import type { Clock } from '../../platform/clock.ts';
import type { CheckUrl, GuardedFetch } from '../../platform/net/fetch-types.ts';
import type { FairQueue } from '../../platform/sharing/fair-queue.ts';
import type { Tenant } from '../../platform/sharing/fair-shares.ts';
import type { FrontierRow } from '../frontier/frontier-types.ts';
import type { RobotsOfHosts } from '../robots/robots-of-hosts.ts';
import type { ReadSitemapFile } from '../robots/sitemap-worker.ts';
import type { Politeness } from '../visit/politeness.ts';
import type { Wait } from '../visit/visit-all.ts';
import type { Instructions } from './instructions.ts';
import type { SiteFilters, UrlVerdict } from './site-rules.ts';

/** The request for a crawl or map of one site. */
export type SiteRequest = {
  /** Absolute addresses of the start page, tried in order: `https` before `http` where the caller gave no scheme. */
  starts: string[];
  filters: SiteFilters;
  /** Maximum link distance from the start page, and new links followed from one page. */
  depthMax: number;
  breadthMax: number;
  /** Maximum addresses in the answer. */
  pagesMax: number;
  instructions: Instructions | null;
  /** Milliseconds for the whole crawl; after that it answers with what has been read. */
  budgetMs: number;
  signal: AbortSignal;
  /** The caller, for fair shares. */
  tenant?: Tenant;
  /** Whether what is read may be kept and shared with other callers; absent: yes. */
  keep?: boolean | undefined;
};

export type SiteDeps = {
  fetch: GuardedFetch;
  readSitemapFile: ReadSitemapFile;
  checkUrl: CheckUrl;
  /** Indexes what it opens. */
  openPage: OpenPage;
  /** Bounds the site crawls and maps at once. */
  slots: FairQueue;
  clock: Clock;
  /** Times the requests to a host: whoever sets the clock neither stops nor hurries a crawl. */
  steady: Clock;
  /** For tests that move the clock. */
  wait?: Wait;
};

export type SiteOptions = {
  /** Whether pages are visited whose links are not followed. */
  visitsLeaves: boolean;
  /** The depth assigned to a page from a sitemap. */
  sitemapDepth(url: string): number;
  /** Whether the pages of sitemaps come before the links of the start page. */
  sitemapsFirst: boolean;
};

/** Shared by the steps of one site crawl. */
export type SiteContext = {
  deps: SiteDeps;
  request: SiteRequest;
  options: SiteOptions;
  robotsOf: RobotsOfHosts;
  politeness: Politeness;
  /** Fires when the time is up or the caller has gone. */
  ending: AbortSignal;
};

/** An address of a site crawl; its depth decreases when a shorter way to it is found. */
export type SiteRow = FrontierRow & {
  verdict: UrlVerdict;
  /** How well its address and the texts of links to it fit the instructions, 0..1. */
  interest: number;
  state: 'pending' | 'taken' | 'done' | 'lost';
  /** Addresses that its page links to, once it has been visited. */
  links: string[];
  /** How many of its links were new and are followed. */
  followed: number;
};
