/**
 * Rows of monitors: inserting, finding, claiming and writing what a check found. The functions take a database or a transaction, so that
 * callers decide what happens atomically. Writes of a check name the lease under which it ran.
 */
import { type Selectable, sql, type UpdateObject } from 'kysely';
import type {
  MonitorQueries,
  MonitorTable,
  MonitorTables,
} from '../../platform/store/monitors/open-monitor-store.ts';
import { createRowLeases, type Lease } from '../../platform/store/row-leases.ts';
import type { CheckOutcome, Monitor, MonitorOrder } from '../monitor-types.ts';

const leases = createRowLeases('monitor', { token: 'lease_token', until: 'lease_until' });

/** Columns of a monitor without what it saw last, which may be large. */
const COLUMNS = [
  ...(['id', 'owner', 'key_id', 'request', 'state', 'reason', 'created_at', 'next_at'] as const),
  ...([
    'checked_at',
    'interval_ms',
    'checks',
    'failures',
    'outcome',
    'delivery_problem',
    'lease_token',
  ] as const),
] as const;
type MonitorRow = Pick<Selectable<MonitorTable>, (typeof COLUMNS)[number]>;

export async function insertMonitor(
  tx: MonitorQueries,
  monitor: Pick<Monitor, 'id' | 'owner' | 'keyId' | 'order' | 'createdAt' | 'nextAt' | 'intervalMs'>,
): Promise<void> {
  const { id, owner, keyId, order, createdAt, nextAt, intervalMs } = monitor;
  await tx
    .insertInto('monitor')
    .values({
      id,
      owner,
      key_id: keyId,
      request: JSON.stringify(order),
      state: 'active',
      reason: null,
      url: resolveUrl(order),
      host: resolveHost(order),
      created_at: createdAt,
      next_at: nextAt,
      checked_at: null,
      interval_ms: intervalMs,
      checks: 0,
      failures: 0,
      outcome: null,
      delivery_problem: null,
      known: null,
      lease_token: 0,
      lease_until: 0,
    })
    .execute();
}

const resolveUrl = ({ target }: MonitorOrder): string | null =>
  target.kind === 'search' ? null : target.url;

/** Returns the host that a monitor's checks ask; null where they ask sources. */
export function resolveHost(order: Pick<MonitorOrder, 'target'>): string | null {
  const { target } = order;
  return target.kind === 'search' ? null : new URL(target.url).host;
}

export async function findMonitor(db: MonitorQueries, id: string): Promise<Monitor | null> {
  const row = await db.selectFrom('monitor').select(COLUMNS).where('id', '=', id).executeTakeFirst();
  return row === undefined ? null : toMonitor(row);
}

/** Lists the monitors of an owner, or of all owners, newest first. */
export async function listMonitors(
  db: MonitorQueries,
  { owner, limit }: { owner: string | null; limit: number },
): Promise<Monitor[]> {
  const rows = await db
    .selectFrom('monitor')
    .select(COLUMNS)
    .$if(owner !== null, (query) => query.where('owner', '=', owner ?? ''))
    .orderBy('created_at', 'desc')
    .orderBy('id')
    .limit(limit)
    .execute();
  return rows.map(toMonitor);
}

export async function countMonitors(
  db: MonitorQueries,
  owner: string,
): Promise<{ own: number; all: number }> {
  const row = await db
    .selectFrom('monitor')
    .select([
      sql<number>`coalesce(sum(case when owner = ${owner} then 1 else 0 end), 0)`.as('own'),
      sql<number>`count(*)`.as('all'),
    ])
    .executeTakeFirstOrThrow();
  return { own: Number(row.own), all: Number(row.all) };
}

/** Deletes a monitor with its events; false if there is none. */
export async function deleteMonitor(db: MonitorQueries, id: string): Promise<boolean> {
  const gone = await db.deleteFrom('monitor').where('id', '=', id).returning('id').executeTakeFirst();
  return gone !== undefined;
}

/** Changes a monitor on behalf of its owner. */
export async function updateMonitor(
  db: MonitorQueries,
  id: string,
  changes: Partial<Pick<Monitor, 'order' | 'state' | 'nextAt'>>,
): Promise<void> {
  const { order, state, nextAt } = changes;
  const columns: UpdateObject<MonitorTables, 'monitor'> = {};
  if (order !== undefined) columns.request = JSON.stringify(order);
  if (state !== undefined) Object.assign(columns, { state, reason: null });
  if (nextAt !== undefined) columns.next_at = nextAt;
  await db.updateTable('monitor').set(columns).where('id', '=', id).execute();
}

/** A monitor that is due, with the token of the lease that a claim of it replaces. */
export type DueMonitor = Monitor & { token: number };

/** Lists monitors that are due and that nobody checks, the longest due first; at most one of each host that may be asked again. */
export async function listDueMonitors(
  db: MonitorQueries,
  { now, limit }: { now: number; limit: number },
): Promise<DueMonitor[]> {
  const due = db
    .selectFrom('monitor')
    .leftJoin('monitor_host', 'monitor_host.host', 'monitor.host')
    .select(COLUMNS.map((name) => `monitor.${name}` as const))
    .select(
      sql<number>`row_number() over (partition by coalesce(monitor.host, monitor.id) order by monitor.next_at, monitor.id)`.as(
        'turn',
      ),
    )
    .where('state', '=', 'active')
    .where('next_at', '<=', now)
    .where(leases.isFree(now))
    .where(sql<boolean>`coalesce(monitor_host.ready_at, 0) <= ${now}`);
  const rows = await db
    .selectFrom(due.as('due'))
    .selectAll()
    .where('turn', '=', 1)
    .orderBy('next_at')
    .limit(limit)
    .execute();
  return rows.map((row) => Object.assign(toMonitor(row), { token: row.lease_token }));
}

/**
 * Reserves the next check on a host for one process, until `readyAt`; false if another was faster. Hosts are asked one check at a time
 * over all processes.
 */
export async function takeHost(
  db: MonitorQueries,
  host: string,
  { now, readyAt }: { now: number; readyAt: number },
): Promise<boolean> {
  const { rows } = await sql`
    insert into monitor_host (host, ready_at) values (${host}, ${readyAt})
    on conflict (host) do update set ready_at = ${readyAt} where monitor_host.ready_at <= ${now}
    returning host`.execute(db);
  return rows.length > 0;
}

export async function deleteReadyHosts(db: MonitorQueries, now: number): Promise<void> {
  await db.deleteFrom('monitor_host').where('ready_at', '<=', now).execute();
}

/** Takes the lease of a monitor that was listed as due; null if another process was faster. */
export async function claimMonitor(
  db: MonitorQueries,
  { id, token }: Pick<DueMonitor, 'id' | 'token'>,
  { now, until }: { now: number; until: number },
): Promise<{ lease: Lease; known: string | null } | null> {
  const row = await db
    .updateTable('monitor')
    .set(leases.claim(until))
    .where('id', '=', id)
    .where('lease_token', '=', token)
    .where(leases.isFree(now))
    .returning(['lease_token', 'known'])
    .executeTakeFirst();
  return row === undefined ? null : { lease: { id, token: row.lease_token }, known: row.known };
}

/** What a check changes of its monitor. */
type WrittenCheck = {
  nextAt: number;
  intervalMs: number;
  checkedAt: number;
  checks: number;
  failures: number;
  outcome: CheckOutcome;
  /** Absent: what was seen last stays. */
  known?: string;
  /** Set where the check could not be paid for. */
  pausedFor?: 'credits';
};

/** Writes a check and releases the lease; false if the lease was lost or the monitor deleted, and then nothing is written. */
export async function writeCheck(tx: MonitorQueries, lease: Lease, check: WrittenCheck): Promise<boolean> {
  const { nextAt, intervalMs, checkedAt, checks, failures, outcome, known, pausedFor } = check;
  const columns: UpdateObject<MonitorTables, 'monitor'> = {
    next_at: nextAt,
    interval_ms: intervalMs,
    checked_at: checkedAt,
    checks,
    failures,
    outcome: JSON.stringify(outcome),
    lease_until: 0,
  };
  if (known !== undefined) columns.known = known;
  if (pausedFor !== undefined) Object.assign(columns, { state: 'paused', reason: pausedFor });
  const written = await tx
    .updateTable('monitor')
    .set(columns)
    .where(leases.isHeld(lease))
    .returning('id')
    .executeTakeFirst();
  return written !== undefined;
}

/** Notes why an event did not reach a channel; null: it did. */
export async function noteDelivery(db: MonitorQueries, id: string, problem: string | null): Promise<void> {
  await db.updateTable('monitor').set({ delivery_problem: problem }).where('id', '=', id).execute();
}

/** Releases a lease without a check. */
export async function releaseMonitor(db: MonitorQueries, lease: Lease): Promise<void> {
  await leases.setEnd(db, [lease], 0);
}

/** Drops what the monitors of forgotten addresses saw, and their events; resolves to how many there were. The monitors stay. */
export async function forgetMonitors(
  db: MonitorQueries,
  isForgotten: (address: string) => boolean,
): Promise<number> {
  const rows = await db.selectFrom('monitor').select(['id', 'url']).where('url', 'is not', null).execute();
  const ids = rows.filter(({ url }) => url !== null && isForgotten(url)).map(({ id }) => id);
  for (const id of ids) {
    await db.deleteFrom('monitor_event').where('monitor_id', '=', id).execute();
    await db.updateTable('monitor').set({ known: null, outcome: null }).where('id', '=', id).execute();
  }
  return ids.length;
}

function toMonitor(row: MonitorRow): Monitor {
  return {
    id: row.id,
    owner: row.owner,
    keyId: row.key_id,
    // Written by `insertMonitor` and `updateMonitor`.
    order: JSON.parse(row.request) as MonitorOrder,
    state: row.state,
    reason: row.reason,
    createdAt: row.created_at,
    nextAt: row.next_at,
    checkedAt: row.checked_at,
    intervalMs: row.interval_ms,
    checks: row.checks,
    failures: row.failures,
    deliveryProblem: row.delivery_problem,
    outcome: row.outcome === null ? null : (JSON.parse(row.outcome) as CheckOutcome),
  };
}
