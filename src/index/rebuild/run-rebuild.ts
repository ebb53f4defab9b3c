import { setTimeout as pause } from 'node:timers/promises';
import type { Log } from '../../platform/log.ts';
import { type Thread, ThreadClosed } from '../../platform/threads/thread.ts';
import type { WriterCalls } from '../index-writer-thread.ts';
import type { Rebuilding } from '../local-index-types.ts';
import type { RebuildReport } from './take-over.ts';

/** A rebuild that runs concurrently with all other work of the index. */
type RunningRebuild = {
  rebuilding(): Rebuilding | null;
  /** Resolves when nothing is left to take over, or once stopped. */
  ended(): Promise<void>;
  /** Ends after the current step; the next start continues from there. */
  stop(): Promise<void>;
};

/** Delay after a failed step, for example when the disk is full. */
const RETRY_MS = 5_000;

/** Starts or continues a rebuild, if one is pending. */
export async function runRebuild(
  writer: Pick<Thread<WriterCalls>, 'call'>,
  log: Log,
): Promise<RunningRebuild> {
  const stopping = new AbortController();
  const logReport = ({ rebuilding, problems }: RebuildReport): Rebuilding | null => {
    for (const problem of problems) log.warn({ problem }, 'rebuilding the index');
    return rebuilding;
  };
  let rebuilding = logReport(await writer.call('rebuildReport', undefined));
  const ended = run();

  async function run(): Promise<void> {
    if (rebuilding === null) return;
    log.warn(
      rebuilding,
      'the index is rebuilt from the pages of an older one; until then searches find a part of them',
    );
    while (rebuilding !== null && !stopping.signal.aborted) {
      try {
        rebuilding = logReport(await writer.call('rebuildStep', undefined));
      } catch (err) {
        if (err instanceof ThreadClosed) return;
        log.error({ err }, 'a step of rebuilding the index failed; it is tried again');
        await pause(RETRY_MS, undefined, { signal: stopping.signal, ref: false }).catch(() => {});
      }
    }
    if (rebuilding === null) log.warn('the index is rebuilt');
  }
  return {
    rebuilding: () => rebuilding,
    ended: () => ended,
    async stop() {
      stopping.abort();
      await ended;
    },
  };
}
