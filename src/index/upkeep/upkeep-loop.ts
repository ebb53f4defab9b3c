import type { Log } from '../../platform/log.ts';
import type { UpkeepStep } from './index-upkeep.ts';

/** Runs the steps of upkeep one after the other while there is something to do. */
type UpkeepLoop = {
  /** Starts the loop, or makes it check again after its last step. */
  wake(): void;
  /** Resolves when nothing is left to do, or a step failed. */
  idle(): Promise<void>;
  /** Ends the loop after the current step; any process can do the rest later. */
  close(): Promise<void>;
};

/** A failed step is logged; the next change tries again. */
export function createUpkeepLoop(step: () => Promise<UpkeepStep>, log: Log): UpkeepLoop {
  let running: Promise<void> | null = null;
  let isAwake = false;
  let isClosed = false;
  const run = async (): Promise<void> => {
    let evicted = 0;
    try {
      while (isAwake && !isClosed) {
        isAwake = false;
        const done = await step();
        evicted += done.evicted;
        isAwake ||= done.more;
      }
    } catch (err) {
      isAwake = false;
      if (!isClosed) log.warn({ err }, 'the index could not be tidied up');
    }
    if (evicted > 0) log.info({ pages: evicted }, 'pages used least lately left the index to keep its bound');
  };
  const wake = (): void => {
    isAwake = true;
    running ??= run().finally(() => {
      running = null;
      if (isAwake && !isClosed) wake();
    });
  };
  return {
    wake,
    async idle() {
      while (running !== null) await running;
    },
    async close() {
      isClosed = true;
      await running;
    },
  };
}
