import { readdirSync, readFileSync } from 'node:fs';
import type { Log } from '../platform/log.ts';
import type { StartedBrowser } from './start-browser.ts';
import { LIMITS } from './start-browser.ts';

const PAGE_BYTES = 4_096;

const MB = 1_048_576;

const DEPTH_MAX = 8;

/** The use of a running browser for one page. */
type Lease = {
  browser: StartedBrowser['browser'];
  /** Must be called once; `isSound` is false where the page could not be closed. */
  release(isSound: boolean): void;
};

export type PoolState = { pages: number; restarts: number; memoryMb: number };

type Generation = { started: StartedBrowser; running: number; pages: number; isRetired: boolean };

type PoolDeps = {
  start: () => Promise<StartedBrowser>;
  log: Log;
  limits?: Pick<typeof LIMITS, 'pagesPerBrowser' | 'memoryMbMax' | 'rendererMbMax'>;
  measure?: typeof listProcesses;
};

/**
 * Keeps one browser and replaces it after a number of pages, above a memory limit, or when it exits. A replaced browser finishes its
 * pages. While pages run, their processes are watched, and one that takes too much memory is killed.
 */
export class BrowserPool {
  readonly #deps: Required<PoolDeps>;
  readonly #living = new Set<Generation>();
  #current: Promise<Generation> | null = null;
  #watching: NodeJS.Timeout | null = null;
  #isClosed = false;
  #starts = 0;
  #pages = 0;
  #memoryMb = 0;

  constructor({ limits = LIMITS, measure = listProcesses, ...deps }: PoolDeps) {
    this.#deps = { ...deps, limits, measure };
  }

  /** Leases the browser, starting one if none runs. Throws where none can be started. */
  async lease(): Promise<Lease> {
    const generation = await this.#next();
    generation.running += 1;
    generation.pages += 1;
    this.#pages += 1;
    this.#watching ??= setInterval(() => this.#watch(), LIMITS.watchMs).unref();
    const release = (isSound: boolean): void => this.#release(generation, isSound);
    return { browser: generation.started.browser, release };
  }

  state(): PoolState {
    return { pages: this.#pages, restarts: Math.max(0, this.#starts - 1), memoryMb: this.#memoryMb };
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    this.#stopWatching();
    await this.#current?.catch(() => {});
    await Promise.all([...this.#living].map(({ started }) => started.end()));
    this.#living.clear();
  }

  #next(): Promise<Generation> {
    this.#current ??= this.#begin().catch((error: unknown) => {
      this.#current = null;
      throw error;
    });
    return this.#current;
  }

  async #begin(): Promise<Generation> {
    const started = await this.#deps.start();
    const generation = { started, running: 0, pages: 0, isRetired: false };
    this.#starts += 1;
    this.#living.add(generation);
    started.browser.once('disconnected', () => this.#retire(generation));
    return generation;
  }

  #release(generation: Generation, isSound: boolean): void {
    generation.running -= 1;
    const isDue = generation.pages >= this.#deps.limits.pagesPerBrowser;
    if (generation.isRetired || isDue || !isSound) this.#retire(generation);
    if (!isDue || this.#isClosed) return;
    // Starts a new browser now, so that the next page need not wait.
    this.#next().catch((err: unknown) => this.#deps.log.error({ err }, 'no browser can be started'));
  }

  /** Gives a browser no more pages, and ends it after its last one. */
  #retire(generation: Generation): void {
    if (!generation.isRetired) {
      generation.isRetired = true;
      this.#current = null;
    }
    if (generation.running === 0 && this.#living.delete(generation)) void generation.started.end();
  }

  #watch(): void {
    const { measure, limits } = this.#deps;
    const seen = [...this.#living].map((one) => ({ one, processes: measure(one.started.pid) }));
    const all = seen.flatMap(({ processes }) => processes);
    this.#memoryMb = Math.round(all.reduce((sum, { mb }) => sum + mb, 0));
    const isOver = this.#memoryMb > limits.memoryMbMax;
    const renderers = all.filter(({ isRenderer }) => isRenderer).sort((a, b) => b.mb - a.mb);
    const tooLarge = renderers.filter(({ mb }) => mb > limits.rendererMbMax);
    for (const { pid, mb } of tooLarge.length === 0 && isOver ? renderers.slice(0, 1) : tooLarge) {
      this.#deps.log.warn({ mb: Math.round(mb) }, 'a page took too much memory and was ended');
      kill(pid);
    }
    if (isOver) for (const { one } of seen) this.#retire(one);
    if ([...this.#living].every(({ running }) => running === 0)) this.#stopWatching();
  }

  #stopWatching(): void {
    if (this.#watching !== null) clearInterval(this.#watching);
    this.#watching = null;
  }
}

/** Kills a process; it may have exited already. */
function kill(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}

/** One process of a browser; shared memory is not counted. */
type BrowserProcess = { pid: number; mb: number; isRenderer: boolean };

/** Lists a process and its descendants; empty where the system does not tell. */
export function listProcesses(root: number): BrowserProcess[] {
  const children = new Map<number, number[]>();
  for (const name of listNames('/proc')) {
    const pid = Number(name);
    const parent = Number.isInteger(pid) ? readParent(pid) : null;
    if (parent !== null) children.set(parent, [...(children.get(parent) ?? []), pid]);
  }
  let level = [root];
  const found: number[] = [];
  for (let depth = 0; depth < DEPTH_MAX && level.length > 0; depth += 1) {
    found.push(...level);
    level = level.flatMap((pid) => children.get(pid) ?? []);
  }
  return found.flatMap((pid) => measureProcess(pid) ?? []);
}

function measureProcess(pid: number): BrowserProcess | null {
  const memory = readFileOrNull(`/proc/${pid}/statm`);
  if (memory === null) return null;
  const [, resident = 0, shared = 0] = memory.split(' ').map(Number);
  const isRenderer = readFileOrNull(`/proc/${pid}/cmdline`)?.includes('--type=renderer') ?? false;
  return { pid, mb: ((resident - shared) * PAGE_BYTES) / MB, isRenderer };
}

/** Reads the parent of a process. The fields follow the name in parentheses, which may hold anything: state, parent. */
function readParent(pid: number): number | null {
  const text = readFileOrNull(`/proc/${pid}/stat`);
  const [, parent] = text?.slice(text.lastIndexOf(')') + 2).split(' ') ?? [];
  return parent === undefined ? null : Number(parent);
}

/** Returns null where the file is gone: processes end at any time. */
function readFileOrNull(path: string): string | null {
  try {
    return readFileSync(path, 'latin1');
  } catch {
    return null;
  }
}

function listNames(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}
