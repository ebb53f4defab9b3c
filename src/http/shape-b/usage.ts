import type { BalanceReader } from '../../billing/balance.ts';
import type { DailyUsageReader } from '../../billing/ledger/account-usage.ts';
import { Failure } from '../../contract/errors.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Answer, Call } from '../calls/call.ts';

/**
 * GET /shapeB/usage, for the owner of a key: the credits used in this UTC month. Credits are prepaid, so the plan's limit is the used plus
 * the remaining credits. Error: 401 invalid_api_key.
 */
export function createUsageHandler({
  balanceOf,
  usageOfDays,
  clock,
}: {
  balanceOf: BalanceReader;
  usageOfDays: DailyUsageReader;
  clock: Clock;
}): (call: Call) => Promise<Answer> {
  return async ({ caller }) => {
    if (caller.kind !== 'key') throw new Failure('invalid_api_key', 'Only a key has a usage.');
    const { keyId } = caller;
    const dayOfMonth = new Date(clock.now()).getUTCDate();
    const [{ credits, terms }, days] = await Promise.all([balanceOf(keyId), usageOfDays(keyId, dayOfMonth)]);
    const used = days.reduce((sum, day) => sum + day.credits, 0);
    return {
      body: {
        key: { usage: used, limit: null, calls_per_day: terms?.perDay ?? null },
        account: {
          current_plan: 'credits',
          plan_usage: used,
          plan_limit: used + Math.max(0, credits),
          paygo_usage: 0,
          paygo_limit: null,
        },
      },
    };
  };
}
