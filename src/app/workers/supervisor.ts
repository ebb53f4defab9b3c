import type { Worker } from 'node:cluster';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Log } from '../../platform/log.ts';

export const ROLES: readonly Role[] = ['all', 'api', 'crawl'];
/** Kinds of workers: the first to start, the leader that replaces it, and followers. */
export const WORKER_KINDS = ['first', 'leader', 'follower'] as const;
export const WORKERS_MAX = 64;

/** Delay before an ended worker is replaced; it doubles while the replacements end as well. */
const RESTART_MS_FIRST = 250;
const RESTART_MS_MAX = 30_000;
/** Time after which a worker counts as started well. */
const WELL_MS = 30_000;
/** Time before a worker is killed; it drains for 9.5 s at most. */
const END_MS = 12_000;

type Place = { leads: boolean };

type SupervisorDeps = {
  /** Starts a process. */
  fork(kind: WorkerKind): Worker;
  log: Log;
  pause?: (ms: number, value?: undefined, options?: { signal: AbortSignal }) => Promise<void>;
};

/** The worker processes, one for each place. */
export class Supervisor {
  readonly #deps: Required<SupervisorDeps>;
  /** The worker of each place; null: none listens there yet. */
  readonly #places = new Map<Place, Worker | null>();
  #isEnding = false;
  #replacing: Promise<void> = Promise.resolve();

  constructor({ pause = sleep, ...deps }: SupervisorDeps) {
    this.#deps = { ...deps, pause };
  }

  /** Starts a worker, and keeps its place filled from then on. Resolves to whether it listens; a leader that does not is not retried. */
  async start(place: Place): Promise<boolean> {
    const worker = await this.#begin(place);
    if (worker !== null) this.#keep(place, worker);
    else if (!place.leads) {
      this.#deps.log.error('a worker did not start, and is tried again');
      this.#places.set(place, null);
      void this.#refill(place, RESTART_MS_FIRST);
    }
    return worker !== null;
  }

  replaceAll(): Promise<void> {
    this.#replacing = this.#replacing.then(async () => {
      for (const place of [...this.#places.keys()]) if (!this.#isEnding) await this.#replace(place);
    });
    return this.#replacing;
  }

  async end(): Promise<void> {
    this.#isEnding = true;
    const running = [...this.#places.values()].filter((worker) => worker !== null);
    await Promise.all(running.map((worker) => this.#stop(worker)));
  }

  /** Forks a worker and waits until it listens; null if it ended before. */
  async #begin({ leads }: Place): Promise<Worker | null> {
    const worker = this.#deps.fork(!leads ? 'follower' : this.#places.size === 0 ? 'first' : 'leader');
    // A connection handed to a dying worker goes to another one.
    worker.on('error', () => {});
    return Promise.race([
      awaitEvent(worker, 'listening').then(() => worker),
      awaitEvent(worker, 'exit').then(() => null),
    ]);
  }

  #keep(place: Place, worker: Worker, restartMs: number = RESTART_MS_FIRST): void {
    this.#places.set(place, worker);
    const since = performance.now();
    worker.once('exit', (code, signal) => {
      if (this.#isEnding || this.#places.get(place) !== worker) return;
      this.#deps.log.error({ code, signal }, 'a worker ended, and is replaced');
      this.#places.set(place, null);
      void this.#refill(place, performance.now() - since > WELL_MS ? RESTART_MS_FIRST : restartMs);
    });
  }

  async #refill(place: Place, restartMs: number): Promise<void> {
    const isFree = (): boolean => !this.#isEnding && this.#places.get(place) === null;
    for (let ms = restartMs; ; ms = Math.min(RESTART_MS_MAX, ms * 2)) {
      await this.#deps.pause(ms);
      if (!isFree()) return;
      const worker = await this.#begin(place);
      if (worker === null) this.#deps.log.error('a worker did not start, and is tried again');
      else if (isFree()) return this.#keep(place, worker, Math.min(RESTART_MS_MAX, ms * 2));
      // All workers were replaced meanwhile, which filled the place.
      else return this.#stop(worker);
    }
  }

  async #replace(place: Place): Promise<void> {
    const worker = await this.#begin(place);
    if (worker === null) {
      this.#deps.log.error('a new worker did not start; the old one goes on');
      return;
    }
    const old = this.#places.get(place) ?? null;
    this.#keep(place, worker);
    if (old !== null) await this.#stop(old);
  }

  /** Asks a worker to drain and end, and ends it if it does not. */
  async #stop(worker: Worker): Promise<void> {
    if (worker.isDead()) return;
    const ended = awaitEvent(worker, 'exit');
    worker.process.kill('SIGTERM');
    const late = new AbortController();
    const kill = this.#deps.pause(END_MS, undefined, { signal: late.signal }).then(
      () => void worker.process.kill('SIGKILL'),
      () => {},
    );
    await ended;
    late.abort();
    await kill;
  }
}

/** Resolves at the next event of a worker and ignores errors before it, such as a connection that the worker does not accept. */
const awaitEvent = (worker: Worker, event: 'listening' | 'exit'): Promise<void> =>
  new Promise((resolve) => worker.once(event, () => resolve()));

/** The role of a server process: answers calls, works on crawls (jobs, refreshing the index), or both. */
export type Role = 'all' | 'api' | 'crawl';

/** Options for starting a server. */
export type ServeOptions = {
  role: Role;
  /** Number of processes that share the port; 1: this process alone. */
  workers: number;
  /** True in exactly one of the processes on a data folder; it does the work that must not be repeated by the others. */
  leads: boolean;
  /** True if the start prints the listening address; false for replaced workers. */
  greets: boolean;
};

export type WorkerKind = (typeof WORKER_KINDS)[number];

/** Builds the options of a process; without a kind it is the only one. */
export function buildServeOptions(
  kind: WorkerKind | undefined,
  { role, workers }: Pick<ServeOptions, 'role' | 'workers'>,
): ServeOptions {
  return { role, workers, leads: kind !== 'follower', greets: kind === undefined || kind === 'first' };
}
