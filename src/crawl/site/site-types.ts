import type { OpenPage } from '../../pages/open-page-types.ts';
import type { Clock } from '../../platform/clock.ts';
import type { FairQueue, Tenant } from '../../platform/fairness/fair-queue.ts';
import type { CheckUrl, GuardedFetch } from '../../platform/net/fetch-types.ts';
import type { FrontierRow } from '../frontier/frontier-types.ts';
import type { Politeness } from '../frontier/politeness.ts';
import type { RobotsOfHosts } from '../robots/host-robots.ts';
import type { ReadSitemapFile } from '../robots/read-sitemaps.ts';
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
  /** Milliseconds for the whole crawl; after that it returns the pages read so far. */
  budgetMs: number;
  signal: AbortSignal;
  /** The caller, for fair shares. */
  tenant?: Tenant;
  /** True or absent: pages may be cached and shared with other callers. */
  keep?: boolean | undefined;
};

export type SiteDeps = {
  fetch: GuardedFetch;
  readSitemapFile: ReadSitemapFile;
  checkUrl: CheckUrl;
  /** Indexes what it opens. */
  openPage: OpenPage;
  /** Bounds the concurrent site crawls and maps. */
  slots: FairQueue;
  clock: Clock;
  /** Times the requests to a host, so that setting the system clock neither stops nor hurries a crawl. */
  steady: Clock;
  /** Replaced by tests that move the clock. */
  wait?: Wait;
};

export type SiteOptions = {
  /** True if pages are visited even if their links are not followed. */
  visitsLeaves: boolean;
  /** The depth assigned to a page from a sitemap. */
  sitemapDepth(url: string): number;
  /** True if the pages of sitemaps come before the links of the start page. */
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

/** An address of a site crawl; its depth decreases when a shorter path to it is found. */
export type SiteRow = FrontierRow & {
  verdict: UrlVerdict;
  /** Score of its address and the texts of links to it against the instructions, 0..1. */
  interest: number;
  state: 'pending' | 'taken' | 'done' | 'lost';
  /** Addresses that its page links to, once it has been visited. */
  links: string[];
  /** Number of its links that were new and are followed. */
  followed: number;
};
