import type { Tenant } from '../platform/sharing/fair-shares.ts';
import type { Page } from './article.ts';

/** How a caller wants pages opened. */
export type Opening = {
  /** A cached page older than this is revalidated; default one hour. 0 asks the origin in any case. */
  freshMs?: number;
  /**
   * 'only': the origin is not asked, a copy of whatever age will do. 'never': no older copy stands in when the origin fails.
   * Absent: it does.
   */
  copies?: 'only' | 'never';
  /** Milliseconds for the fetch; default PAGE_TIMEOUT_MS. */
  timeoutMs?: number;
};

export type OpenOptions = Opening & {
  signal: AbortSignal;
  /** Whose page it is, for fair shares; absent: the service's own. */
  tenant?: Tenant;
};

/**
 * A URL -> its page: rewritten (code-host blobs, preprint PDFs), from the cache when fresh, else fetched or revalidated,
 * decoded and extracted off the event loop. A stale copy is served, marked so, when the origin fails.
 * Throws `Failure('url_not_allowed')` or `Failure('fetch_failed')`.
 */
export type OpenPage = (url: string, options: OpenOptions) => Promise<Page>;
