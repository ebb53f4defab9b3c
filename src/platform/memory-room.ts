import { readFileSync } from 'node:fs';
import { totalmem } from 'node:os';
import { join } from 'node:path';
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
export function memoryOfProcess(limitMegabytes: number | null, groups = GROUPS): MemoryReadings {
  const heapShare = (): number => {
    const { used_heap_size: used, heap_size_limit: limit } = getHeapStatistics();
    return used / limit;
  };
  const now = (): number => performance.now();
  const resident = (): number => process.memoryUsage.rss();
  if (limitMegabytes !== null) return { used: resident, limit: limitMegabytes * MEGABYTE, heapShare, now };
  const limits = [process.constrainedMemory(), limitOfGroup(groups)].filter(
    (limit): limit is number => limit !== null && limit > 0 && limit < totalmem(),
  );
  const limit = limits.length === 0 ? null : Math.min(...limits);
  return { used: () => usedOfGroup(groups) ?? resident(), limit, heapShare, now };
}

/** The folder of control groups as a container sees it. */
const GROUPS = '/sys/fs/cgroup';
/** Where versions 2 and 1 of control groups tell of memory, and what they call the files that the kernel keeps and can drop. */
const VERSIONS = [
  { limit: 'memory.max', used: 'memory.current', stat: 'memory.stat', files: /^inactive_file (\d+)$/m },
  {
    limit: 'memory/memory.limit_in_bytes',
    used: 'memory/memory.usage_in_bytes',
    stat: 'memory/memory.stat',
    files: /^total_inactive_file (\d+)$/m,
  },
];

/** The limit of the container in bytes; null: it has none. */
function limitOfGroup(groups: string): number | null {
  for (const { limit } of VERSIONS) {
    const text = textOf(join(groups, limit));
    // Version 2 says `max` where there is none.
    if (text !== null) return Number.isFinite(Number(text)) ? Number(text) : null;
  }
  return null;
}

/** Bytes that a container uses and cannot give back at once: all of its processes, without the files that the kernel keeps for them. Null where there is no such thing. */
function usedOfGroup(groups: string): number | null {
  for (const { used, stat, files } of VERSIONS) {
    const current = textOf(join(groups, used));
    if (current === null) continue;
    return Number(current) - Number(files.exec(textOf(join(groups, stat)) ?? '')?.[1] ?? 0);
  }
  return null;
}

function textOf(path: string): string | null {
  try {
    return readFileSync(path, 'utf8').trim();
  } catch {
    return null;
  }
}
