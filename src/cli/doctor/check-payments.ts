import type { Config } from '../../app/config.ts';
import { type EventTimes, listLastEvents } from '../../billing/payments/payment-inbox.ts';
import { isLoopback } from '../../platform/net/exposure.ts';
import type { LedgerStore } from '../../platform/store/ledger/ledger-store.ts';
import { DAY_MS } from '../../platform/utc.ts';
import { toFailure, toOk, toWarning, type Verdict } from '../check-result.ts';
import type { Probe } from './probes.ts';

/** Polling finds events after five minutes; a webhook brings them within seconds. */
const BY_WEBHOOK_MS = 60_000;
const EVENTS = 20;

/** The mode of payments and, with Stripe, whether its server answers and its webhooks arrive. */
export async function checkPayments(
  config: Pick<Config, 'payments' | 'metering' | 'stripe' | 'baseUrl'>,
  { ledgerStore, now, provider }: { ledgerStore: LedgerStore; now: number; provider: Probe | undefined },
): Promise<Verdict> {
  if (config.payments === 'off')
    return {
      mark: 'off',
      text: config.metering ? 'nothing is sold: /buy answers 503 (PAYMENTS)' : 'not needed: METERING is off',
    };
  if (config.payments === 'sandbox') {
    const text = 'the sandbox: no money moves, and anyone who opens /buy gets credits (PAYMENTS)';
    const isPublic = config.baseUrl !== null && !isLoopback(new URL(config.baseUrl).hostname);
    return isPublic ? toWarning(text) : toOk(text);
  }
  if (provider?.ok === false) return toFailure(`Stripe cannot be reached: ${provider.why}`);
  const mode = config.stripe?.secretKey.includes('_live_') ? 'Stripe, live' : 'Stripe, test mode';
  return judgeWebhook(mode, await listLastEvents(ledgerStore, EVENTS), now);
}

/** Pure: judges from how soon the last events were handled whether webhooks brought them. */
export function judgeWebhook(mode: string, events: readonly EventTimes[], now: number): Verdict {
  const [last] = events;
  if (last === undefined)
    return toOk(`${mode}; no event yet: buy a pack to see whether the webhook reaches this server`);
  const ago = `the last event is ${formatAge(now - last.createdAt)} old`;
  const soon = events.filter(
    ({ createdAt, handledAt }) => handledAt !== null && handledAt - createdAt <= BY_WEBHOOK_MS,
  );
  if (soon.length > 0) return toOk(`${mode}; ${ago}, and the webhook reaches this server`);
  return toWarning(
    `${mode}; ${ago}, and the last ${events.length} came late, by polling: Stripe does not reach {BASE_URL}/webhooks/stripe`,
  );
}

/** `5 minutes`, `3 hours`, `2 days`. */
export function formatAge(ms: number): string {
  const [count, unit] =
    ms < 2 * 3_600_000
      ? [ms / 60_000, 'minute']
      : ms < 2 * DAY_MS
        ? [ms / 3_600_000, 'hour']
        : [ms / DAY_MS, 'day'];
  const whole = Math.max(0, Math.round(count));
  return `${whole} ${unit}${whole === 1 ? '' : 's'}`;
}
