/**
 * Renders pages in the browser of this process: a bounded number at once, each through its own guarded proxy, and once more if the
 * browser exits. It promises a page or a `Failure` within the time of the order. It extracts nothing and caches nothing.
 */
import { createFetchFailure, Failure } from '../contract/errors.ts';
import type { RenderedPage, RenderOrder } from '../pages/rendering/render-wire.ts';
import { runWithTimeout } from '../platform/clock.ts';
import { createFairQueue, type FairQueue } from '../platform/fairness/fair-queue.ts';
import type { Log } from '../platform/log.ts';
import { awaitUnlessAborted } from '../platform/net/exchange.ts';
import type { GuardedProxies } from '../platform/net/proxy/guarded-proxy.ts';
import type { BrowserPool, PoolState } from './browser-pool.ts';
import { BrowserGone, createAbortedFailure, renderPage } from './render-page.ts';
import { LIMITS } from './start-browser.ts';

export type Renderer = {
  /** Renders a page. Throws `Failure` for what is wrong with the page, or 'overloaded'. */
  render(order: RenderOrder, signal: AbortSignal): Promise<RenderedPage>;
  state(): PoolState & { running: number; waiting: number };
};

type RendererDeps = {
  pool: Pick<BrowserPool, 'lease' | 'state'>;
  proxies: Pick<GuardedProxies, 'checkUrl' | 'open'>;
  log: Log;
  /** Maximum traffic of one page. */
  traffic?: { bytesMax: number; requestsMax: number };
};

/** A page whose browser exited is tried once more in another one. */
const TRIES = 2;
/** With less time than this left, a page is not tried. */
const TRY_MS_MIN = 500;

const readClock = (): number => performance.now();

/** Renders a bounded number of pages at once while a bounded number wait. */
export function createRenderer(deps: RendererDeps): Renderer {
  const turns = createFairQueue({
    slots: LIMITS.pagesAtOnce,
    waitingMax: LIMITS.waitingMax,
    overloaded: () =>
      new Failure('overloaded', 'Too many pages wait for a browser.', { retryAfterSeconds: 2 }),
  });
  let asked = 0;
  let running = 0;
  return {
    async render(order, signal) {
      deps.proxies.checkUrl(order.url);
      const end = readClock() + order.timeoutMs;
      asked += 1;
      try {
        const release = await takeTurn(turns, order, signal);
        running += 1;
        try {
          return await renderInTime(deps, order, { end, signal });
        } finally {
          running -= 1;
          release();
        }
      } finally {
        asked -= 1;
      }
    },
    state: () => ({ ...deps.pool.state(), running, waiting: asked - running }),
  };
}

async function takeTurn(
  turns: FairQueue,
  { timeoutMs }: RenderOrder,
  signal: AbortSignal,
): Promise<() => void> {
  const until = AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]);
  return turns.take({ signal: until }).catch((error: unknown) => {
    throw error instanceof Failure ? error : createLateFailure();
  });
}

async function renderInTime(
  deps: RendererDeps,
  order: RenderOrder,
  { end, signal }: { end: number; signal: AbortSignal },
): Promise<RenderedPage> {
  for (let count = 1; ; count += 1) {
    const timeoutMs = Math.floor(end - readClock());
    if (timeoutMs < TRY_MS_MIN) throw createLateFailure();
    const page = await renderOnce(deps, { ...order, timeoutMs }, signal);
    if (!(page instanceof Error)) return page;
    if (!(page instanceof BrowserGone)) throw page;
    deps.log.warn({ count }, 'the browser ended with a page');
    if (count === TRIES) throw createFetchFailure('undecodable', 'the browser ended twice with this page');
  }
}

const createLateFailure = (): Failure => createFetchFailure('timeout', 'no browser was free in time');

/** Waits for a browser no longer than the time of the page; a browser that arrives too late is released at once. */
async function acquireBrowser(
  pool: Pick<BrowserPool, 'lease'>,
  { ms, signal }: { ms: number; signal: AbortSignal },
): ReturnType<BrowserPool['lease']> {
  const leasing = pool.lease();
  let isLate = false;
  try {
    return await runWithTimeout({ signal, ms }, (inTime) => {
      inTime.addEventListener('abort', () => (isLate = true), { once: true });
      return awaitUnlessAborted(leasing, inTime);
    });
  } catch (error) {
    if (!isLate) throw error;
    leasing.then(
      ({ release }) => release(true),
      () => {},
    );
    throw signal.aborted ? createAbortedFailure() : createLateFailure();
  }
}

async function renderOnce(
  { pool, proxies, log, traffic = LIMITS }: RendererDeps,
  order: RenderOrder,
  signal: AbortSignal,
): Promise<RenderedPage | Error> {
  const { browser, release } = await acquireBrowser(pool, { ms: order.timeoutMs, signal });
  let isSound = false;
  try {
    const proxy = await proxies.open(traffic);
    try {
      const outcome = await renderPage(order, { browser, proxy, now: readClock, signal });
      isSound = outcome.isSound;
      const { requests, refused, bytes, isOver } = proxy.used();
      log.debug({ requests, refused, bytes, isOver, isSound }, 'a page was rendered');
      return outcome.page;
    } finally {
      await proxy.close();
    }
  } finally {
    release(isSound);
  }
}
