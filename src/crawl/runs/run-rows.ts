import type { Selectable } from 'kysely';
import type { Store } from '../../platform/store/open-store.ts';
import type { CrawlRunTable } from '../../platform/store/tables.ts';
import { NO_COUNTS, type OperatorRun, type RunCounts, type RunOrder, type RunState } from './run-types.ts';

/** Number of ended runs that are kept. */
const ENDED_KEPT = 100;
const ENDED: readonly RunState[] = ['stopped', 'done', 'failed'];

export async function insertRun(
  store: Store,
  run: { id: string; order: RunOrder; now: number },
): Promise<void> {
  const { id, order, now } = run;
  await store
    .insertInto('crawl_run')
    .values({
      id,
      run_order: JSON.stringify(order),
      state: 'waiting',
      counts: JSON.stringify(NO_COUNTS),
      note: null,
      created_at: now,
      started_at: null,
      ended_at: null,
      touched_at: now,
      holder: null,
    })
    .execute();
}

/** Lists all runs, newest first. */
export async function listRuns(store: Store): Promise<OperatorRun[]> {
  const rows = await store
    .selectFrom('crawl_run')
    .selectAll()
    .orderBy('created_at', 'desc')
    .orderBy('id', 'desc')
    .execute();
  return rows.map(toOperatorRun);
}

export async function findRun(store: Store, id: string): Promise<OperatorRun | null> {
  const row = await store.selectFrom('crawl_run').selectAll().where('id', '=', id).executeTakeFirst();
  return row === undefined ? null : toOperatorRun(row);
}

export async function countWaitingRuns(store: Store): Promise<number> {
  const { count } = await store
    .selectFrom('crawl_run')
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .where('state', '=', 'waiting')
    .executeTakeFirstOrThrow();
  return Number(count);
}

/**
 * Takes the run that has waited longest; null if none waits. Only one process gets it, and only once its former holder has released it.
 * So it is no row lease: a run that was stopped, or left by a silent process, first changes its state, and `holder` is the token.
 */
export async function takeRun(
  store: Store,
  { holder, now }: { holder: string; now: number },
): Promise<OperatorRun | null> {
  const row = await store
    .updateTable('crawl_run')
    .set(({ fn, val }) => ({
      state: 'running',
      touched_at: now,
      ended_at: null,
      note: null,
      holder,
      started_at: fn.coalesce('started_at', val(now)),
    }))
    .where(
      'id',
      '=',
      store
        .selectFrom('crawl_run')
        .select('id')
        .where('state', '=', 'waiting')
        .where('holder', 'is', null)
        .orderBy('created_at')
        .orderBy('id')
        .limit(1),
    )
    .returningAll()
    .executeTakeFirst();
  return row === undefined ? null : toOperatorRun(row);
}

/** Changes the state of a run if it is in one of the states `from`; resolves to whether it was. */
export async function moveRun(
  store: Store,
  id: string,
  change: { from: readonly RunState[]; to: RunState; now: number },
): Promise<boolean> {
  const { from, to, now } = change;
  const { numUpdatedRows } = await store
    .updateTable('crawl_run')
    .set({ state: to, touched_at: now, ended_at: ENDED.includes(to) ? now : null })
    .where('id', '=', id)
    .where('state', 'in', [...from])
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}

/** Writes the progress of a run, which also shows that its holder is alive. Resolves to false if the holder must stop. */
export async function touchRun(
  store: Store,
  id: string,
  { holder, counts, now }: { holder: string; counts: RunCounts; now: number },
): Promise<boolean> {
  const { numUpdatedRows } = await store
    .updateTable('crawl_run')
    .set({ counts: JSON.stringify(counts), touched_at: now })
    .where('id', '=', id)
    .where('state', '=', 'running')
    .where('holder', '=', holder)
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}

/** Releases a run with its new state, unless another process has changed its state in the meantime. */
export async function releaseRun(
  store: Store,
  id: string,
  end: { holder: string; state: RunState; now: number; counts: RunCounts; note: string | null },
): Promise<void> {
  const { holder, state, now, counts, note } = end;
  const buildUpdate = () => store.updateTable('crawl_run').where('id', '=', id).where('holder', '=', holder);
  await buildUpdate()
    .set({ state, note, touched_at: now, ended_at: ENDED.includes(state) ? now : null })
    .where('state', '=', 'running')
    .execute();
  await buildUpdate()
    .set({ holder: null, counts: JSON.stringify(counts) })
    .execute();
}

/** Releases runs whose process has died; they wait again unless they were paused or stopped. */
export async function requeueSilentRuns(store: Store, silentSince: number): Promise<void> {
  const buildSilentUpdate = () =>
    store.updateTable('crawl_run').where('touched_at', '<', silentSince).where('holder', 'is not', null);
  await buildSilentUpdate().set({ state: 'waiting' }).where('state', '=', 'running').execute();
  await buildSilentUpdate().set({ holder: null }).execute();
}

/** Deletes the oldest of the runs that have ended. */
export async function dropOldRuns(store: Store): Promise<void> {
  const old = store
    .selectFrom('crawl_run')
    .select('id')
    .where('state', 'in', [...ENDED])
    .orderBy('ended_at', 'desc')
    .limit(-1)
    .offset(ENDED_KEPT);
  await store.deleteFrom('crawl_run').where('id', 'in', old).execute();
}

function toOperatorRun(row: Selectable<CrawlRunTable>): OperatorRun {
  const { id, run_order, state, counts, note, created_at, started_at, ended_at } = row;
  return {
    id,
    state,
    note,
    createdAt: created_at,
    startedAt: started_at,
    endedAt: ended_at,
    // Written by `insertRun` and `touchRun`.
    order: JSON.parse(run_order) as RunOrder,
    counts: JSON.parse(counts) as RunCounts,
  };
}
