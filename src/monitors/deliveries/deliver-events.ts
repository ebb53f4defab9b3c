/**
 * Delivers the events of monitors to their channels, at least once: a delivery leaves the store when its receiver has accepted it, and one
 * that a killed process was sending is sent again under the same id. A receiver that fails is asked again with growing pauses, and other
 * channels do not wait for it.
 */
import { Failure } from '../../contract/errors.ts';
import { createWebhookHeaders } from '../../jobs/webhooks/webhook-signature.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Log } from '../../platform/log.ts';
import type { GuardedFetch } from '../../platform/net/fetch-types.ts';
import type { MonitorStore } from '../../platform/store/monitors/open-monitor-store.ts';
import type { Monitor, MonitorChannel, MonitorEvent } from '../monitor-types.ts';
import { deliveryRows, type EventDelivery, findEvent, listDueDeliveries } from '../rows/event-rows.ts';
import { findMonitor, noteDelivery } from '../rows/monitor-rows.ts';
import { formatEventAsText, formatEventBody } from './format-event.ts';

/** Sends an email; rejects if the server of the operator refuses it. */
export type SendEmail = (email: { id: string; to: string; subject: string; text: string }) => Promise<void>;

type DeliveryDeps = {
  store: MonitorStore;
  /** Refuses addresses that are neither public nor in WEBHOOK_ALLOW_PRIVATE. */
  fetch: GuardedFetch;
  /** Null: no server for email is set. */
  sendEmail: SendEmail | null;
  /** Returns the secret that signs an owner's webhooks. */
  secretOf(owner: string): string;
  clock: Clock;
  log: Log;
};

type EventDeliverer = {
  /** Starts the deliveries that are due, within the bounds. */
  startDueDeliveries(signal: AbortSignal): Promise<void>;
  /** Resolves when nothing is being sent. */
  idle(): Promise<void>;
};

const SENT_AT_ONCE_MAX = 16;
/** Deliveries of one monitor at once, so that a slow receiver leaves room for others. */
const MONITOR_SENT_MAX = 4;
const DUE_MAX = 200;
const TIMEOUT_MS = 10_000;
/** Reservation of a delivery while it is sent; it must exceed TIMEOUT_MS. */
const TAKEN_MS = 30_000;
const ANSWER_BYTES_MAX = 262_144;
/** Pauses after failed attempts; after the last one the delivery is dropped, and the event stays in the feeds. */
const PAUSES_MS = [5_000, 60_000, 600_000, 3_600_000, 6 * 3_600_000, 24 * 3_600_000];

export function createEventDeliverer(deps: DeliveryDeps): EventDeliverer {
  const { store, clock, log } = deps;
  const sending = new Map<string, { monitorId: string; done: Promise<void> }>();
  const countOf = (monitorId: string): number =>
    [...sending.values()].filter((one) => one.monitorId === monitorId).length;
  return {
    async startDueDeliveries(signal) {
      const now = clock.now();
      for (const due of await listDueDeliveries(store.db, { now, limit: DUE_MAX })) {
        if (signal.aborted || sending.size >= SENT_AT_ONCE_MAX) return;
        if (sending.has(due.id) || countOf(due.monitor_id) >= MONITOR_SENT_MAX) continue;
        if (!(await deliveryRows.take(store.db, due, now + TAKEN_MS))) continue;
        const done = deliver(deps, due, signal)
          .catch((err: unknown) => log.warn({ monitor: due.monitor_id, err }, 'an event was not sent'))
          .finally(() => sending.delete(due.id));
        sending.set(due.id, { monitorId: due.monitor_id, done });
      }
    },
    async idle() {
      await Promise.all([...sending.values()].map(({ done }) => done));
    },
  };
}

async function deliver(deps: DeliveryDeps, delivery: EventDelivery, signal: AbortSignal): Promise<void> {
  const { store, clock, log } = deps;
  const monitor = await findMonitor(store.db, delivery.monitor_id);
  const event = await findEvent(store.db, delivery.event_id);
  const channel = monitor?.order.channels[delivery.channel];
  // The monitor was deleted, or its owner has removed the channel.
  if (monitor === null || event === null || channel === undefined)
    return deliveryRows.remove(store.db, delivery);
  if (await send(deps, { monitor, event, channel, signal })) {
    if (monitor.deliveryProblem !== null) await noteDelivery(store.db, monitor.id, null);
    return deliveryRows.remove(store.db, delivery);
  }
  // Aborted because this process is about to exit; that is no failure of the receiver.
  if (signal.aborted) return deliveryRows.delay(store.db, delivery, { attempts: 0, dueAt: clock.now() });
  const pauseMs = PAUSES_MS[delivery.attempts];
  const what = `${event.id} was not accepted by its ${channel.kind}`;
  const next = pauseMs === undefined ? 'it is not sent again, and stays in the feeds' : 'it is sent again';
  await noteDelivery(store.db, monitor.id, `${what}; ${next}.`);
  if (pauseMs !== undefined)
    return deliveryRows.delay(store.db, delivery, {
      attempts: 1,
      dueAt: clock.now() + pauseMs,
    });
  log.warn({ monitor: monitor.id, event: event.id }, 'an event was dropped: its receiver refuses it');
  await deliveryRows.remove(store.db, delivery);
}

type Sent = { monitor: Monitor; event: MonitorEvent; channel: MonitorChannel; signal: AbortSignal };

/** Resolves to whether the receiver accepted the event. */
async function send(deps: DeliveryDeps, { monitor, event, channel, signal }: Sent): Promise<boolean> {
  try {
    if (channel.kind === 'email') {
      if (deps.sendEmail === null) return false;
      const { subject, text } = formatEventAsText(monitor, event);
      await deps.sendEmail({ id: event.id, to: channel.to, subject, text });
      return true;
    }
    const body = formatEventBody(channel.kind, monitor, event);
    const { status } = await deps.fetch({
      url: channel.url,
      signal,
      body,
      tenant: monitor.owner,
      bytesMax: ANSWER_BYTES_MAX,
      timeoutMs: TIMEOUT_MS,
      ownHeaders: {
        ...(channel.kind === 'webhook' ? channel.headers : {}),
        'content-type': 'application/json',
        ...(channel.kind === 'webhook'
          ? createWebhookHeaders(
              { id: event.id, body, sentAt: deps.clock.now() },
              deps.secretOf(monitor.owner),
            )
          : {}),
      },
    });
    return status >= 200 && status < 300;
  } catch (error) {
    if (error instanceof Failure || channel.kind === 'email') {
      deps.log.info(
        { monitor: monitor.id, channel: channel.kind, err: error },
        'a receiver refused an event',
      );
      return false;
    }
    throw error;
  }
}
