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
  /** Reads a response as any other. */
  read(response: FetchedResponse): Promise<Read | { failure: Failure }>;
};

type Read = { article: Article; extras?: Page['extras'] };

/** A page after its scripts, and the response it stands in. */
type Rendered = Read & { response: FetchedResponse };

/** What the page's own address gave. */
type Plain = { isShell?: true; article?: Article; failure?: Failure };

/** Less time is not worth a browser, unless the caller wants one. */
const RENDER_MS_MIN = 1_500;

const NO_BROWSER =
  'needs a browser, which this service does not have: its operator can run `sanderling render` and set RENDER_URL';

/**
 * The page by a browser before anything else is tried: because the caller wants it so, or because pages of its host need one. Null: it
 * is read without.
 */
export async function browserFirst(deps: BrowserDeps, turn: BrowserTurn): Promise<Rendered | null> {
  const { rendering, hosts } = deps;
  if (turn.engine === 'browser') return render(deps, turn);
  const { host } = new URL(turn.renderedUrl);
  if (turn.engine === 'plain' || rendering === null || !turn.maySuggestItself) return null;
  if (!hosts.startsWithBrowser(host) || leftOf(turn) < RENDER_MS_MIN) return null;
  return render(deps, turn).catch((error: unknown) => {
    if (!(error instanceof Failure) || turn.signal.aborted || isOfPage(error)) throw error;
    return null;
  });
}

/**
 * The page by a browser if it is an empty shell without and has more text with one; null otherwise. Throws where the page fails in the
 * browser, and has nothing without.
 */
export async function browserInstead(
  deps: BrowserDeps,
  plain: Plain,
  turn: BrowserTurn,
): Promise<Rendered | null> {
  const { hosts, log } = deps;
  const { host } = new URL(turn.renderedUrl);
  if (turn.engine === 'plain' || deps.rendering === null || !turn.maySuggestItself) return null;
  if (plain.isShell !== true) {
    if (plain.failure === undefined) hosts.needsNone(host);
    return null;
  }
  if (leftOf(turn) < RENDER_MS_MIN) return null;
  try {
    const page = await render(deps, turn);
    if (plain.article !== undefined && charsOf(page.article) <= charsOf(plain.article)) return null;
    hosts.needsBrowser(host);
    return page;
  } catch (error) {
    if (!(error instanceof Failure) || turn.signal.aborted) throw error;
    log.info({ host, reason: error.fetch?.reason ?? error.code }, 'an empty shell was not rendered');
    if (plain.failure !== undefined && isOfPage(error)) throw error;
    return null;
  }
}

const leftOf = ({ end }: BrowserTurn): number => end - steadyClock.now();

async function render(deps: BrowserDeps, turn: BrowserTurn): Promise<Rendered> {
  const { rendering, read } = deps;
  if (rendering === null) throw new Failure('validation_error', `This page ${NO_BROWSER}.`);
  // They would enter the browser, and go with it to whomever the page asks.
  if (turn.headers !== undefined)
    throw new Failure('validation_error', "A browser takes no headers of a caller's own.");
  const timeoutMs = leftOf(turn);
  if (timeoutMs <= 0) throw createFetchFailure('timeout', 'The page took too long.');
  const { response, screenshot } = await fetchRendered(rendering, { ...turn, timeoutMs });
  const page = await read(response);
  if ('failure' in page) throw page.failure;
  const article: Article = { ...page.article, readRoute: 'browser' };
  const { extras } = page;
  const kept = extras && { extras: { ...extras, ...(screenshot === null ? {} : { screenshot }) } };
  return { article, ...kept, response };
}

/** Whether a failure says something about the page; a file that is none, and a browser that cannot be had, say nothing. */
const isOfPage = ({ code, fetch }: Failure): boolean =>
  code !== 'overloaded' && !['overloaded', 'unsupported_type'].includes(fetch?.reason ?? '');

const charsOf = ({ markdown }: Article): number => markdown.trim().length;
