import { Failure } from '../../contract/errors.ts';
import { steadyClock } from '../../platform/clock.ts';
import type { Log } from '../../platform/log.ts';
import type { CheckUrl, FetchedResponse, GuardedFetch } from '../../platform/net/fetch-types.ts';
import type { Article } from '../article.ts';
import type { Pointers } from '../extract/metadata/pointers.ts';
import { hasSecret } from '../sharing/secret-in-address.ts';
import { filledAddress } from './field-of.ts';
import { EXTRA_FETCHES_MAX, type FoundElsewhere, type Way, type WayTurn } from './way-types.ts';
import type { ReadWay } from './way-worker.ts';
import { preferredWay, waysInstead } from './which-ways.ts';

/** What the page's own address gave. */
type Plain = {
  asked: string;
  response: FetchedResponse;
  isConfirmed: boolean;
  pointers?: Pointers;
  article?: Article;
  about?: Article;
  failure?: Failure;
};

export type Ways = {
  /** The page from where it is better than at its own address; null where that is not known, or fails. */
  preferred(url: string, turn: WayTurn): Promise<FoundElsewhere | null>;
  /** The page from elsewhere if its own address gave nothing and another has more; null otherwise. */
  instead(plain: Plain, turn: WayTurn): Promise<FoundElsewhere | null>;
};

type WaysDeps = {
  fetch: GuardedFetch;
  checkUrl: CheckUrl;
  /** Whether robots.txt allows an address that no caller has asked for. */
  mayFetch(url: string, signal: AbortSignal): Promise<boolean>;
  readWay: ReadWay;
  log: Log;
};

const ACCEPTS: Record<Way['route'], string> = {
  twin: 'text/markdown, text/plain;q=0.9',
  oembed: 'application/json',
  api: 'application/json, text/markdown;q=0.9, text/html;q=0.8',
};

/** See `Ways`. A page takes at most EXTRA_FETCHES_MAX extra fetches, within the time that is left for the page. */
export function createWays(deps: WaysDeps): Ways {
  return {
    async preferred(url, turn) {
      const way = preferredWay(url);
      return way === null ? null : firstFound(deps, [way], { ...turn, charsMin: 1 });
    },
    async instead(plain, turn) {
      const { asked, response, isConfirmed, article, about = article, failure, pointers } = plain;
      const isPrivate = hasSecret(response.url) || response.redirects.some(({ url }) => hasSecret(url));
      if (isConfirmed || isPrivate) return null;
      const ways = waysInstead({ asked, read: response.url, pointers, failure: failure ?? null });
      // The text must be more than the page itself shows.
      const charsMin = (article?.markdown.length ?? 0) + 1;
      const found = await firstFound(deps, ways, { ...turn, charsMin });
      if (found === null || about === undefined) return found;
      const { redirects, url, headers } = response;
      return {
        article: besides(about, found.article),
        answers: [...redirects, { url, headers }, ...found.answers],
      };
    },
  };
}

type Search = WayTurn & { charsMin: number };

async function firstFound(
  deps: WaysDeps,
  ways: readonly Way[],
  search: Search,
): Promise<FoundElsewhere | null> {
  const until = steadyClock.now() + search.timeoutMs;
  let fetches = EXTRA_FETCHES_MAX;
  for (const way of ways) {
    const timeoutMs = until - steadyClock.now();
    if (fetches <= 0 || timeoutMs <= 0) return null;
    const signal = AbortSignal.any([search.signal, AbortSignal.timeout(timeoutMs)]);
    const { found, used } = await tryWay(deps, way, { ...search, signal, timeoutMs, fetches });
    if (found !== null && found.article.markdown.trim().length >= search.charsMin) return found;
    fetches -= used;
  }
  return null;
}

/** Any failure of a way means that it has nothing; only a caller who left ends the search. */
async function tryWay(
  deps: WaysDeps,
  way: Way,
  search: Search & { fetches: number },
): Promise<{ found: FoundElsewhere | null; used: number }> {
  const responses: FetchedResponse[] = [];
  let used = 0;
  try {
    for (const address of way.addresses.slice(0, search.fetches)) {
      const url = filledAddress(address, responses);
      if (url === null || !(await isAllowed(deps, url, search.signal))) break;
      used += 1;
      const response = await fetchWay(deps, { url, way }, search);
      if (response === null) break;
      responses.push(response);
    }
    const found = responses.length === 0 ? null : await readResponses(deps, { way, responses }, search);
    return { found, used };
  } catch (error) {
    if (!(error instanceof Failure) || search.signal.aborted) return leave(error, { search, used });
    deps.log.debug({ route: way.route, reason: error.fetch?.reason ?? error.code }, 'a way has no text');
    return { found: null, used };
  }
}

function leave(
  error: unknown,
  { search, used }: { search: Search; used: number },
): { found: null; used: number } {
  // The time of the page is over: its own address has the last word.
  if (search.signal.aborted && error instanceof Failure) return { found: null, used };
  throw error;
}

async function isAllowed(deps: WaysDeps, url: string, signal: AbortSignal): Promise<boolean> {
  deps.checkUrl(url);
  return deps.mayFetch(url, signal);
}

async function fetchWay(
  deps: WaysDeps,
  { url, way }: { url: string; way: Way },
  { signal, tenant, timeoutMs }: Search,
): Promise<FetchedResponse | null> {
  const response = await deps.fetch({
    url,
    signal,
    tenant,
    timeoutMs,
    headers: { accept: ACCEPTS[way.route] },
  });
  const isGiven = response.status >= 200 && response.status < 300 && response.body.length > 0;
  return isGiven && !hasSecret(response.url) ? response : null;
}

async function readResponses(
  { readWay }: WaysDeps,
  { way, responses }: { way: Way; responses: FetchedResponse[] },
  { signal, tenant }: WayTurn,
): Promise<FoundElsewhere | null> {
  const { route, reading } = way;
  const steps = responses.flatMap(({ redirects, url, headers }) => [...redirects, { url, headers }]);
  const answers = responses.map(({ url, headers, body }) => ({
    url,
    bytes: body,
    contentType: headers['content-type'] ?? null,
  }));
  const extracted = await readWay({ answers, reading, route }, signal, tenant);
  return extracted.ok ? { article: extracted.article, answers: steps } : null;
}

/** The text found elsewhere, with what the page itself says about it where the other place does not. */
function besides(page: Article, found: Article): Article {
  const { robots } = page;
  return {
    ...found,
    url: page.url,
    canonicalUrl: page.canonicalUrl,
    author: found.author ?? page.author,
    site: found.site ?? page.site,
    language: found.language ?? page.language,
    published: found.published ?? page.published,
    description: found.description ?? page.description,
    image: found.image ?? page.image ?? null,
    favicon: found.favicon ?? page.favicon ?? null,
    ...(page.meta === undefined ? {} : { meta: page.meta }),
    rawChars: page.rawChars + found.rawChars,
    robots: { index: robots.index && found.robots.index, follow: robots.follow && found.robots.follow },
  };
}
