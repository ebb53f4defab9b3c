import type { Events } from '../../contract/events.ts';
import type { Log } from '../../platform/log.ts';
import type { Metrics } from '../../platform/metrics.ts';

const SECONDS_BUCKETS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 20];

/** Counts events as metrics, and logs those that an operator should see. */
export function createEvents({ metrics, log }: Sinks, { metering = true } = {}): Events {
  const requests = metrics.histogram('request_seconds', 'Requests by route and status', {
    labels: ['route', 'status'],
    buckets: SECONDS_BUCKETS,
  });
  const stages = metrics.histogram('stage_seconds', 'Stages of an answer', {
    labels: ['stage'],
    buckets: SECONDS_BUCKETS,
  });
  return {
    requestEnded: ({ route, status, ms }) => requests.observe(ms / 1_000, route ?? 'none', String(status)),
    stagesTimed(ms) {
      for (const [stage, time] of Object.entries(ms)) stages.observe(time / 1_000, stage);
    },
    ...(metering ? createBillingEvents({ metrics, log }) : NO_BILLING_EVENTS),
  };
}

type Sinks = { metrics: Metrics; log: Log };
type BillingEvents = Omit<Events, 'requestEnded' | 'stagesTimed'>;

function createBillingEvents({ metrics, log }: Sinks): BillingEvents {
  const held = metrics.counter('credits_held_total', 'Credits held for calls');
  const captured = metrics.counter('credits_captured_total', 'Credits charged');
  const refunded = metrics.counter('credits_refunded_total', 'Held or charged credits that were returned');
  const expired = metrics.counter('holds_expired_total', 'Holds that outlived their call');
  const unpaid = metrics.counter('payment_required_total', 'Calls refused for lack of credits', ['code']);
  const limited = metrics.counter('rate_limited_total', 'Calls refused by a limit of their key', ['span']);
  const keys = metrics.counter('keys_issued_total', 'Keys issued', ['kind']);
  const packs = metrics.counter('packs_sold_total', 'Packs sold', ['pack', 'how']);
  const failures = metrics.counter('auto_reload_failures_total', 'Auto-reload payments that failed');
  const mismatches = metrics.counter(
    'payment_mismatches_total',
    'Payments that differ from what was asked for',
  );
  return {
    creditsHeld: (credits) => held.inc(credits),
    creditsSettled({ used, unused }) {
      captured.inc(used);
      refunded.inc(unused);
    },
    creditsRefunded: (credits) => refunded.inc(credits),
    holdsExpired(holds) {
      expired.inc(holds);
      log.warn({ holds }, 'holds outlived their calls; their credits were returned');
    },
    paymentRequired: (code) => unpaid.inc({ code }),
    rateLimited: (span) => limited.inc({ span }),
    keyIssued(kind) {
      keys.inc({ kind });
      log.info({ kind }, 'key issued');
    },
    packSold(sale) {
      packs.inc(sale);
      log.info(sale, 'pack sold');
    },
    autoReloadFailed(failed) {
      failures.inc();
      log.warn(failed, 'auto-reload payment failed');
    },
    paymentMismatch(mismatch) {
      mismatches.inc();
      log.error(mismatch, 'a payment differs from what was asked for');
    },
  };
}

/** Without metering, none of these events happens. */
const NO_BILLING_EVENTS: BillingEvents = {
  creditsHeld() {},
  creditsSettled() {},
  creditsRefunded() {},
  holdsExpired() {},
  paymentRequired() {},
  rateLimited() {},
  keyIssued() {},
  packSold() {},
  autoReloadFailed() {},
  paymentMismatch() {},
};
