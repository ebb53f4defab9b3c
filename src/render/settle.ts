import { setTimeout as sleep } from 'node:timers/promises';
import { MEASURE, SCROLL_TO } from './page-scripts.ts';
import type { PageWorld } from './page-world.ts';
import { SETTLING, VIEWPORT } from './render-limits.ts';
import type { NetworkWatch } from './watch-network.ts';

type Size = { chars: number; nodes: number; isComplete: boolean; height: number; frames: boolean };

type Settling = {
  world: PageWorld;
  network: NetworkWatch;
  now: () => number;
  /** The page is taken as it is by then. */
  until: number;
};

/**
 * Waits until a page has stopped changing: nothing that its text depends on is under way, and its text stays the same. A page that
 * shows next to nothing is given more time. Lists that grow while one scrolls are followed a few times.
 */
export async function settle(settling: Settling): Promise<void> {
  const { now } = settling;
  const until = Math.min(settling.until, now() + SETTLING.allMs);
  let size = await quiet({ ...settling, until }, SETTLING.emptyMs);
  const lastScroll = Math.min(until, now() + SETTLING.scrollMs);
  for (let count = 0; count < SETTLING.scrolls && now() < lastScroll; count += 1) {
    if (size.height <= VIEWPORT.height * 1.1) return;
    const before = { ...size, begun: settling.network.begun() };
    await settling.world.call(SCROLL_TO, size.height).catch(() => {});
    size = await quiet({ ...settling, until: lastScroll }, 0);
    if (size.nodes <= before.nodes && settling.network.begun() === before.begun) break;
  }
  await settling.world.call(SCROLL_TO, 0).catch(() => {});
}

const NOTHING: Size = { chars: 0, nodes: 0, isComplete: false, height: 0, frames: false };

async function quiet({ world, network, now, until }: Settling, emptyMs: number): Promise<Size> {
  const began = now();
  let size = NOTHING;
  let changed = began;
  while (now() < until) {
    // While the document is being replaced there is nothing to measure.
    const next = await world.call<Size>(MEASURE).catch(() => NOTHING);
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
