/**
 * Delivery of job events to webhooks: signed, retried with growing pauses, and at least once. An event may arrive twice if a process is
 * killed while it sends. It does not decide which events exist; the job writer queues them with the state they report.
 */
import { Failure } from '../../contract/errors.ts';
import type { Clock } from '../../platform/clock.ts';
import { createShares } from '../../platform/fairness/fair-queue.ts';
import type { Log } from '../../platform/log.ts';
import type { GuardedFetch } from '../../platform/net/fetch-types.ts';
import type { JobStore } from '../../platform/store/jobs/open-job-store.ts';
import type { Job } from '../job-types.ts';
import { type Delivery, type DueDelivery, deliveryRows, listDueDeliveries } from '../rows/delivery-rows.ts';
import { findJob } from '../rows/job-rows.ts';
import { findDocument } from '../rows/page-rows.ts';
import { findUnreadUrl } from '../rows/url-rows.ts';
import { createWebhookHeaders, signBody } from './webhook-signature.ts';

/** An event for its receiver. */
type JobEvent = {
  /** Stays the same each time the event is sent. */
  id: string;
  job: Job;
  event: Delivery['event'];
  /** The page as JSON; null for other events. */
  document: string | null;
  /** The reason why a page or the job failed. */
  error: { url: string | null; reason: string } | null;
};

/** Formats events for one API shape: the body, and the name of the shape's own header, which carries an HMAC of the body alone. */
export type FormatEvent = (event: JobEvent) => { body: string; signatureHeader: string };

type WebhookSenderDeps = {
  store: JobStore;
  /** Refuses addresses that are neither public nor in WEBHOOK_ALLOW_PRIVATE. */
  fetch: GuardedFetch;
  word: FormatEvent;
  /** Returns the secret that signs an owner's events. */
  secretOf(owner: string): string;
  clock: Clock;
  log: Log;
};

/** Sends the events of jobs to their webhooks. */
export type WebhookSender = {
  /**
   * Starts to send due events, within each owner's share, so that slow receivers delay only their own events. Calls `onRoom`
   * when there is room for more.
   */
  look(signal: AbortSignal, onRoom: () => void): Promise<void>;
  /** Resolves when nothing is being sent. */
  idle(): Promise<void>;
};

/** Maximum events that one process sends concurrently; one owner's receivers get at most half of them. */
const SENT_AT_ONCE_MAX = 32;
/** `onRoom` is called when this many or fewer events are being sent. */
const REFILLED_BELOW = 8;
const TIMEOUT_MS = 10_000;
/** Reservation of an event while it is sent. After a kill the event is due again when it ends; it must exceed TIMEOUT_MS. */
const TAKEN_MS = 15_000;
/** Maximum bytes of the receiver's answer. */
const ANSWER_BYTES_MAX = 1_048_576;
/** Pauses after failed attempts; after the last one the event is dropped. */
const PAUSES_MS = [5_000, 30_000, 120_000, 600_000, 1_800_000];

/** Sends each event until its receiver answers with a 2xx status. If a process is killed after sending, the event arrives twice. */
export function createWebhookSender(deps: WebhookSenderDeps): WebhookSender {
  const { store, clock, log } = deps;
  const shares = createShares({ slots: SENT_AT_ONCE_MAX });
  const sending = new Map<string, Promise<void>>();
  return {
    async look(signal, onRoom) {
      const now = clock.now();
      for (const due of await listDueDeliveries(store.db, { now, perOwner: SENT_AT_ONCE_MAX })) {
        if (signal.aborted) return;
        if (sending.has(due.id) || !shares.mayTake(due.owner)) continue;
        if (!(await deliveryRows.take(store.db, due, now + TAKEN_MS))) continue;
        shares.take(due.owner);
        const sent = deliver(deps, due, signal)
          .catch((error: unknown) =>
            log.warn({ job: due.job_id, err: error }, 'an event of a job was not sent'),
          )
          .finally(() => {
            sending.delete(due.id);
            shares.release(due.owner);
            if (sending.size <= REFILLED_BELOW) onRoom();
          });
        sending.set(due.id, sent);
      }
    },
    async idle() {
      await Promise.all(sending.values());
    },
  };
}

async function deliver(deps: WebhookSenderDeps, delivery: DueDelivery, signal: AbortSignal): Promise<void> {
  const { store, clock, log } = deps;
  const job = await findJob(store.db, delivery.job_id);
  if (job === null) return;
  try {
    if (await send(deps, { job, delivery, signal })) return await deliveryRows.remove(store.db, delivery);
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
  }
  // Aborted because this process is about to exit; that is no failure of the receiver.
  if (signal.aborted) return deliveryRows.delay(store.db, delivery, { attempts: 0, dueAt: clock.now() });
  const pauseMs = PAUSES_MS[delivery.attempts];
  if (pauseMs !== undefined)
    return deliveryRows.delay(store.db, delivery, { attempts: 1, dueAt: clock.now() + pauseMs });
  log.warn({ job: job.id, event: delivery.event }, 'an event of a job was dropped: its receiver refuses it');
  await deliveryRows.remove(store.db, delivery);
}

/** Sends an event; resolves to true if the receiver accepted it. */
async function send(
  deps: WebhookSenderDeps,
  { job, delivery, signal }: { job: Job; delivery: Delivery; signal: AbortSignal },
): Promise<boolean> {
  const { webhook } = job.order;
  const event = await buildEvent(deps.store, job, delivery);
  if (webhook === null || event === null) return true;
  const { body, signatureHeader } = deps.word(event);
  const secret = deps.secretOf(job.owner);
  const { status } = await deps.fetch({
    url: webhook.url,
    signal,
    body,
    tenant: job.owner,
    bytesMax: ANSWER_BYTES_MAX,
    timeoutMs: TIMEOUT_MS,
    ownHeaders: {
      ...webhook.headers,
      'content-type': 'application/json',
      [signatureHeader]: `sha256=${signBody(body, secret)}`,
      ...createWebhookHeaders({ id: delivery.id, body, sentAt: deps.clock.now() }, secret),
    },
  });
  return status >= 200 && status < 300;
}

/** Returns null if the page of the event is gone. */
async function buildEvent(
  store: JobStore,
  job: Job,
  { id, event, number }: Delivery,
): Promise<JobEvent | null> {
  const about = { id, job, event };
  if (event === 'failed')
    return { ...about, document: null, error: { url: null, reason: job.reason ?? job.state } };
  if (number === null) return { ...about, document: null, error: null };
  if (event === 'page_failed') {
    const unread = await findUnreadUrl(store.db, { jobId: job.id, number });
    return unread === null ? null : { ...about, document: null, error: unread };
  }
  const document = await findDocument(store.db, { jobId: job.id, number });
  return document === null ? null : { ...about, document, error: null };
}
