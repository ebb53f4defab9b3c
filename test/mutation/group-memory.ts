import { readdirSync, readFileSync } from 'node:fs';

/** Bytes of a page of memory on every platform that Node supports with /proc and 4 KiB pages. */
const PAGE_BYTES = 4_096;

/** Process group and resident memory of a process. */
export type ProcessMemory = { group: number; bytes: number };

/** Memory of each process; empty where there is no /proc. */
export function processMemory(): ProcessMemory[] {
  return processIds().flatMap((id) => parseStat(readStat(id)) ?? []);
}

/** Resident bytes of a process group. Pages that its processes share count once for each of them. */
export function groupBytes(processes: ProcessMemory[], group: number): number {
  return processes.filter((process) => process.group === group).reduce((sum, { bytes }) => sum + bytes, 0);
}

/** Reads /proc/[pid]/stat: fields 5 and 24 of proc_pid_stat(5). Returns null for any other text. */
export function parseStat(stat: string): ProcessMemory | null {
  // The command's name, in parentheses, may itself contain spaces and parentheses. Field 3 follows it.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  const [group, pages] = [Number(fields[2]), Number(fields[21])];
  return Number.isInteger(group) && Number.isInteger(pages) ? { group, bytes: pages * PAGE_BYTES } : null;
}

function processIds(): string[] {
  try {
    return readdirSync('/proc').filter((name) => /^\d+$/.test(name));
  } catch {
    return [];
  }
}

/** Empty when the process has ended in the meantime. */
function readStat(id: string): string {
  try {
    return readFileSync(`/proc/${id}/stat`, 'utf8');
  } catch {
    return '';
  }
}
