import type { LogEvent } from 'kysely';
import type { LocalIndex } from '../../index/local-index-types.ts';
import type { TaskPool } from '../../platform/threads/task-pool.ts';
import { type Tracing, traceMethods } from '../../platform/tracing/tracing.ts';
import type { Upstream } from '../../recall/upstream/upstream-types.ts';

/** The index, with a span around each call that requests make. */
export function traceIndex(tracing: Tracing | null, index: LocalIndex): LocalIndex {
  return traceMethods(tracing, index, {
    search: 'index search',
    frequencies: 'index frequencies',
    get: 'index get',
    put: 'index put',
    pages: 'index pages',
  });
}

/** The pool, with a span around each task: its wait for a thread and its work. */
export function tracePool(tracing: Tracing | null, pool: TaskPool): TaskPool {
  return traceMethods(tracing, pool, { run: ({ name }) => `thread ${name}` });
}

/** The sources, with a span around each call; what a cache answers is one too. */
export function traceUpstreams(tracing: Tracing | null, upstreams: readonly Upstream[]): readonly Upstream[] {
  return upstreams.map((upstream) =>
    traceMethods(tracing, upstream, { ask: () => `source ${upstream.name}` }),
  );
}

/** Tells of each statement, as Kysely sends it: parameters are not part of it. Undefined where nothing is traced. */
export function createStatementTracer(tracing: Tracing | null): ((event: LogEvent) => void) | undefined {
  if (tracing === null) return undefined;
  return ({ query, queryDurationMillis }) =>
    tracing.ended('store', queryDurationMillis, { 'db.query.text': query.sql });
}
