import type { CacheState } from './page.ts';

export type ReadRequest = { url: string; question: string | null; signal: AbortSignal };

export type ReadAnswer = {
  markdown: string;
  url: string;
  title: string;
  cache: CacheState;
  /** ceil(chars / 4) before: of the source, or of the whole page's Markdown when pruned to a question. */
  rawTokens: number;
  outputTokens: number;
  /** Whole percent from 0 to 100. */
  savingsPercent: number;
};

/** Throws `Failure('url_not_allowed')` or `Failure('fetch_failed')`. */
export type Read = (request: ReadRequest) => Promise<ReadAnswer>;
