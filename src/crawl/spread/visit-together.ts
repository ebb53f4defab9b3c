import type { Log } from '../../platform/log.ts';
import type { Wait } from '../visit/visit-all.ts';
import type { DistributedFrontier } from './spread-frontier.ts';

const KEEP_MS = 500;

type DistributedVisitDeps = {
  frontier: DistributedFrontier;
  wait: Wait;
  log: Log;
  signal: AbortSignal;
  /** Visits the hosts that this process holds until nothing is left, or the signal fires. */
  visitHeld(signal: AbortSignal): Promise<void>;
  /** Called each time that hosts have been claimed. */
  onKept(): void;
};

/** Reads a crawl together with other processes until nothing is left for any of them, no process wants it, or the signal fires. */
export async function runDistributedCrawl(deps: DistributedVisitDeps): Promise<void> {
  const { frontier, wait, visitHeld, onKept, log } = deps;
  const unwanted = new AbortController();
  const signal = AbortSignal.any([deps.signal, unwanted.signal]);
  const ended = new AbortController();
  const maintainLeases = async (): Promise<void> => {
    while (!ended.signal.aborted) {
      await wait(KEEP_MS, ended.signal);
      // While the database is unavailable, no host is claimed, and held hosts are read until their leases end.
      await frontier
        .keep()
        .catch((err: unknown) => log.warn({ err }, 'the hosts of a crawl could not be renewed'));
      onKept();
      if (!frontier.isWanted()) unwanted.abort();
    }
  };
  await frontier.keep();
  onKept();
  const keeping = maintainLeases();
  try {
    while (!signal.aborted && !frontier.isOver()) {
      await visitHeld(signal);
      if (!signal.aborted && !frontier.isOver()) await wait(KEEP_MS, signal);
    }
  } finally {
    ended.abort();
    await keeping;
    await frontier
      .leave()
      .catch((err: unknown) => log.warn({ err }, 'the hosts of a crawl could not be given back'));
  }
}
