import type { Tenant } from '../../platform/sharing/fair-queue.ts';
import type { Article } from '../article.ts';

/** How the answers of an alternate are read; `page` is the address of the page that they stand for. */
type AlternateReading =
  | { kind: 'twin'; page: string }
  | { kind: 'section'; page: string }
  | { kind: 'oembed'; page: string }
  | { kind: 'site'; page: string; site: string };

/** An alternate source of a page's text: addresses to fetch, in order, and how to read their answers. */
export type Alternate = {
  route: 'twin' | 'oembed' | 'api';
  /** At most EXTRA_FETCHES_MAX addresses. The first must answer, the others may; `{0.name}` stands for a field of the first answer. */
  addresses: string[];
  reading: AlternateReading;
};

/** Maximum number of extra fetches for one page. */
export const EXTRA_FETCHES_MAX = 2;

/** The answer of one address. */
export type AlternateAnswer = { url: string; contentType: string | null; bytes: Uint8Array<ArrayBuffer> };

export type AlternateTask = {
  answers: AlternateAnswer[];
  reading: AlternateReading;
  route: Alternate['route'];
};

/** An article found at an alternate, with the responses that it was made of, which decide whether it may be shared. */
export type FoundAlternate = {
  article: Article;
  answers: { url: string; headers: Record<string, string> }[];
};

/** The limits of a search for alternates. */
export type AlternateTurn = { signal: AbortSignal; tenant: Tenant; timeoutMs: number };
