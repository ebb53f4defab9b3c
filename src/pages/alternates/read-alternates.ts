/**
 * Finds the text of a page at alternate addresses: public APIs of known sites, oEmbed, and Markdown twins. It takes at most
 * EXTRA_FETCHES_MAX fetches per page, respects robots.txt, and treats the failure of an alternate as "nothing found". It never fetches
 * the page's own address.
 */

import { Failure } from '../../contract/errors.ts';
import { type Clock, steadyClock } from '../../platform/clock.ts';
import type { Tenant } from '../../platform/fairness/fair-queue.ts';
import type { Log } from '../../platform/log.ts';
import type { CheckUrl, FetchedResponse, GuardedFetch } from '../../platform/net/fetch-types.ts';
import { TASK_LIMITS } from '../../platform/threads/pool-limits.ts';
import {
  TaskFailed,
  type TaskPool,
  TaskTimedOut,
  type ThreadTask,
} from '../../platform/threads/task-pool.ts';
import { resolveThreadModule } from '../../platform/threads/thread-modules.ts';
import type { Article } from '../article.ts';
import type { Pointers } from '../extract/metadata/addresses.ts';
import type { ExtractResult } from '../extract-task.ts';
import { computeLastDay } from '../extract-worker.ts';
import { hasSecret } from '../privacy/secret-in-address.ts';
import type { readAlternate } from './alternate-task.ts';
import {
  type Alternate,
  type AlternateTask,
  type AlternateTurn,
  chooseAlternates,
  EXTRA_FETCHES_MAX,
  type FoundAlternate,
  findPreferredAlternate,
} from './choose-alternates.ts';
import { fillAddress } from './write-site.ts';

/** Loaded by a thread with its first answer. */
const ALTERNATE_TASK: ThreadTask<typeof readAlternate> = {
  module: resolveThreadModule('pages/alternates/alternate-task'),
  name: 'readAlternate',
  limits: TASK_LIMITS.extract,
};

/** The outcome of the page's own address. */
type PlainOutcome = {
  asked: string;
  response: FetchedResponse;
  isConfirmed: boolean;
  pointers?: Pointers;
  article?: Article;
  about?: Article;
  failure?: Failure;
};

export type Alternates = {
  /** Returns the page from an alternate that is better than its own address; null where none is known, or it fails. */
  preferred(url: string, turn: AlternateTurn): Promise<FoundAlternate | null>;
  /** Returns the page from an alternate if its own address gave nothing and the alternate has more; null otherwise. */
  instead(plain: PlainOutcome, turn: AlternateTurn): Promise<FoundAlternate | null>;
};

type AlternatesDeps = {
  fetch: GuardedFetch;
  checkUrl: CheckUrl;
  /** Whether robots.txt allows an address that no caller has requested. */
  mayFetch(url: string, signal: AbortSignal): Promise<boolean>;
  readWay: ReadAlternate;
  log: Log;
};

const ACCEPTS: Record<Alternate['route'], string> = {
  twin: 'text/markdown, text/plain;q=0.9',
  oembed: 'application/json',
  api: 'application/json, text/markdown;q=0.9, text/html;q=0.8',
};

/** See `Alternates`. A page takes at most EXTRA_FETCHES_MAX extra fetches, within the time that is left for the page. */
export function createAlternates(deps: AlternatesDeps): Alternates {
  return {
    async preferred(url, turn) {
      const alternate = findPreferredAlternate(url);
      return alternate === null ? null : findFirst(deps, [alternate], { ...turn, charsMin: 1 });
    },
    async instead(plain, turn) {
      const { asked, response, isConfirmed, article, about = article, failure, pointers } = plain;
      const isPrivate = hasSecret(response.url) || response.redirects.some(({ url }) => hasSecret(url));
      if (isConfirmed || isPrivate) return null;
      const alternates = chooseAlternates({ asked, read: response.url, pointers, failure: failure ?? null });
      // The text must be longer than what the page itself shows.
      const charsMin = (article?.markdown.length ?? 0) + 1;
      const found = await findFirst(deps, alternates, { ...turn, charsMin });
      if (found === null || about === undefined) return found;
      const { redirects, url, headers } = response;
      return {
        article: mergeArticles(about, found.article),
        answers: [...redirects, { url, headers }, ...found.answers],
      };
    },
  };
}

type AlternateSearch = AlternateTurn & { charsMin: number };

async function findFirst(
  deps: AlternatesDeps,
  alternates: readonly Alternate[],
  search: AlternateSearch,
): Promise<FoundAlternate | null> {
  const until = steadyClock.now() + search.timeoutMs;
  let fetches = EXTRA_FETCHES_MAX;
  for (const alternate of alternates) {
    const timeoutMs = until - steadyClock.now();
    if (fetches <= 0 || timeoutMs <= 0) return null;
    const signal = AbortSignal.any([search.signal, AbortSignal.timeout(timeoutMs)]);
    const { found, used } = await tryAlternate(deps, alternate, { ...search, signal, timeoutMs, fetches });
    if (found !== null && found.article.markdown.trim().length >= search.charsMin) return found;
    fetches -= used;
  }
  return null;
}

/** Tries one alternate. Any failure means that it has nothing; only a caller who left ends the search. */
async function tryAlternate(
  deps: AlternatesDeps,
  alternate: Alternate,
  search: AlternateSearch & { fetches: number },
): Promise<{ found: FoundAlternate | null; used: number }> {
  const responses: FetchedResponse[] = [];
  let used = 0;
  try {
    for (const address of alternate.addresses.slice(0, search.fetches)) {
      const url = fillAddress(address, responses);
      if (url === null || !(await isAllowed(deps, url, search.signal))) break;
      used += 1;
      const response = await fetchAlternate(deps, { url, alternate }, search);
      if (response === null) break;
      responses.push(response);
    }
    const found = responses.length === 0 ? null : await readResponses(deps, { alternate, responses }, search);
    return { found, used };
  } catch (error) {
    if (!(error instanceof Failure) || search.signal.aborted) return endSearch(error, { search, used });
    deps.log.debug(
      { route: alternate.route, reason: error.fetch?.reason ?? error.code },
      'a alternate has no text',
    );
    return { found: null, used };
  }
}

function endSearch(
  error: unknown,
  { search, used }: { search: AlternateSearch; used: number },
): { found: null; used: number } {
  // The time limit of the page has passed: the outcome of its own address counts.
  if (search.signal.aborted && error instanceof Failure) return { found: null, used };
  throw error;
}

async function isAllowed(deps: AlternatesDeps, url: string, signal: AbortSignal): Promise<boolean> {
  deps.checkUrl(url);
  return deps.mayFetch(url, signal);
}

async function fetchAlternate(
  deps: AlternatesDeps,
  { url, alternate }: { url: string; alternate: Alternate },
  { signal, tenant, timeoutMs }: AlternateSearch,
): Promise<FetchedResponse | null> {
  const response = await deps.fetch({
    url,
    signal,
    tenant,
    timeoutMs,
    headers: { accept: ACCEPTS[alternate.route] },
  });
  const isGiven = response.status >= 200 && response.status < 300 && response.body.length > 0;
  return isGiven && !hasSecret(response.url) ? response : null;
}

async function readResponses(
  { readWay }: AlternatesDeps,
  { alternate, responses }: { alternate: Alternate; responses: FetchedResponse[] },
  { signal, tenant }: AlternateTurn,
): Promise<FoundAlternate | null> {
  const { route, reading } = alternate;
  const steps = responses.flatMap(({ redirects, url, headers }) => [...redirects, { url, headers }]);
  const answers = responses.map(({ url, headers, body }) => ({
    url,
    bytes: body,
    contentType: headers['content-type'] ?? null,
  }));
  const extracted = await readWay({ answers, reading, route }, signal, tenant);
  return extracted.ok ? { article: extracted.article, answers: steps } : null;
}

/** Fills metadata that the alternate lacks from the page itself. */
function mergeArticles(page: Article, found: Article): Article {
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

/**
 * Reads the answers of an alternate in a thread; the bytes are transferred. Answers that cannot be read, or take too long, give no
 * article.
 */
type ReadAlternate = (task: AlternateTask, signal: AbortSignal, tenant: Tenant) => Promise<ExtractResult>;

/** See `ReadAlternate`. */
export function createReadAlternate(pool: TaskPool, clock: Clock): ReadAlternate {
  return async (task, signal, tenant) => {
    const transfer = task.answers.map(({ bytes }) => bytes.buffer);
    try {
      return await pool.run(ALTERNATE_TASK, [task, computeLastDay(clock.now())], {
        transfer,
        signal,
        tenant,
      });
    } catch (error) {
      if (error instanceof TaskTimedOut || error instanceof TaskFailed)
        return { ok: false, reason: 'undecodable', message: 'the answer could not be read' };
      throw error;
    }
  };
}
