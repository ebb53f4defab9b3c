import { workerData } from 'node:worker_threads';
import { collectGarbageOfStart } from '../platform/collect-garbage.ts';
import { captureOutcome, serveGroups } from '../platform/threads/serve-calls.ts';
import type { ThreadCall, ThreadOutcome } from '../platform/threads/thread.ts';
import type { StandingsPart } from './hosts/host-ranker.ts';
import { openIndexWriter, type TimedChange } from './index-writer.ts';
import type { IndexedPage, PageSelector } from './local-index-types.ts';
import type { RebuildReport } from './rebuild/take-over.ts';
import type { UpkeepStep } from './upkeep/index-upkeep.ts';

/** The calls that the writer thread serves; a change returns the number of pages that it wrote or removed. */
export type WriterCalls = {
  change(change: TimedChange): number;
  problems(): string[];
  size(): { pages: number; hosts: number };
  rebuildReport(): RebuildReport;
  rebuildStep(): RebuildReport;
  /** A page of an older index that may not have been taken over yet. */
  getOld(url: string): IndexedPage | null;
  /** Some selected addresses of an older index that have not been taken over yet. */
  oldUrls(selector: PageSelector): string[];
  upkeep(bound: { bytesMax: number | null }): UpkeepStep;
  putStandings(part: StandingsPart): void;
};

/*
 * Runs the only writer of the index in its own thread. Changes that have arrived by the time it is free share one transaction and are
 * answered after its commit.
 */
const CHANGES_PER_COMMIT_MAX = 256;

const writer = openIndexWriter(String(workerData.path));

const others: Omit<WriterCalls, 'change'> = {
  problems: writer.problems,
  size: writer.size,
  rebuildReport: writer.takeOver.report,
  rebuildStep: writer.takeOver.step,
  getOld: writer.takeOver.get,
  oldUrls: writer.takeOver.urls,
  putStandings: writer.putStandings,
  upkeep: ({ bytesMax }) => writer.upkeep(bytesMax),
};

serveGroups({
  groupMax: CHANGES_PER_COMMIT_MAX,
  async answer(calls) {
    const isChange = calls.map(({ name }) => name === 'change');
    const changed = commit(calls.filter((_, place) => isChange[place]));
    const outcomes: ThreadOutcome[] = [];
    for (const [place, call] of calls.entries())
      outcomes.push(isChange[place] ? (changed.shift() as ThreadOutcome) : await answerOther(call));
    return outcomes;
  },
  close: writer.close,
});
collectGarbageOfStart();

function commit(calls: ThreadCall[]): ThreadOutcome[] {
  if (calls.length === 0) return [];
  try {
    // local-index.ts types the argument.
    const outcomes = writer.apply(calls.map(({ argument }) => argument as TimedChange));
    return outcomes.map((outcome) =>
      outcome.ok ? { value: outcome.count } : { problem: new Error(outcome.error) },
    );
  } catch (problem) {
    return calls.map(() => ({ problem }));
  }
}

/** local-index.ts types the call. */
function answerOther({ name, argument }: ThreadCall): Promise<ThreadOutcome> {
  return captureOutcome(() => others[name as keyof typeof others](argument as never));
}
