/** What a server process does: answers calls, works on crawls (jobs, refreshing the index), or both. */
export type Role = 'all' | 'api' | 'crawl';

export const ROLES: readonly Role[] = ['all', 'api', 'crawl'];

/** How a server is started. */
export type ServeOptions = {
  role: Role;
  /** Processes that share the port; one is this process alone. */
  workers: number;
  /** False in all but one of several processes on one data folder: work that must not be done twice as often is that one's. */
  leads: boolean;
  /** Whether the start says on the terminal where it listens: not again where a worker is replaced. */
  greets: boolean;
};

/** What a worker is told about itself. */
export const WORKER_KINDS = ['first', 'leader', 'follower'] as const;
export type WorkerKind = (typeof WORKER_KINDS)[number];

/** Without a kind it is the only process. */
export function buildServeOptions(
  kind: WorkerKind | undefined,
  { role, workers }: Pick<ServeOptions, 'role' | 'workers'>,
): ServeOptions {
  return { role, workers, leads: kind !== 'follower', greets: kind === undefined || kind === 'first' };
}

export const WORKERS_MAX = 64;
