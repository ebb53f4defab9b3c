import { readFileSync } from 'node:fs';
import { totalmem } from 'node:os';
import { getHeapStatistics } from 'node:v8';

/** How much of the memory that the process may use is in use. */
export type MemoryRoom = {
  /** The larger share of two: of the limit of the process or its container, and of the heap of its main thread. 0 to 1, or a little more. */
  share(): number;
  /** Whether so much is in use that the process should take on less. */
  isShort(): boolean;
};

const SHORT_SHARE = 0.9;
const LOOK_EVERY_MS = 500;
const MEGABYTE = 1_048_576;

type MemoryReadings = {
  /** Bytes in use of `limit`. */
  used(): number;
  /** Bytes; null: there is no limit. */
  limit: number | null;
  /** The share of the heap that is in use. */
  heapShare(): number;
  now(): number;
};

/** Looks at most twice a second. */
export function watchMemory({ used, limit, heapShare, now }: MemoryReadings): MemoryRoom {
  let share = 0;
  let lookedAt = Number.NEGATIVE_INFINITY;
  const look = (): number => {
    if (now() - lookedAt < LOOK_EVERY_MS) return share;
    lookedAt = now();
    share = Math.max(heapShare(), limit === null ? 0 : used() / limit);
    return share;
  };
  return { share: look, isShort: () => look() > SHORT_SHARE };
}

/** The memory of this process: of the limit that is set, else of that of its control group (a container), else of the heap alone. */
export function memoryOfProcess(limitMegabytes: number | null): MemoryReadings {
  const heapShare = (): number => {
    const { used_heap_size: used, heap_size_limit: limit } = getHeapStatistics();
    return used / limit;
  };
  const now = (): number => performance.now();
  const resident = (): number => process.memoryUsage.rss();
  if (limitMegabytes !== null) return { used: resident, limit: limitMegabytes * MEGABYTE, heapShare, now };
  const constrained = process.constrainedMemory();
  const limit = constrained > 0 && constrained < totalmem() ? constrained : null;
  return { used: () => usedOfGroup() ?? resident(), limit, heapShare, now };
}

const GROUP = '/sys/fs/cgroup';

/**
 * Bytes that a container uses and cannot give back at once: all of its processes, without the files that the kernel keeps for them
 * (version 2 of control groups). Null where there is no such thing.
 */
function usedOfGroup(): number | null {
  try {
    const current = Number(readFileSync(`${GROUP}/memory.current`, 'utf8'));
    const files = /^inactive_file (\d+)$/m.exec(readFileSync(`${GROUP}/memory.stat`, 'utf8'))?.[1];
    return current - Number(files ?? 0);
  } catch {
    return null;
  }
}
