import type { FetchReason } from '../errors.ts';
import type { CacheState } from './page.ts';
import type { ContentsWanted, PageParts } from './search.ts';

export type ContentsRequest = { urls: string[]; wanted: ContentsWanted; signal: AbortSignal };

export type ContentsResult = PageParts & {
  /** As requested. */
  id: string;
  url: string;
  title: string;
  author: string | null;
  publishedDay: string | null;
};

/** One per requested URL, in order. */
export type UrlStatus =
  | { ok: true; id: string; cache: CacheState }
  | { ok: false; id: string; reason: FetchReason; httpStatus: number | null; message: string };

export type ContentsAnswer = { results: ContentsResult[]; statuses: UrlStatus[] };

/** Throws `Failure('url_not_allowed')` before anything is fetched when a URL is not public, or after a redirect of the only URL. */
export type Contents = (request: ContentsRequest) => Promise<ContentsAnswer>;
