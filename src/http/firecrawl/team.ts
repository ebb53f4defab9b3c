import * as z from 'zod';
import type { BalanceOf } from '../../billing/balance.ts';
import { CALLS_AT_ONCE_MAX } from '../../contract/limits.ts';
import type { FairQueue } from '../../platform/sharing/fair-queue.ts';
import type { Answer, Call } from '../calls/call.ts';
import { payerBehind } from '../calls/caller.ts';

/** GET /v2/team/credit-usage: the credits left on the calling key. There are no plans and no billing periods. */
export function creditUsageHandler(balanceOf: BalanceOf): (call: Call) => Promise<Answer> {
  return async ({ caller }) => {
    const payer = payerBehind(caller);
    const credits = payer.kind === 'key' ? (await balanceOf(payer.keyId)).credits : 0;
    return {
      body: {
        success: true,
        data: { remainingCredits: credits, planCredits: 0, billingPeriodStart: null, billingPeriodEnd: null },
      },
    };
  };
}

/** The bodies of both, for the OpenAPI document. */
export const CreditUsageAnswer = z
  .object({
    success: z.literal(true),
    data: z.object({
      remainingCredits: z.int(),
      planCredits: z.int(),
      billingPeriodStart: z.null(),
      billingPeriodEnd: z.null(),
    }),
  })
  .meta({ title: 'FirecrawlCreditUsage' });
export const ConcurrencyAnswer = z
  .object({ success: z.literal(true), concurrency: z.int(), maxConcurrency: z.int() })
  .meta({ title: 'FirecrawlConcurrency' });

/** GET /v2/concurrency-check: the caller's priced calls that run, and how many may run at most while nobody else calls. */
export function concurrencyHandler(calls: Pick<FairQueue, 'held'>): (call: Call) => Promise<Answer> {
  return async ({ tenant }) => ({
    body: { success: true, concurrency: calls.held(tenant), maxConcurrency: CALLS_AT_ONCE_MAX / 2 },
  });
}
