import type { Browser, BrowserContext, CDPSession, Page } from 'puppeteer-core';
import { Failure, fetchFailed } from '../contract/errors.ts';
import type { RenderedPage, RenderOrder } from '../pages/rendering/render-wire.ts';
import { notAllowed } from '../platform/net/network.ts';
import type { GuardedProxy } from '../platform/net/proxy/guarded-proxy.ts';
import { noteDocuments } from './documents.ts';
import { HAS_ELEMENT } from './page-scripts.ts';
import { type PageWorld, worldOf } from './page-world.ts';
import { LIMITS, SETTLING } from './render-limits.ts';
import { settle } from './settle.ts';
import { inTime } from './start-browser.ts';
import { takePage, takePicture } from './take-page.ts';
import { watchNetwork } from './watch-network.ts';

/** The browser ended while it had the page; another one may do better. */
export class BrowserGone extends Error {
  override name = 'BrowserGone';
}

type PageDeps = { browser: Browser; proxy: GuardedProxy; now: () => number; signal: AbortSignal };

/**
 * Renders one page in a context of its own, whose only way out is the proxy. Throws `Failure` for what is wrong with the page,
 * BrowserGone for what is wrong with the browser. `isSound` of the outcome is false where the page did not close.
 */
export async function renderPage(
  order: RenderOrder,
  deps: PageDeps,
): Promise<{ page: RenderedPage | Error; isSound: boolean }> {
  const { browser, proxy, now, signal } = deps;
  if (signal.aborted) return { page: noLongerWanted(), isSound: true };
  const end = now() + order.timeoutMs;
  const { promise: ended, reject } = Promise.withResolvers<never>();
  ended.catch(() => {});
  const timer = setTimeout(
    () => reject(fetchFailed('timeout', 'the page did not finish in time in the browser')),
    order.timeoutMs,
  );
  const gone = (): void => reject(new BrowserGone('the browser ended'));
  const leave = (): void => reject(noLongerWanted());
  browser.once('disconnected', gone);
  signal.addEventListener('abort', leave, { once: true });
  const opening = browser.createBrowserContext({
    proxyServer: proxy.address,
    proxyBypassList: ['<-loopback>'],
    downloadBehavior: { policy: 'deny' },
  });
  const work = async (): Promise<RenderedPage> =>
    readPage(order, { ...deps, context: await opening, end, fail: reject });
  try {
    const page = await Promise.race([work(), ended]).catch((error: unknown) => asError(error, browser));
    return { page, isSound: await close(opening) };
  } finally {
    clearTimeout(timer);
    browser.off('disconnected', gone);
    signal.removeEventListener('abort', leave);
  }
}

/** What a caller who has left is told. */
export const noLongerWanted = (): Failure => fetchFailed('aborted', 'the page is no longer wanted');

type Reading = PageDeps & { context: BrowserContext; end: number; fail: (error: Error) => void };

async function readPage(order: RenderOrder, reading: Reading): Promise<RenderedPage> {
  const { context, end, now, fail } = reading;
  const page = await context.newPage();
  guardWindow(page, reading);
  const documents = noteDocuments(page, fail);
  const session = await page.createCDPSession();
  await session.send('Page.enable');
  await leaveOut(session, order);
  const onEndless = (): void => fail(fetchFailed('undecodable', 'the page makes requests without end'));
  const network = await watchNetwork(session, { now, onEndless });
  await page
    .goto(order.url, { waitUntil: 'domcontentloaded', timeout: 0 })
    .catch((error: unknown) => fail(navigationFailure(error, order, reading)));
  documents.taken();
  // The identifier of the frame is that of its target.
  const { frameTree } = await session.send('Page.getFrameTree');
  const world = worldOf(session, frameTree.frame.id);
  const until = end - SETTLING.takeMs;
  if (order.waitForSelector !== undefined) await waitFor(order.waitForSelector, { world, now, until });
  await settle({ world, network, now, until });
  if (order.waitMs !== undefined) {
    await pause(Math.min(order.waitMs, until - now()));
    await settle({ world, network, now, until });
  }
  const taken = documents.taken();
  const screenshot = order.screenshot === undefined ? null : await takePicture(session, order.screenshot);
  const url = page.url();
  return { url, ...taken, html: await takePage(session, world), screenshot };
}

/** Closes popups and dialogs; a page that opens too many ends. A page whose process ended has failed. */
function guardWindow(page: Page, { context, fail }: Reading): void {
  let popups = 0;
  let dialogs = 0;
  context.on('targetcreated', (target) => {
    if (target.type() !== 'page' || target === page.target()) return;
    popups += 1;
    if (popups > LIMITS.popupsMax) fail(fetchFailed('undecodable', 'the page opens windows without end'));
    target
      .page()
      .then((popup) => popup?.close())
      .catch(() => {});
  });
  page.on('dialog', (dialog) => {
    dialogs += 1;
    if (dialogs > LIMITS.dialogsMax) fail(fetchFailed('undecodable', 'the page shows dialogs without end'));
    else dialog.dismiss().catch(() => {});
  });
  page.on('error', () =>
    fail(fetchFailed('undecodable', 'the page crashed in the browser, or took too much memory')),
  );
}

/** A transparent pixel: a picture that failed would make some pages show another one. */
const PIXEL = 'R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7';

/** Video, sound and fonts are never loaded; pictures only for a screenshot. */
async function leaveOut(session: CDPSession, { screenshot }: RenderOrder): Promise<void> {
  const types = screenshot === undefined ? (['Media', 'Font', 'Image'] as const) : (['Media'] as const);
  session.on('Fetch.requestPaused', ({ requestId, resourceType }) => {
    const answered =
      resourceType === 'Image'
        ? session.send('Fetch.fulfillRequest', {
            requestId,
            responseCode: 200,
            responseHeaders: [{ name: 'content-type', value: 'image/gif' }],
            body: PIXEL,
          })
        : session.send('Fetch.failRequest', { requestId, errorReason: 'BlockedByClient' });
    answered.catch(() => {});
  });
  await session.send('Fetch.enable', { patterns: types.map((resourceType) => ({ resourceType })) });
}

async function waitFor(
  selector: string,
  { world, now, until }: { world: PageWorld; now: () => number; until: number },
): Promise<void> {
  while (now() < until) {
    const found = await world
      .call<{ has: boolean } | { problem: true }>(HAS_ELEMENT, selector)
      .catch(() => null);
    if (found !== null && 'problem' in found)
      throw new Failure('validation_error', 'The selector to wait for cannot be read by a browser.');
    if (found?.has) return;
    await pause(SETTLING.pollMs);
  }
  throw fetchFailed('timeout', 'the element to wait for did not appear in time');
}

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, Math.max(0, ms)));

/** What a browser says of a page that it could not open, in our words. */
function navigationFailure(error: unknown, { url }: RenderOrder, { proxy }: Reading): Error {
  const text = String((error as Error).message ?? error);
  const { host } = new URL(url);
  if (/ERR_(?:TUNNEL|PROXY)/.test(text))
    return proxy.used().refusedHosts.includes(host)
      ? notAllowed('its host is not on the public network', { afterLookup: true })
      : fetchFailed('connect', 'no connection to the server could be made', { cause: error });
  if (/ERR_(?:CERT|SSL)/.test(text))
    return fetchFailed('connect', 'no secure connection to the server could be made', { cause: error });
  if (/ERR_TOO_MANY_REDIRECTS/.test(text))
    return fetchFailed('too_many_redirects', 'the page redirects too often', { cause: error });
  // A download, or a document that a script replaced before it was there.
  if (/ERR_ABORTED/.test(text))
    return fetchFailed('unsupported_type', 'the browser shows no page at this address', { cause: error });
  if (/net::ERR_/.test(text))
    return fetchFailed('protocol', "the server's response is invalid", { cause: error });
  return error instanceof Error ? error : new Error(text);
}

/** What the driver of the browser throws once the browser has ended is no fault of the page. */
function asError(error: unknown, browser: Browser): Error {
  if (!(error instanceof Failure) && !browser.connected)
    return new BrowserGone('the browser ended', { cause: error });
  return error instanceof Error ? error : new Error(String(error));
}

/** Ends the context with everything in it, once it is there. False if it did not end. */
async function close(opening: Promise<BrowserContext>): Promise<boolean> {
  try {
    await inTime(
      opening.then((context) => context.close()),
      LIMITS.closeMs,
    );
    return true;
  } catch {
    return false;
  }
}
