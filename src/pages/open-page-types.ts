import type { Tenant } from '../platform/sharing/fair-shares.ts';
import type { Page } from './article.ts';

/** How to open pages. */
export type Opening = {
  /** A cached page older than this is revalidated; default one hour. 0 always asks the origin. */
  freshMs?: number;
  /**
   * 'only': a copy of any age, without asking the origin. 'never': no older copy is served when the origin fails.
   * Absent: an older copy is served then.
   */
  copies?: 'only' | 'never';
  /** Milliseconds for the fetch; default PAGE_TIMEOUT_MS. */
  timeoutMs?: number;
};

export type OpenOptions = Opening & {
  signal: AbortSignal;
  /** The tenant who asks, for fair shares; absent: the service itself. */
  tenant?: Tenant;
};

/**
 * A URL -> its page: rewritten (code-host blobs, preprint PDFs), from the cache when fresh, else fetched or revalidated,
 * decoded and extracted off the event loop. A stale copy is served, marked so, when the origin fails.
 * Throws `Failure('url_not_allowed')` or `Failure('fetch_failed')`.
 */
export type OpenPage = (url: string, options: OpenOptions) => Promise<Page>;
