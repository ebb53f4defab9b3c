import { readFileSync } from 'node:fs';
import { totalmem } from 'node:os';
import { join } from 'node:path';
import { getHeapStatistics } from 'node:v8';

/** Reports the share of the available memory that is in use. */
export type MemoryRoom = {
  /** The larger of two shares: of the limit of the process or container, and of the main thread's heap. 0 to 1, or slightly more. */
  share(): number;
  /** Returns whether so much memory is in use that the process should take on less work. */
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

/** Reads the memory use at most twice a second. */
export function watchMemory({ used, limit, heapShare, now }: MemoryReadings): MemoryRoom {
  let share = 0;
  let lookedAt = Number.NEGATIVE_INFINITY;
  const measureShare = (): number => {
    if (now() - lookedAt < LOOK_EVERY_MS) return share;
    lookedAt = now();
    share = Math.max(heapShare(), limit === null ? 0 : used() / limit);
    return share;
  };
  return { share: measureShare, isShort: () => measureShare() > SHORT_SHARE };
}

/** Creates readings for this process against the limit that is set, else that of its control group (a container), else the heap alone. */
export function createMemoryReadings(limitMegabytes: number | null, groups = GROUPS): MemoryReadings {
  const computeHeapShare = (): number => {
    const { used_heap_size: used, heap_size_limit: limit } = getHeapStatistics();
    return used / limit;
  };
  const readClock = (): number => performance.now();
  const readResidentBytes = (): number => process.memoryUsage.rss();
  if (limitMegabytes !== null)
    return {
      used: readResidentBytes,
      limit: limitMegabytes * MEGABYTE,
      heapShare: computeHeapShare,
      now: readClock,
    };
  const limits = [process.constrainedMemory(), readGroupLimit(groups)].filter(
    (limit): limit is number => limit !== null && limit > 0 && limit < totalmem(),
  );
  const limit = limits.length === 0 ? null : Math.min(...limits);
  return {
    used: () => readGroupUsage(groups) ?? readResidentBytes(),
    limit,
    heapShare: computeHeapShare,
    now: readClock,
  };
}

/** Folder of control groups as seen from within a container. */
const GROUPS = '/sys/fs/cgroup';
/** Memory files of control groups in versions 2 and 1, and their names for the reclaimable file cache. */
const VERSIONS = [
  { limit: 'memory.max', used: 'memory.current', stat: 'memory.stat', files: /^inactive_file (\d+)$/m },
  {
    limit: 'memory/memory.limit_in_bytes',
    used: 'memory/memory.usage_in_bytes',
    stat: 'memory/memory.stat',
    files: /^total_inactive_file (\d+)$/m,
  },
];

/** Reads the limit of the container in bytes; null: it has none. */
function readGroupLimit(groups: string): number | null {
  for (const { limit } of VERSIONS) {
    const text = readText(join(groups, limit));
    // Version 2 says `max` if there is no limit.
    if (text !== null) return Number.isFinite(Number(text)) ? Number(text) : null;
  }
  return null;
}

/** Reads the bytes used by all processes of the container, without reclaimable file cache; null outside a control group. */
function readGroupUsage(groups: string): number | null {
  for (const { used, stat, files } of VERSIONS) {
    const current = readText(join(groups, used));
    if (current === null) continue;
    return Number(current) - Number(files.exec(readText(join(groups, stat)) ?? '')?.[1] ?? 0);
  }
  return null;
}

function readText(path: string): string | null {
  try {
    return readFileSync(path, 'utf8').trim();
  } catch {
    return null;
  }
}
