import { createFetchFailure, Failure } from '../../contract/errors.ts';
import { steadyClock } from '../../platform/clock.ts';
import type { Log } from '../../platform/log.ts';
import type { FetchedResponse } from '../../platform/net/fetch-types.ts';
import type { Article, Page } from '../article.ts';
import type { BrowserHosts } from './browser-hosts.ts';
import type { BrowserTurn } from './browser-turn.ts';
import { fetchRendered } from './fetch-rendered.ts';
import type { RenderClient } from './render-client.ts';

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
  // The headers would enter the browser and go to every host that the page contacts.
  if (turn.headers !== undefined)
    throw new Failure('validation_error', "A browser takes no headers of a caller's own.");
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
