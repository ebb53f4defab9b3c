import type { LogEvent } from 'kysely';
import type { LocalIndex } from '../../index/local-index-types.ts';
import type { TaskPool } from '../../platform/threads/task-pool.ts';
import { type Tracing, traceMethods } from '../../platform/tracing/open-tracing.ts';
import type { Upstream } from '../../recall/upstream/upstream-types.ts';

/** Wraps the index in a span around each call that requests make. */
export function traceIndex(tracing: Tracing | null, index: LocalIndex): LocalIndex {
  return traceMethods(tracing, index, {
    search: 'index search',
    frequencies: 'index frequencies',
    get: 'index get',
    put: 'index put',
    pages: 'index pages',
  });
}

/** Wraps the pool in a span around each task: its wait for a thread and its work. */
export function tracePool(tracing: Tracing | null, pool: TaskPool): TaskPool {
  return traceMethods(tracing, pool, { run: ({ name }) => `thread ${name}` });
}

/** Wraps the sources in a span around each call, including calls that a cache answers. */
export function traceUpstreams(tracing: Tracing | null, upstreams: readonly Upstream[]): readonly Upstream[] {
  return upstreams.map((upstream) =>
    traceMethods(tracing, upstream, { ask: () => `source ${upstream.name}` }),
  );
}

/** Creates a tracer of SQL statements, as Kysely sends them, without parameters. Undefined if nothing is traced. */
export function createStatementTracer(tracing: Tracing | null): ((event: LogEvent) => void) | undefined {
  if (tracing === null) return undefined;
  return ({ query, queryDurationMillis }) =>
    tracing.ended('store', queryDurationMillis, { 'db.query.text': query.sql });
}
