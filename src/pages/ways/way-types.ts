import type { Tenant } from '../../platform/sharing/fair-queue.ts';
import type { Article } from '../article.ts';

/** How the answers of a way are read; `page` is the address of the page that they stand for. */
type WayReading =
  | { kind: 'twin'; page: string }
  | { kind: 'section'; page: string }
  | { kind: 'oembed'; page: string }
  | { kind: 'site'; page: string; site: string };

/** Another way to the text of a page: addresses to fetch, in order, and how to read what they answer. */
export type Way = {
  route: 'twin' | 'oembed' | 'api';
  /** At most EXTRA_FETCHES_MAX. The first must answer, the others may; `{0.name}` stands for a field of the first answer. */
  addresses: string[];
  reading: WayReading;
};

/** Extra fetches for one page. */
export const EXTRA_FETCHES_MAX = 2;

/** The answer of one address. */
export type WayAnswer = { url: string; contentType: string | null; bytes: Uint8Array<ArrayBuffer> };

export type WayTask = { answers: WayAnswer[]; reading: WayReading; route: Way['route'] };

/** What was found elsewhere: an article, and the responses that it was made of, for the question whether it may be shared. */
export type FoundElsewhere = {
  article: Article;
  answers: { url: string; headers: Record<string, string> }[];
};

/** How far a search elsewhere may go. */
export type WayTurn = { signal: AbortSignal; tenant: Tenant; timeoutMs: number };
