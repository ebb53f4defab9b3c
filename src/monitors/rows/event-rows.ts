import { randomUUID } from 'node:crypto';
import type { Selectable } from 'kysely';
import { MONITORS } from '../../contract/limits.ts';
import { createDueRows } from '../../platform/store/due-rows.ts';
import type {
  MonitorDeliveryTable,
  MonitorQueries,
} from '../../platform/store/monitors/open-monitor-store.ts';
import type { Monitor, MonitorEvent, MonitorFinding } from '../monitor-types.ts';

/**
 * Writes the events of one check with a delivery for each channel, and deletes the oldest beyond the bounds. Call it in the transaction that
 * writes the check.
 */
export async function insertEvents(
  tx: MonitorQueries,
  { id, order }: Pick<Monitor, 'id' | 'order'>,
  { findings, now }: { findings: readonly MonitorFinding[]; now: number },
): Promise<void> {
  if (findings.length === 0) return;
  const last = await tx
    .selectFrom('monitor_event')
    .select(({ fn }) => fn.max('number').as('number'))
    .where('monitor_id', '=', id)
    .executeTakeFirstOrThrow();
  const first = Number(last.number ?? 0) + 1;
  const events = findings.map((finding, place) => ({
    id: `evt_${id}_${first + place}`,
    monitor_id: id,
    number: first + place,
    at: now,
    body: JSON.stringify(finding),
  }));
  const deliveries = events.flatMap((event) =>
    order.channels.map((_, channel) => ({
      id: randomUUID(),
      event_id: event.id,
      monitor_id: id,
      channel,
      attempts: 0,
      due_at: now,
    })),
  );
  await tx.insertInto('monitor_event').values(events).execute();
  if (deliveries.length > 0) await tx.insertInto('monitor_delivery').values(deliveries).execute();
  await tx
    .deleteFrom('monitor_event')
    .where('monitor_id', '=', id)
    .where(({ eb, or }) =>
      or([
        eb('number', '<=', first + findings.length - 1 - MONITORS.eventsMax),
        eb('at', '<', now - MONITORS.eventsMs),
      ]),
    )
    .execute();
}

/** Lists events of a monitor, newest first; those before `before` if it is given. */
export async function listEvents(
  db: MonitorQueries,
  { monitorId, before, limit }: { monitorId: string; before: number | null; limit: number },
): Promise<MonitorEvent[]> {
  const rows = await db
    .selectFrom('monitor_event')
    .selectAll()
    .where('monitor_id', '=', monitorId)
    .$if(before !== null, (query) => query.where('number', '<', before ?? 0))
    .orderBy('number', 'desc')
    .limit(limit)
    .execute();
  return rows.map(toEvent);
}

export async function findEvent(db: MonitorQueries, id: string): Promise<MonitorEvent | null> {
  const row = await db.selectFrom('monitor_event').selectAll().where('id', '=', id).executeTakeFirst();
  return row === undefined ? null : toEvent(row);
}

function toEvent(row: {
  id: string;
  monitor_id: string;
  number: number;
  at: number;
  body: string;
}): MonitorEvent {
  // Written by `insertEvents`.
  const finding = JSON.parse(row.body) as MonitorFinding;
  return Object.assign(finding, {
    id: row.id,
    monitorId: row.monitor_id,
    number: Number(row.number),
    at: Number(row.at),
  });
}

export const deliveryRows = createDueRows('monitor_delivery');

/** An event that waits for one channel. */
export type EventDelivery = Selectable<MonitorDeliveryTable>;

/** Lists due deliveries, the longest due first. */
export async function listDueDeliveries(
  db: MonitorQueries,
  { now, limit }: { now: number; limit: number },
): Promise<EventDelivery[]> {
  return db
    .selectFrom('monitor_delivery')
    .selectAll()
    .where('due_at', '<=', now)
    .orderBy('due_at')
    .orderBy('event_id')
    .limit(limit)
    .execute();
}
