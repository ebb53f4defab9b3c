import type { Tenant } from '../platform/fairness/fair-queue.ts';
import type { GuardedFetch } from '../platform/net/fetch-types.ts';
import type { Page } from './article.ts';
import type { ExtrasRequest } from './extract/extras/map-fields.ts';

/** Options of opening pages. */
export type OpeningOptions = {
  /** A cached page older than this is revalidated; default one hour. 0 always asks the origin. */
  freshMs?: number;
  /**
   * 'only': serves a copy of any age without asking the origin. 'never': serves no older copy when the origin fails. Absent: serves an
   * older copy when the origin fails.
   */
  copies?: 'only' | 'never';
  /** Milliseconds since the epoch: the version of the page that was in force then is wanted, and nothing is fetched. */
  at?: number;
  /** Milliseconds for the fetch; default PAGE_TIMEOUT_MS. */
  timeoutMs?: number;
  /**
   * The extras to return besides the article. Cached copies lack them, so the page is always fetched, and the call fails when the origin
   * fails. The article itself is cached as usual.
   */
  extras?: ExtrasRequest;
  /**
   * 'browser': the page is read after its scripts have run; 'plain': a browser is never used. Absent: a browser is used only where the
   * page is an empty shell.
   */
  engine?: 'browser' | 'plain';
  /** What the browser waits for before it takes the page; only with the engine 'browser'. */
  waiting?: { ms?: number; selector?: string };
  /** The caller's headers, sent to the origin of the URL only. The page then bypasses the cache and is neither stored nor shared. */
  headers?: Record<string, string>;
};

export type OpenOptions = OpeningOptions & {
  signal: AbortSignal;
  /** False: only the page's own address is fetched. Crawlers need this to keep to the crawl delay of a host. */
  elsewhere?: false;
  /** The caller, for fair shares; absent: the service itself. */
  tenant?: Tenant;
  /** Whether the page may be cached and shared with other callers; absent: yes. An existing cached copy is served in any case. */
  keep?: boolean | undefined;
  /** Fetches the page as somebody who has signed in. The page is as private as one that was read with `headers`. */
  fetchSignedIn?: GuardedFetch;
};

/**
 * Opens the page of a URL: rewrites the address (blob pages of code hosts, preprint PDFs), uses the cache if fresh, otherwise
 * fetches or revalidates, then decodes and extracts off the event loop. Serves a copy marked `stale` when the origin fails.
 * Throws `Failure('url_not_allowed')` or `Failure('fetch_failed')`.
 */
export type OpenPage = (url: string, options: OpenOptions) => Promise<Page>;
