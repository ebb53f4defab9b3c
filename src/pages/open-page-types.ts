import type { Tenant } from '../platform/sharing/fair-queue.ts';
import type { Page } from './article.ts';
import type { ExtrasRequest } from './extract/extras/extras-types.ts';

/** How to open pages. */
export type Opening = {
  /** A cached page older than this is revalidated; default one hour. 0 always asks the origin. */
  freshMs?: number;
  /**
   * 'only': serves a copy of any age without asking the origin. 'never': serves no older copy when the origin fails.
   * Absent: serves an older copy when the origin fails.
   */
  copies?: 'only' | 'never';
  /** Milliseconds for the fetch; default PAGE_TIMEOUT_MS. */
  timeoutMs?: number;
  /**
   * What is wanted besides the article. Kept copies do not have it: the page is always fetched, and fails when its origin fails. The
   * article is kept as always.
   */
  extras?: ExtrasRequest;
  /** 'browser': read after its scripts; 'plain': never. Absent: with a browser where the page is an empty shell otherwise. */
  engine?: 'browser' | 'plain';
  /** What a browser waits for; only with the engine 'browser'. */
  waiting?: { ms?: number; selector?: string };
  /** The caller's headers, sent to the origin of the URL only. The page is then read from no copy, kept nowhere and shared with nobody. */
  headers?: Record<string, string>;
};

export type OpenOptions = Opening & {
  signal: AbortSignal;
  /** False: only the page's own address is fetched, as crawlers must that keep to the pace of a host. */
  elsewhere?: false;
  /** The caller, for fair shares; absent: the service itself. */
  tenant?: Tenant;
  /** Whether the page may be kept and shared with other callers; absent: yes. A copy that is kept already is served in any case. */
  keep?: boolean | undefined;
};

/**
 * Opens the page of a URL: rewrites the address (blob pages of code hosts, preprint PDFs), uses the cache if fresh, otherwise
 * fetches or revalidates, then decodes and extracts off the event loop. Serves a copy marked `stale` when the origin fails.
 * Throws `Failure('url_not_allowed')` or `Failure('fetch_failed')`.
 */
export type OpenPage = (url: string, options: OpenOptions) => Promise<Page>;
