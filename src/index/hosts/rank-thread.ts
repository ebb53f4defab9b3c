import { takeLowPriority } from '../../platform/threads/low-priority.ts';
import { serveCalls } from '../../platform/threads/serve-calls.ts';
import { createHostRanker } from './host-ranker.ts';
import type { HostRanking, HostStanding, PageOutline } from './host-types.ts';

/** What the thread answers that ranks hosts. */
export type RankCalls = {
  /** Of some pages; each page must come once. */
  add(outlines: PageOutline[]): void;
  /** `rankedAt`: milliseconds since the epoch. */
  finish(rankedAt: number): HostRanking;
  /** Standings that were not asked for before, at most so many; empty at the end. */
  next(count: number): HostStanding[];
};

/*
 * Ranks hosts in a thread of its own: its sums and sorts would hold up an event loop for seconds. Standings leave it some at a time,
 * because those of 300,000 hosts in one message would be in memory twice.
 */

takeLowPriority();
const ranker = createHostRanker();
let ranked: { ranking: HostRanking; standings: HostStanding[] } | null = null;

serveCalls({
  add: ranker.add,
  finish(rankedAt) {
    ranked = ranker.finish(rankedAt);
    return ranked.ranking;
  },
  next: (count) => ranked?.standings.splice(-count) ?? [],
} satisfies RankCalls);
