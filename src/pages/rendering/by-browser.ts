import { LRUCache } from 'lru-cache';
import { createFetchFailure, Failure } from '../../contract/errors.ts';
import { type Clock, steadyClock } from '../../platform/clock.ts';
import type { Log } from '../../platform/log.ts';
import type { FetchedResponse } from '../../platform/net/fetch-types.ts';
import type { Article, Page } from '../article.ts';
import type { OpenOptions } from '../open-page-types.ts';
import type { RenderClient } from './render-client.ts';
import { RENDER_LIMITS } from './render-wire.ts';

const HOSTS_MAX = 5_000;
/** One in SAMPLE pages of a host is fetched without a browser, and so is the first page after SAMPLE_MS. */
const SAMPLE = 20;
const SAMPLE_MS = 3_600_000;

type BrowserDeps = {
  /** Null: no page is rendered. */
  rendering: Pick<RenderClient, 'render'> | null;
  hosts: BrowserHosts;
  log: Log;
  /** Reads a rendered response like any other. */
  read(response: FetchedResponse): Promise<ReadArticle | { failure: Failure }>;
};

type ReadArticle = { article: Article; extras?: Page['extras'] };

/** An article read after the scripts of its page, with the response that held it. */
type RenderedArticle = ReadArticle & { response: FetchedResponse };

/** The outcome of the page's own address. */
type PlainRead = { isShell?: true; article?: Article; failure?: Failure };

/** With less time than this left, a browser is not tried unless the caller requests it. */
const RENDER_MS_MIN = 1_500;

const NO_BROWSER =
  'needs a browser, which this service does not have: its operator can run `sanderling render` and set RENDER_URL';

/**
 * Reads the page by a browser before anything else, because the caller requests it or because pages of its host need one. Null: the page
 * is to be read without a browser.
 */
export async function renderFirst(deps: BrowserDeps, turn: BrowserTurn): Promise<RenderedArticle | null> {
  const { rendering, hosts } = deps;
  if (turn.engine === 'browser') return render(deps, turn);
  const { host } = new URL(turn.renderedUrl);
  if (turn.engine === 'plain' || rendering === null || !turn.maySuggestItself) return null;
  if (!hosts.startsWithBrowser(host) || computeMsLeft(turn) < RENDER_MS_MIN) return null;
  return render(deps, turn).catch((error: unknown) => {
    if (!(error instanceof Failure) || turn.signal.aborted || isPageFailure(error)) throw error;
    return null;
  });
}

/**
 * Reads the page by a browser if it is an empty shell without one, and returns it if it then has more text; null otherwise. Throws where
 * the page fails in the browser and has nothing without it.
 */
export async function renderInstead(
  deps: BrowserDeps,
  plain: PlainRead,
  turn: BrowserTurn,
): Promise<RenderedArticle | null> {
  const { hosts, log } = deps;
  const { host } = new URL(turn.renderedUrl);
  if (turn.engine === 'plain' || deps.rendering === null || !turn.maySuggestItself) return null;
  if (plain.isShell !== true) {
    if (plain.failure === undefined) hosts.needsNone(host);
    return null;
  }
  if (computeMsLeft(turn) < RENDER_MS_MIN) return null;
  try {
    const page = await render(deps, turn);
    if (plain.article !== undefined && countChars(page.article) <= countChars(plain.article)) return null;
    hosts.needsBrowser(host);
    return page;
  } catch (error) {
    if (!(error instanceof Failure) || turn.signal.aborted) throw error;
    log.info({ host, reason: error.fetch?.reason ?? error.code }, 'an empty shell was not rendered');
    if (plain.failure !== undefined && isPageFailure(error)) throw error;
    return null;
  }
}

const computeMsLeft = ({ end }: BrowserTurn): number => end - steadyClock.now();

async function render(deps: BrowserDeps, turn: BrowserTurn): Promise<RenderedArticle> {
  const { rendering, read } = deps;
  if (rendering === null) throw new Failure('validation_error', `This page ${NO_BROWSER}.`);
  // The credentials would enter the browser and go to every host that the page contacts.
  if (turn.isOwn)
    throw new Failure('validation_error', "A browser takes no headers or sign-in of a caller's own.");
  const timeoutMs = computeMsLeft(turn);
  if (timeoutMs <= 0) throw createFetchFailure('timeout', 'The page took too long.');
  const { response, screenshot } = await fetchRendered(rendering, { ...turn, timeoutMs });
  const page = await read(response);
  if ('failure' in page) throw page.failure;
  const article: Article = { ...page.article, readRoute: 'browser' };
  const { extras } = page;
  const kept = extras && { extras: { ...extras, ...(screenshot === null ? {} : { screenshot }) } };
  return { article, ...kept, response };
}

/** Whether a failure is caused by the page itself. A file that is no page, and a browser that is unavailable, say nothing about it. */
const isPageFailure = ({ code, fetch }: Failure): boolean =>
  code !== 'overloaded' && !['overloaded', 'unsupported_type'].includes(fetch?.reason ?? '');

const countChars = ({ markdown }: Article): number => markdown.trim().length;

/** Remembers which hosts need a browser. */
export type BrowserHosts = {
  /**
   * Whether the next page of a host should be read by a browser first. Occasionally returns false for such a host, to check whether it
   * still needs one.
   */
  startsWithBrowser(host: string): boolean;
  /** Records that a page of the host was an empty shell, which a browser filled. */
  needsBrowser(host: string): void;
  /** Records that a page of the host had its text without a browser. */
  needsNone(host: string): void;
};

/** Keeps the most recently used hosts in memory. */
export function createBrowserHosts(clock: Clock): BrowserHosts {
  const known = new LRUCache<string, { reads: number; checkedAt: number }>({ max: HOSTS_MAX });
  return {
    startsWithBrowser(host) {
      const entry = known.get(host);
      if (entry === undefined) return false;
      entry.reads += 1;
      return entry.reads % SAMPLE !== 0 && clock.now() - entry.checkedAt < SAMPLE_MS;
    },
    needsBrowser: (host) => void known.set(host, { reads: 0, checkedAt: clock.now() }),
    needsNone: (host) => void known.delete(host),
  };
}

type RenderedResponse = {
  response: FetchedResponse;
  /** A PNG in base64; null unless one was requested. */
  screenshot: string | null;
};

type RenderOptions = Pick<BrowserTurn, 'renderedUrl' | 'waiting' | 'extras' | 'signal' | 'tenant'> & {
  timeoutMs: number;
};

/** Fetches a page after its scripts, as a response that is read like any other. Throws what `RenderClient` throws. */
async function fetchRendered(
  client: Pick<RenderClient, 'render'>,
  { renderedUrl: url, timeoutMs, waiting = {}, extras, signal, tenant }: RenderOptions,
): Promise<RenderedResponse> {
  const { min, max } = RENDER_LIMITS.timeoutMs;
  const order = {
    url,
    timeoutMs: Math.min(max, Math.max(min, Math.floor(timeoutMs))),
    ...(waiting.ms === undefined ? {} : { waitMs: Math.min(RENDER_LIMITS.waitMsMax, waiting.ms) }),
    ...(waiting.selector === undefined ? {} : { waitForSelector: waiting.selector }),
    ...(extras?.screenshot === undefined ? {} : { screenshot: extras.screenshot }),
  };
  const { html, screenshot, ...page } = await client.render(order, { signal, tenant });
  // The text is no longer in the charset and the coding of its headers.
  const headers = { ...page.headers, 'content-type': 'text/html; charset=utf-8' };
  return { response: { ...page, headers, body: encodeText(html) }, screenshot };
}

/** Returns the bytes in their own buffer, so that they can be transferred to a thread. */
function encodeText(text: string): Uint8Array<ArrayBuffer> {
  return new Uint8Array(new TextEncoder().encode(text));
}

/** Returns the fragment if scripts use it to tell the pages of a site apart; '' if it names a place on a page. */
export function parseScriptRoute(hash: string): string {
  return /^#!?\//.test(hash) || /^#!./.test(hash) ? hash : '';
}

/** The part of a request that decides whether a page is rendered, and how. */
export type BrowserTurn = {
  engine: OpenOptions['engine'] | undefined;
  waiting: OpenOptions['waiting'] | undefined;
  extras: OpenOptions['extras'] | undefined;
  /** True for a page that is read with the caller's headers or sign-in. */
  isOwn: boolean;
  /** False where only the caller may see the page, and for crawlers, which keep to the crawl delay of a host. */
  maySuggestItself: boolean;
  /** The address with the fragment that scripts read. */
  renderedUrl: string;
  /** The deadline of the page, by the steady clock. */
  end: number;
  signal: AbortSignal;
  tenant: OpenOptions['tenant'] | undefined;
};
