import type { CrawlRunTable } from '../../platform/store/tables.ts';

/** Work that a server does for its operator. */
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

/** Number of pages by result; `queued`: addresses still to visit, null if unknown. */
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
  /** How the run ended or why it failed, as text for people. */
  note: string | null;
  createdAt: number;
  startedAt: number | null;
  endedAt: number | null;
};

export const NO_COUNTS: RunCounts = { pages: 0, failed: 0, skipped: 0, duplicates: 0, queued: null };

/** The result of a run that was not interrupted. */
export type RunEnd = { counts: RunCounts; note: string; failed?: boolean };

/**
 * Performs an order. Resolves when the work is done, or soon after `signal` fires; the same order then continues from there.
 * `isResumed`: the run has been in progress before.
 */
export type PerformRun = (
  order: RunOrder,
  how: { signal: AbortSignal; isResumed: boolean; onProgress(counts: RunCounts): void },
) => Promise<RunEnd>;
