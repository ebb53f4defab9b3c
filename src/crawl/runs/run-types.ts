import type { CrawlRunTable } from '../../platform/store/tables.ts';

/** What a server is to do for its operator. */
export type RunOrder =
  | {
      kind: 'crawl';
      /** Absolute http(s) addresses. */
      starts: string[];
      pagesMax: number;
      /** Null: no bound. */
      depthMax: number | null;
      withinPath: boolean;
      fresh: boolean;
      /** Null: the default of a crawl. */
      delayMs: number | null;
    }
  /** `name`: a file or folder in the folder of imports. */
  | { kind: 'import'; name: string; baseUrl: string | null }
  | { kind: 'refresh'; pagesMax: number };

export type RunState = CrawlRunTable['state'];

/** Pages by what came of them; `queued`: addresses still to visit, null where nobody knows. */
export type RunCounts = {
  pages: number;
  failed: number;
  skipped: number;
  duplicates: number;
  queued: number | null;
};

export type OperatorRun = {
  id: string;
  order: RunOrder;
  state: RunState;
  counts: RunCounts;
  /** How it ended, or why it failed; in words, for people. */
  note: string | null;
  createdAt: number;
  startedAt: number | null;
  endedAt: number | null;
};

export const NO_COUNTS: RunCounts = { pages: 0, failed: 0, skipped: 0, duplicates: 0, queued: null };

/** How a piece of work ended by itself. */
export type RunEnd = { counts: RunCounts; note: string; failed?: boolean };

/**
 * Does what an order says. Resolves when the work is over, or soon after `signal` fires; the same order then continues from
 * there. `isResumed`: it has been at work before.
 */
export type PerformRun = (
  order: RunOrder,
  how: { signal: AbortSignal; isResumed: boolean; onProgress(counts: RunCounts): void },
) => Promise<RunEnd>;
