import { lowerPriority, serveCalls } from '../../platform/threads/serve-calls.ts';
import type { HostRanking, HostStanding, PageOutline } from './host-ranker.ts';
import { createHostRanker } from './host-ranker.ts';

/** The calls that the host-ranking thread serves. */
export type RankCalls = {
  /** Adds outlines; each page must be added once. */
  add(outlines: PageOutline[]): void;
  /** `rankedAt`: milliseconds since the epoch. */
  finish(rankedAt: number): HostRanking;
  /** Returns at most `count` standings not returned before; empty at the end. */
  next(count: number): HostStanding[];
};

/*
 * Ranks hosts in its own thread, because the sums and sorts would block an event loop for seconds. Standings are returned in parts,
 * because those of 300,000 hosts in one message would be in memory twice.
 */

lowerPriority();
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
