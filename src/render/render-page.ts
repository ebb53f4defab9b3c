import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Browser, BrowserContext, CDPSession, HTTPResponse, Page } from 'puppeteer-core';
import { createFetchFailure, Failure } from '../contract/errors.ts';
import { PAGE_BYTES_MAX } from '../contract/limits.ts';
import { RENDER_LIMITS, type RenderedPage, type RenderOrder } from '../pages/rendering/render-wire.ts';
import { createNotAllowedError } from '../platform/net/check-url.ts';
import { type GuardedProxy, REFUSAL_HEADER } from '../platform/net/proxy/guarded-proxy.ts';
import { HAS_ELEMENT, MARK_FRAME, MEASURE, SCROLL_TO, TAKE } from './page-scripts.ts';
import { FRAMES_MAX, LIMITS, limitTime, PICTURE_HEIGHT_MAX, SETTLING, VIEWPORT } from './start-browser.ts';

/** Types of requests that the text of a page may depend on; others, such as pictures and streams, are not awaited. */
const AWAITED = new Set(['Document', 'Script', 'Stylesheet', 'XHR', 'Fetch', 'Preflight']);

/** Maximum number of requests; a page that makes more fails as endless. */
const REQUESTS_MAX = 3_000;

const WORLD = 'sanderling';

const FRAME_CHARS_MIN = 100;

/** Scales of a screenshot: one that is too large is taken again at half the size, then at a quarter. */
const SCALES = [1, 0.5, 0.25];

const NOTHING: PageSize = { chars: 0, nodes: 0, isComplete: false, height: 0, frames: false };

/** The browser exited while it had the page; another one may succeed. */
export class BrowserGone extends Error {
  override name = 'BrowserGone';
}

type PageDeps = { browser: Browser; proxy: GuardedProxy; now: () => number; signal: AbortSignal };

/**
 * Renders one page in its own context, whose only way to the network is the proxy. Throws `Failure` for what is wrong with the page,
 * BrowserGone for what is wrong with the browser. `isSound` of the outcome is false where the page did not close.
 */
export async function renderPage(
  order: RenderOrder,
  deps: PageDeps,
): Promise<{ page: RenderedPage | Error; isSound: boolean }> {
  const { browser, proxy, now, signal } = deps;
  if (signal.aborted) return { page: createAbortedFailure(), isSound: true };
  const end = now() + order.timeoutMs;
  const { promise: ended, reject } = Promise.withResolvers<never>();
  ended.catch(() => {});
  const timer = setTimeout(
    () => reject(createFetchFailure('timeout', 'the page did not finish in time in the browser')),
    order.timeoutMs,
  );
  const onDisconnected = (): void => reject(new BrowserGone('the browser ended'));
  const onAbort = (): void => reject(createAbortedFailure());
  browser.once('disconnected', onDisconnected);
  signal.addEventListener('abort', onAbort, { once: true });
  const opening = browser.createBrowserContext({
    proxyServer: proxy.address,
    proxyBypassList: ['<-loopback>'],
    downloadBehavior: { policy: 'deny' },
  });
  const startReading = async (): Promise<RenderedPage> =>
    readPage(order, { ...deps, context: await opening, end, fail: reject });
  try {
    const page = await Promise.race([startReading(), ended]).catch((error: unknown) =>
      toError(error, browser),
    );
    return { page, isSound: await close(opening) };
  } finally {
    clearTimeout(timer);
    browser.off('disconnected', onDisconnected);
    signal.removeEventListener('abort', onAbort);
  }
}

/** Creates the failure for a caller who has left. */
export const createAbortedFailure = (): Failure =>
  createFetchFailure('aborted', 'the page is no longer wanted');

type ReadContext = PageDeps & { context: BrowserContext; end: number; fail: (error: Error) => void };

async function readPage(order: RenderOrder, reading: ReadContext): Promise<RenderedPage> {
  const { context, end, now, fail } = reading;
  const page = await context.newPage();
  guardWindow(page, reading);
  const documents = recordDocuments(page, fail);
  const session = await page.createCDPSession();
  await session.send('Page.enable');
  await disableMedia(session, order);
  const onEndless = (): void =>
    fail(createFetchFailure('undecodable', 'the page makes requests without end'));
  const network = await watchNetwork(session, { now, onEndless });
  await page
    .goto(order.url, { waitUntil: 'domcontentloaded', timeout: 0 })
    .catch((error: unknown) => fail(toNavigationFailure(error, order, reading)));
  documents.taken();
  // The identifier of the main frame is that of its target.
  const { frameTree } = await session.send('Page.getFrameTree');
  const world = createWorld(session, frameTree.frame.id);
  const until = end - SETTLING.takeMs;
  if (order.waitForSelector !== undefined) await waitForElement(order.waitForSelector, { world, now, until });
  await settle({ world, network, now, until });
  if (order.waitMs !== undefined) {
    await pause(Math.min(order.waitMs, until - now()));
    await settle({ world, network, now, until });
  }
  const taken = documents.taken();
  const screenshot = order.screenshot === undefined ? null : await takeScreenshot(session, order.screenshot);
  const url = page.url();
  return { url, ...taken, html: await serializePage(session, world), screenshot };
}

/** Closes popups and dialogs; fails the page if it opens too many, or if its process crashes. */
function guardWindow(page: Page, { context, fail }: ReadContext): void {
  let popups = 0;
  let dialogs = 0;
  context.on('targetcreated', (target) => {
    if (target.type() !== 'page' || target === page.target()) return;
    popups += 1;
    if (popups > LIMITS.popupsMax)
      fail(createFetchFailure('undecodable', 'the page opens windows without end'));
    target
      .page()
      .then((popup) => popup?.close())
      .catch(() => {});
  });
  page.on('dialog', (dialog) => {
    dialogs += 1;
    if (dialogs > LIMITS.dialogsMax)
      fail(createFetchFailure('undecodable', 'the page shows dialogs without end'));
    else dialog.dismiss().catch(() => {});
  });
  page.on('error', () =>
    fail(createFetchFailure('undecodable', 'the page crashed in the browser, or took too much memory')),
  );
}

/** A transparent pixel, served instead of pictures: if they failed, some pages would show something else. */
const PIXEL = 'R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7';

/** Blocks media always, and fonts and pictures unless a screenshot is requested. */
async function disableMedia(session: CDPSession, { screenshot }: RenderOrder): Promise<void> {
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

async function waitForElement(
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
  throw createFetchFailure('timeout', 'the element to wait for did not appear in time');
}

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, Math.max(0, ms)));

/** Converts the browser's error for a page that it could not open to a failure. */
function toNavigationFailure(error: unknown, { url }: RenderOrder, { proxy }: ReadContext): Error {
  const text = String((error as Error).message ?? error);
  const { host } = new URL(url);
  if (/ERR_(?:TUNNEL|PROXY)/.test(text))
    return proxy.used().refusedHosts.includes(host)
      ? createNotAllowedError('its host is not on the public network', { afterLookup: true })
      : createFetchFailure('connect', 'no connection to the server could be made', { cause: error });
  if (/ERR_(?:CERT|SSL)/.test(text))
    return createFetchFailure('connect', 'no secure connection to the server could be made', {
      cause: error,
    });
  if (/ERR_TOO_MANY_REDIRECTS/.test(text))
    return createFetchFailure('too_many_redirects', 'the page redirects too often', { cause: error });
  // A download, or a document that a script replaced before it arrived.
  if (/ERR_ABORTED/.test(text))
    return createFetchFailure('unsupported_type', 'the browser shows no page at this address', {
      cause: error,
    });
  if (/net::ERR_/.test(text))
    return createFetchFailure('protocol', "the server's response is invalid", { cause: error });
  return error instanceof Error ? error : new Error(text);
}

/** Converts what was thrown to an error. Once the browser has exited, errors of its driver are no fault of the page. */
function toError(error: unknown, browser: Browser): Error {
  if (!(error instanceof Failure) && !browser.connected)
    return new BrowserGone('the browser ended', { cause: error });
  return error instanceof Error ? error : new Error(String(error));
}

/** Closes the context with everything in it, once it is open. Returns false if it did not close. */
async function close(opening: Promise<BrowserContext>): Promise<boolean> {
  try {
    await limitTime(
      opening.then((context) => context.close()),
      LIMITS.closeMs,
    );
    return true;
  } catch {
    return false;
  }
}

type PageSize = { chars: number; nodes: number; isComplete: boolean; height: number; frames: boolean };

type SettleContext = {
  world: PageWorld;
  network: NetworkWatch;
  now: () => number;
  /** At this time the page is taken as it is. */
  until: number;
};

/**
 * Waits until a page has stopped changing: no request that its text depends on is pending, and its text stays the same. A page that shows
 * next to nothing gets more time. Lists that grow on scrolling are followed a few times.
 */
async function settle(settling: SettleContext): Promise<void> {
  const { now } = settling;
  const until = Math.min(settling.until, now() + SETTLING.allMs);
  let size = await waitUntilQuiet({ ...settling, until }, SETTLING.emptyMs);
  const lastScroll = Math.min(until, now() + SETTLING.scrollMs);
  for (let count = 0; count < SETTLING.scrolls && now() < lastScroll; count += 1) {
    if (size.height <= VIEWPORT.height * 1.1) return;
    const before = { ...size, begun: settling.network.begun() };
    await settling.world.call(SCROLL_TO, size.height).catch(() => {});
    size = await waitUntilQuiet({ ...settling, until: lastScroll }, 0);
    if (size.nodes <= before.nodes && settling.network.begun() === before.begun) break;
  }
  await settling.world.call(SCROLL_TO, 0).catch(() => {});
}

async function waitUntilQuiet(
  { world, network, now, until }: SettleContext,
  emptyMs: number,
): Promise<PageSize> {
  const began = now();
  let size = NOTHING;
  let changed = began;
  while (now() < until) {
    // While the document is being replaced, there is nothing to measure.
    const next = await world.call<PageSize>(MEASURE).catch(() => NOTHING);
    if (next.chars !== size.chars || next.nodes !== size.nodes || next.height !== size.height)
      changed = now();
    size = next;
    const isStill = Math.min(now() - changed, network.quietMs()) >= SETTLING.quietMs;
    const patienceMs = size.frames ? Math.min(SETTLING.framesMs, emptyMs) : emptyMs;
    const hasText = size.chars >= SETTLING.emptyChars || now() - began >= patienceMs;
    const isLoaded = size.isComplete || now() - began >= SETTLING.requestMs;
    if (isStill && hasText && isLoaded) break;
    await sleep(SETTLING.pollMs);
  }
  return size;
}

type Frame = { frame: { id: string; url: string }; childFrames?: Frame[] };

/** Returns the page as HTML, with the text of its larger frames in their places. Throws `fetch_failed` 'too_large'. */
async function serializePage(session: CDPSession, world: PageWorld): Promise<string> {
  const { frameTree }: { frameTree: Frame } = await session.send('Page.getFrameTree');
  const nonce = randomUUID();
  const texts = new Map<string, string>();
  for (const { frame } of (frameTree.childFrames ?? []).slice(0, FRAMES_MAX)) {
    const mark = `${nonce}:${texts.size}`;
    // A frame that cannot be read is left out, as it would be without a browser.
    const html = await replaceFrame(session, { world, frameId: frame.id, mark }).catch(() => null);
    if (html !== null) texts.set(mark, html);
  }
  const whole = await readHtml(world, { onlyBody: false });
  return [...texts].reduce(
    (html, [mark, text]) => html.replace(`<!--${mark}-->`, () => `<div>${text}</div>`),
    whole,
  );
}

async function readHtml(world: PageWorld, { onlyBody }: { onlyBody: boolean }): Promise<string> {
  const taken = await world.call<{ html: string } | { isTooLarge: true }>(TAKE, PAGE_BYTES_MAX, onlyBody);
  if ('html' in taken) return taken.html;
  throw createFetchFailure('too_large', 'the page is larger than 5 MB once its scripts have run');
}

/** Replaces a frame with a mark and returns the frame's body; null where it shows no text, or is too small to be part of the page. */
async function replaceFrame(
  session: CDPSession,
  { world, frameId, mark }: { world: PageWorld; frameId: string; mark: string },
): Promise<string | null> {
  const own = createWorld(session, frameId);
  const { chars } = await own.call<{ chars: number }>(MEASURE);
  if (chars < FRAME_CHARS_MIN) return null;
  const html = await readHtml(own, { onlyBody: true });
  const { backendNodeId } = await session.send('DOM.getFrameOwner', { frameId });
  const { object } = await session.send('DOM.resolveNode', {
    backendNodeId,
    executionContextId: await world.context(),
  });
  if (object.objectId === undefined) return null;
  const { result } = await session.send('Runtime.callFunctionOn', {
    functionDeclaration: MARK_FRAME,
    objectId: object.objectId,
    arguments: [{ value: mark }],
    returnByValue: true,
  });
  return result.value === true ? html : null;
}

/** Takes a PNG in base64 of the viewport, or of the whole page up to a maximum height. Throws `fetch_failed` 'too_large'. */
async function takeScreenshot(
  session: CDPSession,
  of: NonNullable<RenderOrder['screenshot']>,
): Promise<string> {
  const { cssContentSize } = await session.send('Page.getLayoutMetrics');
  const isWhole = of === 'page';
  const width = isWhole ? Math.min(Math.max(cssContentSize.width, 1), VIEWPORT.width) : VIEWPORT.width;
  const height = isWhole ? Math.min(Math.max(cssContentSize.height, 1), PICTURE_HEIGHT_MAX) : VIEWPORT.height;
  for (const scale of SCALES) {
    const { data } = await session.send('Page.captureScreenshot', {
      format: 'png',
      captureBeyondViewport: isWhole,
      clip: { x: 0, y: 0, width, height, scale },
    });
    if (data.length * 0.75 <= RENDER_LIMITS.screenshotBytesMax) return data;
  }
  throw createFetchFailure('too_large', 'the picture of the page is too large');
}

/** An isolated world in which our scripts run beside a page, out of reach of the page's own. */
type PageWorld = {
  /** Calls a function, given as source text, with plain data. Throws while the document is being replaced. */
  call<T>(script: string, ...args: unknown[]): Promise<T>;
  /** Returns the browser's identifier of its execution context. */
  context(): Promise<number>;
};

/** Creates the isolated world of a frame, again whenever the frame has another document. */
function createWorld(session: CDPSession, frameId: string): PageWorld {
  let id: number | null = null;
  const ensureContext = async (): Promise<number> => {
    if (id === null) {
      const made = await session.send('Page.createIsolatedWorld', { frameId, worldName: WORLD });
      id = made.executionContextId;
    }
    return id;
  };
  return {
    context: ensureContext,
    async call(script, ...args) {
      try {
        const { result, exceptionDetails } = await session.send('Runtime.evaluate', {
          expression: `(${script})(${args.map((value) => JSON.stringify(value)).join(', ')})`,
          contextId: await ensureContext(),
          returnByValue: true,
        });
        if (exceptionDetails !== undefined) throw new Error(exceptionDetails.text);
        return result.value;
      } catch (error) {
        id = null;
        throw error;
      }
    },
  };
}

type NetworkWatch = {
  /** Returns for how many milliseconds no awaited request has been pending. */
  quietMs(): number;
  /** Returns the number of requests that have begun. */
  begun(): number;
};

/** Watches the requests of a page. */
async function watchNetwork(
  session: CDPSession,
  { now, onEndless }: { now: () => number; onEndless: () => void },
): Promise<NetworkWatch> {
  const open = new Map<string, number>();
  let last = now();
  let begun = 0;
  session.on('Network.requestWillBeSent', ({ requestId, type }) => {
    begun += 1;
    if (begun > REQUESTS_MAX) onEndless();
    else if (AWAITED.has(type ?? '')) open.set(requestId, now());
  });
  const onEnded = ({ requestId }: { requestId: string }): void => {
    if (open.delete(requestId)) last = now();
  };
  session.on('Network.loadingFinished', onEnded);
  session.on('Network.loadingFailed', onEnded);
  await session.send('Network.enable', { maxTotalBufferSize: 0, maxResourceBufferSize: 0 });
  return {
    begun: () => begun,
    quietMs() {
      const at = now();
      for (const [id, since] of open) if (at - since > SETTLING.requestMs) open.delete(id);
      return open.size > 0 ? 0 : at - last;
    },
  };
}

type Documents = {
  /** Returns the last document in the page's own frame, and those that redirected to it. Throws where it cannot be read. */
  taken(): Pick<RenderedPage, 'status' | 'headers' | 'redirects'>;
};

/** Records the documents that the main frame of a page goes through: redirects by status, by markup and by script. */
function recordDocuments(page: Page, onEndless: (failure: Failure) => void): Documents {
  const seen: HTTPResponse[] = [];
  page.on('response', (response) => {
    const request = response.request();
    if (!request.isNavigationRequest() || request.frame() !== page.mainFrame()) return;
    if (seen.length < LIMITS.documentsMax) seen.push(response);
    else
      onEndless(createFetchFailure('too_many_redirects', 'the page goes on to another page again and again'));
  });
  return {
    taken() {
      const last = seen.at(-1);
      if (last === undefined) throw createFetchFailure('protocol', 'the page did not arrive');
      checkDocument(last);
      const redirects = seen.slice(0, -1).map((one) => ({ url: one.url(), headers: one.headers() }));
      return { status: last.status(), headers: last.headers(), redirects };
    },
  };
}

function checkDocument(response: HTTPResponse): void {
  const headers = response.headers();
  const refused = headers[REFUSAL_HEADER];
  if (refused === 'not_allowed')
    throw createNotAllowedError('its host is not on the public network', { afterLookup: true });
  if (refused !== undefined) throw createFetchFailure('connect', 'no connection to the server could be made');
  const type = headers['content-type'] ?? 'text/html';
  const isRead = /^\s*(?:text\/html|application\/xhtml\+xml)\b/i.test(type) || response.status() >= 300;
  if (!isRead)
    throw createFetchFailure('unsupported_type', 'a browser is only used for HTML pages', {
      httpStatus: response.status(),
    });
}
