import { Failure, type FetchReason } from '../errors.ts';
import type { Tenant } from '../platform/fair-shares.ts';
import type { CheckUrl } from '../platform/net/fetch-types.ts';
import type { Opening, OpenOptions, OpenPage } from './open/open-page-types.ts';
import type { CacheState, Page } from './page.ts';
import { withProofs } from './prove-parts.ts';
import type { PruneOffThread } from './prune-off-thread.ts';
import type { ContentsWanted, PageParts } from './search.ts';

export type ContentsRequest = {
  urls: string[];
  wanted: ContentsWanted;
  /** How the pages are opened; absent: as any page. */
  opening?: Opening;
  /** Milliseconds after which pages that are not open count as failed. */
  openMs?: number;
  /** Of several addresses one that is not public fails alone; absent: it refuses the call before anything is fetched. */
  eachAlone?: true;
  signal: AbortSignal;
  /** Whose call it is, for fair shares. */
  tenant?: Tenant;
};

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

/** How the cache served the pages that loaded: `stale` when any is an older copy, `hit` when none was fetched. */
export function cacheOf(statuses: readonly UrlStatus[]): CacheState {
  const states = new Set(statuses.flatMap((status) => (status.ok ? [status.cache] : [])));
  if (states.has('stale')) return 'stale';
  return states.has('hit') && !states.has('miss') ? 'hit' : 'miss';
}

/** Throws `Failure('url_not_allowed')` before anything is fetched when a URL is not public, or after a redirect of the only URL. */
export type Contents = (request: ContentsRequest) => Promise<ContentsAnswer>;

type Opened = { id: string; page: Page } | { id: string; failure: Failure };

/** URLs -> their pages with the wanted parts; a URL that fails is an entry of `statuses` and the others go on. */
export function createContents(parts: {
  checkUrl: CheckUrl;
  openPage: OpenPage;
  prune: PruneOffThread;
}): Contents {
  return async ({ urls, wanted, opening = {}, openMs, eachAlone, signal, tenant }) => {
    // What is not judged here is judged by the opening of its page.
    if (!eachAlone) for (const url of urls) parts.checkUrl(url);
    const inTime = openMs === undefined ? signal : AbortSignal.any([signal, AbortSignal.timeout(openMs)]);
    const options = { ...opening, signal: inTime, tenant };
    const opened = await Promise.all(urls.map((url) => open(parts.openPage, url, options)));
    const [only] = opened;
    if (
      urls.length === 1 &&
      only !== undefined &&
      'failure' in only &&
      only.failure.code === 'url_not_allowed'
    )
      throw only.failure;
    const loaded = opened.filter((one) => 'page' in one);
    const dressed = await parts.prune(
      loaded.map(({ page }) => page.article),
      { wanted, query: null, tenant },
      signal,
    );
    const results = loaded.map(({ id, page }, place) =>
      resultOf(id, page, withProofs(dressed[place] ?? {}, page.article)),
    );
    return { results, statuses: opened.map(statusOf) };
  };
}

async function open(openPage: OpenPage, id: string, options: OpenOptions): Promise<Opened> {
  try {
    return { id, page: await openPage(id, options) };
  } catch (error) {
    if (error instanceof Failure && error.code !== 'internal') return { id, failure: error };
    throw error;
  }
}

function resultOf(id: string, { article }: Page, parts: PageParts): ContentsResult {
  const { url, title, author, published } = article;
  return { id, url, title, author, publishedDay: published?.day ?? null, ...parts };
}

function statusOf(one: Opened): UrlStatus {
  if ('page' in one) return { ok: true, id: one.id, cache: one.page.cache };
  const { fetch, code, message } = one.failure;
  const reason = fetch?.reason ?? (code === 'overloaded' ? 'overloaded' : 'not_allowed');
  return { ok: false, id: one.id, reason, httpStatus: fetch?.httpStatus ?? null, message };
}
