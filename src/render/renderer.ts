import { createFetchFailure, Failure } from '../contract/errors.ts';
import type { RenderedPage, RenderOrder } from '../pages/rendering/render-wire.ts';
import type { Log } from '../platform/log.ts';
import { awaitUnlessAborted } from '../platform/net/exchange.ts';
import type { GuardedProxies } from '../platform/net/proxy/guarded-proxy.ts';
import { createFairQueue, type FairQueue } from '../platform/sharing/fair-queue.ts';
import { runWithTimeout } from '../platform/within-time.ts';
import type { BrowserPool, PoolState } from './browser-pool.ts';
import { LIMITS } from './render-limits.ts';
import { BrowserGone, noLongerWanted, renderPage } from './render-page.ts';

export type Renderer = {
  /** Throws `Failure`: what is wrong with the page, or 'overloaded'. */
  render(order: RenderOrder, signal: AbortSignal): Promise<RenderedPage>;
  state(): PoolState & { running: number; waiting: number };
};

type RendererDeps = {
  pool: Pick<BrowserPool, 'lease' | 'state'>;
  proxies: Pick<GuardedProxies, 'checkUrl' | 'open'>;
  log: Log;
  /** What one page may load. */
  traffic?: { bytesMax: number; requestsMax: number };
};

/** A page whose browser ended is given to another one once. */
const TRIES = 2;
/** Less time is not worth a try. */
const TRY_MS_MIN = 500;

const now = (): number => performance.now();

/** Renders pages, a bounded number at once and a bounded number waiting. */
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
      const end = now() + order.timeoutMs;
      asked += 1;
      try {
        const release = await turnIn(turns, order, signal);
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

async function turnIn(
  turns: FairQueue,
  { timeoutMs }: RenderOrder,
  signal: AbortSignal,
): Promise<() => void> {
  const until = AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]);
  return turns.take({ signal: until }).catch((error: unknown) => {
    throw error instanceof Failure ? error : tooLate();
  });
}

async function renderInTime(
  deps: RendererDeps,
  order: RenderOrder,
  { end, signal }: { end: number; signal: AbortSignal },
): Promise<RenderedPage> {
  for (let count = 1; ; count += 1) {
    const timeoutMs = Math.floor(end - now());
    if (timeoutMs < TRY_MS_MIN) throw tooLate();
    const page = await renderOnce(deps, { ...order, timeoutMs }, signal);
    if (!(page instanceof Error)) return page;
    if (!(page instanceof BrowserGone)) throw page;
    deps.log.warn({ count }, 'the browser ended with a page');
    if (count === TRIES) throw createFetchFailure('undecodable', 'the browser ended twice with this page');
  }
}

const tooLate = (): Failure => createFetchFailure('timeout', 'no browser was free in time');

/** Waits for a browser no longer than for the page; one that is there too late is given back at once. */
async function leaseInTime(
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
    throw signal.aborted ? noLongerWanted() : tooLate();
  }
}

async function renderOnce(
  { pool, proxies, log, traffic = LIMITS }: RendererDeps,
  order: RenderOrder,
  signal: AbortSignal,
): Promise<RenderedPage | Error> {
  const { browser, release } = await leaseInTime(pool, { ms: order.timeoutMs, signal });
  let isSound = false;
  try {
    const proxy = await proxies.open(traffic);
    try {
      const outcome = await renderPage(order, { browser, proxy, now, signal });
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
