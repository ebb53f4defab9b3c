import * as z from 'zod';
import type { BalanceReader } from '../../billing/balance.ts';
import { CALLS_AT_ONCE_MAX } from '../../contract/limits.ts';
import type { Jobs } from '../../jobs/jobs.ts';
import type { FairQueue } from '../../platform/sharing/fair-queue.ts';
import type { Answer, Call, Caller, FreeRoute } from '../calls/call.ts';
import { findPayer } from '../calls/caller.ts';

/** GET /v2/team/credit-usage: the credits left on the calling key. There are no plans and no billing periods. */
export function createCreditUsageHandler(balanceOf: BalanceReader): (call: Call) => Promise<Answer> {
  return async ({ caller }) => {
    const data = { remainingCredits: await readCredits(caller, balanceOf), planCredits: 0, ...NO_PERIOD };
    return { body: { success: true, data } };
  };
}

async function readCredits(caller: Caller, balanceOf: BalanceReader): Promise<number> {
  const payer = findPayer(caller);
  return payer.kind === 'key' ? (await balanceOf(payer.keyId)).credits : 0;
}

const NO_PERIOD = { billingPeriodStart: null, billingPeriodEnd: null };
const NO_PERIOD_V1 = { billing_period_start: null, billing_period_end: null };

/** GET /firecrawl/v1/team/credit-usage: the same with the field names of version 1. */
export function createCreditUsageV1Handler(balanceOf: BalanceReader): FreeRoute['handle'] {
  return async ({ caller }) => {
    const body = {
      remaining_credits: await readCredits(caller, balanceOf),
      plan_credits: 0,
      ...NO_PERIOD_V1,
    };
    return { body: { success: true, data: body } };
  };
}

/** GET /v2/team/token-usage: tokens pay for extraction by models, which is not offered, so nobody has any. */
export async function answerTokenUsage(): Promise<Answer> {
  return { body: { success: true, data: { remainingTokens: 0, planTokens: 0, ...NO_PERIOD } } };
}

/** GET /firecrawl/v1/team/token-usage. */
export async function answerTokenUsageV1(): Promise<Answer> {
  return { body: { success: true, data: { remaining_tokens: 0, plan_tokens: 0, ...NO_PERIOD_V1 } } };
}

/** GET /v2/team/queue-status: the caller's running calls, and the addresses that its jobs have yet to read. */
export function createQueueStatusHandler({
  calls,
  jobs,
}: {
  calls: Pick<FairQueue, 'held'>;
  jobs: Pick<Jobs, 'running'>;
}): FreeRoute['handle'] {
  return async ({ tenant }) => {
    const active = calls.held(tenant);
    const waiting = (await jobs.running(tenant ?? '')).reduce((sum, { pending }) => sum + pending, 0);
    return {
      body: {
        success: true,
        jobsInQueue: active + waiting,
        activeJobsInQueue: active,
        waitingJobsInQueue: waiting,
        maxConcurrency: CALLS_AT_ONCE_MAX / 2,
        mostRecentSuccess: null,
      },
    };
  };
}

/** Response bodies, for the OpenAPI document. */
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
export const CreditUsageV1Answer = z
  .object({
    success: z.literal(true),
    data: z.object({
      remaining_credits: z.int(),
      plan_credits: z.int(),
      billing_period_start: z.null(),
      billing_period_end: z.null(),
    }),
  })
  .meta({ title: 'FirecrawlCreditUsageV1' });
export const TokenUsageAnswer = z
  .object({
    success: z.literal(true),
    data: z.object({
      remainingTokens: z.literal(0).meta({ description: 'Always 0.' }),
      planTokens: z.literal(0).meta({ description: 'Always 0.' }),
      billingPeriodStart: z.null(),
      billingPeriodEnd: z.null(),
    }),
  })
  .meta({ title: 'FirecrawlTokenUsage' });
export const TokenUsageV1Answer = z
  .object({
    success: z.literal(true),
    data: z.object({
      remaining_tokens: z.literal(0).meta({ description: 'Always 0.' }),
      plan_tokens: z.literal(0).meta({ description: 'Always 0.' }),
      billing_period_start: z.null(),
      billing_period_end: z.null(),
    }),
  })
  .meta({ title: 'FirecrawlTokenUsageV1' });
export const QueueStatusAnswer = z
  .object({
    success: z.literal(true),
    jobsInQueue: z.int().meta({ description: 'Both of the following together.' }),
    activeJobsInQueue: z.int().meta({ description: 'Calls that run now.' }),
    waitingJobsInQueue: z
      .int()
      .meta({ description: 'Addresses that crawls and batches have still to read.' }),
    maxConcurrency: z.int(),
    mostRecentSuccess: z.null().meta({ description: 'Always null.' }),
  })
  .meta({ title: 'FirecrawlQueueStatus' });
export const ConcurrencyAnswer = z
  .object({ success: z.literal(true), concurrency: z.int(), maxConcurrency: z.int() })
  .meta({ title: 'FirecrawlConcurrency' });

/** GET /v2/concurrency-check: the caller's running priced calls, and the maximum while nobody else calls. */
export function createConcurrencyHandler(calls: Pick<FairQueue, 'held'>): (call: Call) => Promise<Answer> {
  return async ({ tenant }) => ({
    body: { success: true, concurrency: calls.held(tenant), maxConcurrency: CALLS_AT_ONCE_MAX / 2 },
  });
}
