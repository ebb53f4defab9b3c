import type { LoopDelay } from '../../../platform/loop-delay.ts';
import type { MemoryRoom } from '../../../platform/memory-room.ts';
import type { Pressure } from './request-limit.ts';

/**
 * An event loop that is late and uses a whole core has more work than it can do. One that is late but does not is waiting for a busy
 * machine.
 */
const LATE_MS = 15;
const BUSY_SHARE = 0.9;
/** A loop this late meets no caller's time limits, whoever uses the cores. */
const VERY_LATE_MS = 500;

/** Creates a function that returns the share of time, since its last call, for which this thread had a core. */
export function createLoopShare(): () => number {
  const read = () => {
    const { user, system } = process.threadCpuUsage();
    return { cpuMs: (user + system) / 1_000, at: performance.now() };
  };
  let last = read();
  return () => {
    const before = last;
    last = read();
    return (last.cpuMs - before.cpuMs) / Math.max(1, last.at - before.at);
  };
}

/** Pressure is high while the event loop is behind or memory is short. It lowers the limit of requests only while many are in flight. */
export function createPressure(parts: {
  loopDelay: Pick<LoopDelay, 'ms'>;
  loopShare(): number;
  memory: Pick<MemoryRoom, 'isShort'>;
}): Pressure {
  const { loopDelay, loopShare, memory } = parts;
  return {
    isHigh() {
      const isBusy = loopShare() > BUSY_SHARE;
      const lateMs = loopDelay.ms();
      return (isBusy && lateMs > LATE_MS) || lateMs > VERY_LATE_MS || memory.isShort();
    },
  };
}
