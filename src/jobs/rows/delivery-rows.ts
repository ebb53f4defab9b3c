import { randomUUID } from 'node:crypto';
import { type Selectable, sql } from 'kysely';
import { createDueRows } from '../../platform/store/due-rows.ts';
import type { JobDeliveryTable } from '../../platform/store/jobs/job-tables.ts';
import type { JobQueries } from '../../platform/store/jobs/open-job-store.ts';
import type { Job, WebhookOrder } from '../job-types.ts';

export const deliveryRows = createDueRows('job_delivery');

/** An event waiting to be sent to its webhook. */
export type Delivery = Selectable<JobDeliveryTable>;

type NewEvent = Pick<Delivery, 'event' | 'number'>;

const INSERTED_ROWS = 100;

/** Queues the events that the job's webhook subscribes to. Call it in the transaction that makes them true. */
export async function queueEvents(
  tx: JobQueries,
  { id, order }: Pick<Job, 'id' | 'order'>,
  { events, now }: { events: NewEvent[]; now: number },
): Promise<void> {
  const { webhook } = order;
  const wanted = webhook === null ? [] : events.filter(({ event }) => wants(webhook, event));
  const rows = wanted.map(({ event, number }) => ({
    id: randomUUID(),
    job_id: id,
    event,
    number,
    attempts: 0,
    due_at: now,
    created_at: now,
  }));
  for (let at = 0; at < rows.length; at += INSERTED_ROWS)
    await tx
      .insertInto('job_delivery')
      .values(rows.slice(at, at + INSERTED_ROWS))
      .execute();
}

function wants({ events }: WebhookOrder, event: Delivery['event']): boolean {
  return events.includes(event === 'page_failed' ? 'page' : event);
}

export type DueDelivery = Delivery & { owner: string };

/** Lists due deliveries, at most `perOwner` of each owner, the longest due first. */
export async function listDueDeliveries(
  db: JobQueries,
  { now, perOwner }: { now: number; perOwner: number },
): Promise<DueDelivery[]> {
  const due = db
    .selectFrom('job_delivery')
    .innerJoin('job', 'job.id', 'job_delivery.job_id')
    .selectAll('job_delivery')
    .select([
      'job.owner',
      sql<number>`row_number() over (partition by job.owner order by job_delivery.due_at, job_delivery.created_at, job_delivery.number)`.as(
        'turn',
      ),
    ])
    .where('job_delivery.due_at', '<=', now);
  return db
    .selectFrom(due.as('due'))
    .selectAll()
    .where('turn', '<=', perOwner)
    .orderBy('due_at')
    .orderBy('turn')
    .execute();
}
