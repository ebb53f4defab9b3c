import type { Clock } from '../../platform/clock.ts';
import type { LocalIndex } from '../local-index-types.ts';
import { rankHosts } from './rank-hosts.ts';

/** Ranks the hosts of an index again in the background, once its number of pages has changed enough. */
type HostUpkeep = {
  /** Does nothing while a ranking is running, or if the last one is still valid. */
  tick(): Promise<void>;
  /** Interrupts a running ranking. */
  stop(): void;
};

/** Minimum pages for a ranking; fewer pages have too few links between them. */
const PAGES_MIN = 1_000;
const CHANGED_SHARE = 0.1;
/** Delay after the start of the server, which has other work to do first. */
const AFTER_START_MS = 600_000;
/** Pause after each step, as a multiple of the step's time: a background ranking takes a fifth of one core. */
const REST_SHARE = 4;

export function createHostUpkeep(parts: {
  index: Pick<LocalIndex, 'place' | 'size' | 'hostRanking' | 'outlines' | 'putStandings'>;
  clock: Clock;
}): HostUpkeep {
  const { index, clock } = parts;
  const startedAt = clock.now();
  const ending = new AbortController();
  let isRunning = false;
  const isDue = async (): Promise<boolean> => {
    const { pages } = await index.size();
    if (pages < PAGES_MIN) return false;
    const last = await index.hostRanking();
    return last === null || Math.abs(pages - last.pages) > CHANGED_SHARE * last.pages;
  };
  return {
    async tick() {
      // Several servers share a cluster; there an operator decides which of them ranks, and when.
      if (index.place().engine !== 'sqlite') return;
      if (isRunning || ending.signal.aborted || clock.now() - startedAt < AFTER_START_MS) return;
      isRunning = true;
      try {
        if (await isDue())
          await rankHosts(index, { now: clock.now(), signal: ending.signal, restShare: REST_SHARE });
      } finally {
        isRunning = false;
      }
    },
    stop: () => ending.abort(),
  };
}
