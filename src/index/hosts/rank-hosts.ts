import { setTimeout as pause } from 'node:timers/promises';
import { createThread } from '../../platform/threads/thread.ts';
import { resolveThreadModule } from '../../platform/threads/thread-modules.ts';
import type { LocalIndex } from '../local-index-types.ts';
import type { HostRanking } from './host-types.ts';
import type { RankCalls } from './rank-thread.ts';

/** `restShare`: pause after each step, as a multiple of the time that the step took. */
type RankOptions = {
  now: number;
  signal: AbortSignal;
  restShare?: number;
  onProgress?(pages: number): void;
};

/** Pages per call; a reader answers nothing else during one, for about 10 ms. */
const PAGES_PER_STEP = 25;
const STANDINGS_PER_STEP = 1_000;
const HEAP_MEGABYTES_MAX = 512;

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
