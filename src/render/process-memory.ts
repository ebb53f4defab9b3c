import { readdirSync, readFileSync } from 'node:fs';

/** One process of a browser; memory that it shares with others does not count. */
type BrowserProcess = { pid: number; mb: number; isRenderer: boolean };

const PAGE_BYTES = 4_096;
const MB = 1_048_576;
const DEPTH_MAX = 8;

/** The processes below one, itself included; empty where the system does not tell. */
export function processesOf(root: number): BrowserProcess[] {
  const children = new Map<number, number[]>();
  for (const name of namesIn('/proc')) {
    const pid = Number(name);
    const parent = Number.isInteger(pid) ? parentOf(pid) : null;
    if (parent !== null) children.set(parent, [...(children.get(parent) ?? []), pid]);
  }
  let level = [root];
  const found: number[] = [];
  for (let depth = 0; depth < DEPTH_MAX && level.length > 0; depth += 1) {
    found.push(...level);
    level = level.flatMap((pid) => children.get(pid) ?? []);
  }
  return found.flatMap((pid) => measured(pid) ?? []);
}

function measured(pid: number): BrowserProcess | null {
  const memory = textOf(`/proc/${pid}/statm`);
  if (memory === null) return null;
  const [, resident = 0, shared = 0] = memory.split(' ').map(Number);
  const isRenderer = textOf(`/proc/${pid}/cmdline`)?.includes('--type=renderer') ?? false;
  return { pid, mb: ((resident - shared) * PAGE_BYTES) / MB, isRenderer };
}

/** After the name in parentheses, which may hold anything: state, parent. */
function parentOf(pid: number): number | null {
  const text = textOf(`/proc/${pid}/stat`);
  const [, parent] = text?.slice(text.lastIndexOf(')') + 2).split(' ') ?? [];
  return parent === undefined ? null : Number(parent);
}

/** Processes end at any time. */
function textOf(path: string): string | null {
  try {
    return readFileSync(path, 'latin1');
  } catch {
    return null;
  }
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}
