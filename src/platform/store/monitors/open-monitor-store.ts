import { type Kysely, type Migration, sql } from 'kysely';
import { openTableStore, type StorePlace, type TableStore } from '../open-table-store.ts';

/** The store of monitors and what they saw. */
export type MonitorStore = TableStore<MonitorTables>;
export type MonitorQueries = MonitorStore['db'];

/** The tables of monitors, all of which belong to `monitors`. Instants are milliseconds since the epoch. */
export type MonitorTables = {
  monitor: MonitorTable;
  monitor_event: MonitorEventTable;
  monitor_delivery: MonitorDeliveryTable;
  monitor_host: MonitorHostTable;
};

/** A monitor: what is watched, and what was seen last. */
export type MonitorTable = {
  id: string;
  /** The tenant that set it up; only this tenant may see it. */
  owner: string;
  /** The key that pays for its checks; null: they are free. */
  key_id: string | null;
  /** The order as JSON. */
  request: string;
  state: 'active' | 'paused';
  /** Why it was paused by the service; null: it is active, or its owner paused it. */
  reason: 'credits' | null;
  /** The address that is watched; null for a search. */
  url: string | null;
  /** The host that is asked; null for a search. */
  host: string | null;
  created_at: number;
  /** Time of the next check. */
  next_at: number;
  checked_at: number | null;
  /** Milliseconds between two checks where the schedule follows the page. */
  interval_ms: number;
  /** Checks that were written; numbers their charges and events. */
  checks: number;
  /** Checks that failed since the last one that succeeded. */
  failures: number;
  /** What the last check found, as JSON; null before the first. */
  outcome: string | null;
  /** Why an event did not reach a channel; null once the next one does. */
  delivery_problem: string | null;
  /** What was seen last: JSON, deflated, in base64; null before the first check that succeeded. */
  known: string | null;
  lease_token: number;
  lease_until: number;
};

/** Something that a monitor saw change. */
type MonitorEventTable = {
  /** `evt_<monitor>_<number>`. */
  id: string;
  monitor_id: string;
  /** 1, 2, 3 ... within the monitor. */
  number: number;
  at: number;
  /** The event as JSON. */
  body: string;
};

/** An event that one of a monitor's channels has not accepted yet. */
export type MonitorDeliveryTable = {
  id: string;
  event_id: string;
  monitor_id: string;
  /** The place of the channel in the monitor's order. */
  channel: number;
  attempts: number;
  /** Time of the next attempt; moved ahead while a process sends the event. */
  due_at: number;
};

/** The earliest time of the next check on a host, over all monitors and processes. */
type MonitorHostTable = { host: string; ready_at: number };

const MIGRATIONS: Record<string, Migration> = { '0001-monitors': { up: createMonitorTables } };

/** Name of the SQLite file in the data folder. */
export const MONITORS_FILE = 'monitors.db';

export function openMonitorStore(place: StorePlace): Promise<MonitorStore> {
  return openTableStore(place, {
    file: MONITORS_FILE,
    name: 'monitor',
    migrations: () => MIGRATIONS,
    connectionsMax: 4,
  });
}

async function createMonitorTables(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('monitor')
    .addColumn('id', 'text', (column) => column.primaryKey())
    .addColumn('owner', 'text', (column) => column.notNull())
    .addColumn('key_id', 'text')
    .addColumn('request', 'text', (column) => column.notNull())
    .addColumn('state', 'text', (column) => column.notNull())
    .addColumn('reason', 'text')
    .addColumn('url', 'text')
    .addColumn('host', 'text')
    .addColumn('created_at', 'bigint', (column) => column.notNull())
    .addColumn('next_at', 'bigint', (column) => column.notNull())
    .addColumn('checked_at', 'bigint')
    .addColumn('interval_ms', 'bigint', (column) => column.notNull())
    .addColumn('checks', 'bigint', (column) => column.notNull())
    .addColumn('failures', 'bigint', (column) => column.notNull())
    .addColumn('outcome', 'text')
    .addColumn('delivery_problem', 'text')
    .addColumn('known', 'text')
    .addColumn('lease_token', 'bigint', (column) => column.notNull())
    .addColumn('lease_until', 'bigint', (column) => column.notNull())
    .execute();
  await sql`create index monitor_due on monitor (next_at) where state = 'active'`.execute(db);
  await db.schema.createIndex('monitor_of_owner').on('monitor').column('owner').execute();
  await db.schema
    .createTable('monitor_event')
    .addColumn('id', 'text', (column) => column.primaryKey())
    .addColumn('monitor_id', 'text', (column) =>
      column.notNull().references('monitor.id').onDelete('cascade'),
    )
    .addColumn('number', 'bigint', (column) => column.notNull())
    .addColumn('at', 'bigint', (column) => column.notNull())
    .addColumn('body', 'text', (column) => column.notNull())
    .addUniqueConstraint('monitor_event_once', ['monitor_id', 'number'])
    .execute();
  await db.schema
    .createTable('monitor_delivery')
    .addColumn('id', 'text', (column) => column.primaryKey())
    .addColumn('event_id', 'text', (column) =>
      column.notNull().references('monitor_event.id').onDelete('cascade'),
    )
    .addColumn('monitor_id', 'text', (column) => column.notNull())
    .addColumn('channel', 'bigint', (column) => column.notNull())
    .addColumn('attempts', 'bigint', (column) => column.notNull())
    .addColumn('due_at', 'bigint', (column) => column.notNull())
    .execute();
  await db.schema.createIndex('monitor_delivery_due').on('monitor_delivery').column('due_at').execute();
  await db.schema
    .createIndex('monitor_delivery_of_event')
    .on('monitor_delivery')
    .column('event_id')
    .execute();
  await db.schema
    .createTable('monitor_host')
    .addColumn('host', 'text', (column) => column.primaryKey())
    .addColumn('ready_at', 'bigint', (column) => column.notNull())
    .execute();
}
