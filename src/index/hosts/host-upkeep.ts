import { setTimeout as pause } from 'node:timers/promises';
import type { Clock } from '../../platform/clock.ts';
import { createThread } from '../../platform/threads/thread.ts';
import { resolveThreadModule } from '../../platform/threads/thread-modules.ts';
import type { LocalIndex } from '../local-index-types.ts';
import type { HostRanking } from './host-ranker.ts';
import type { RankCalls } from './rank-thread.ts';

/** Pages per call; a reader answers nothing else during one, for about 10 ms. */
const PAGES_PER_STEP = 25;
const STANDINGS_PER_STEP = 1_000;
const HEAP_MEGABYTES_MAX = 512;

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

/** `restShare`: pause after each step, as a multiple of the time that the step took. */
type RankOptions = {
  now: number;
  signal: AbortSignal;
  restShare?: number;
  onProgress?(pages: number): void;
};

/** Ranks all hosts of an index by its pages and stores the ranking in it. Null if interrupted; then the earlier ranking stays. */
export async function rankHosts(
  index: Pick<LocalIndex, 'outlines' | 'putStandings'>,
  { now, signal, restShare = 0, onProgress }: RankOptions,
): Promise<HostRanking | null> {
  const ranker = createThread<RankCalls>(resolveThreadModule('index/hosts/rank-thread'), {
    heapMegabytesMax: HEAP_MEGABYTES_MAX,
  });
  try {
    let pages = 0;
    for (let after: string | null = null; ; ) {
      if (signal.aborted) return null;
      const begun = performance.now();
      const step = await index.outlines({ selector: null, after, limit: PAGES_PER_STEP });
      if (step.last === null) break;
      await ranker.call('add', step.outlines);
      after = step.last;
      pages += step.outlines.length;
      onProgress?.(pages);
      if (restShare > 0) await pause(restShare * (performance.now() - begun), null, { ref: false });
    }
    const ranking = await ranker.call('finish', now);
    for (let isLast = false; !isLast; ) {
      const standings = await ranker.call('next', STANDINGS_PER_STEP);
      isLast = standings.length < STANDINGS_PER_STEP;
      await index.putStandings({ rankedAt: now, standings, ranking: null });
    }
    await index.putStandings({ rankedAt: now, standings: [], ranking });
    return ranking;
  } finally {
    await ranker.end();
  }
}
