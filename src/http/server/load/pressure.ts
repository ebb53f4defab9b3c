import type { LoopDelay } from '../../../platform/loop-delay.ts';
import type { MemoryRoom } from '../../../platform/memory-room.ts';
import type { Pressure } from './request-limit.ts';

/** An event loop that is late and takes a whole core has more work than it can do. One that is late but does not waits for a busy machine. */
const LATE_MS = 15;
const BUSY_SHARE = 0.9;
/** So late it keeps no caller's times, whoever has the cores. */
const VERY_LATE_MS = 500;

/** The share of the time since the last call for which this thread had a core. */
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

/** High while the event loop is behind, or memory is short. It lowers the limit of requests only while many are under way. */
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
