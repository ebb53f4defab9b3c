import * as z from 'zod';
import type { Balance, BalanceReader } from '../../billing/balance.ts';
import type { Keys } from '../../billing/keys/keys.ts';
import { CENTS_PER_USD, PACK_NAMES, RELOAD } from '../../billing/ledger/prices.ts';
import { type AutoReload, type AutoReloads, CapTooHigh } from '../../billing/payments/auto-reload.ts';
import { Failure } from '../../contract/errors.ts';
import type { Answer, Call, JsonObject } from '../calls/call.ts';
import { buildIgnoredHeader, buildKnownFields, findIgnoredFields } from '../calls/ignored-fields.ts';
import { createValidationFailure, formatFieldPath, parseBody } from '../calls/json-body.ts';
import { assertOwnPage } from '../calls/operator.ts';

/** GET /v1/balance, for the owner of a key. Error: 401 invalid_api_key. */
export function createBalanceHandler(balanceOf: BalanceReader): (call: Call) => Promise<Answer> {
  return async ({ caller }) => {
    if (caller.kind !== 'key') throw new Failure('invalid_api_key', 'Only a key has a balance.');
    return { body: toBalance(await balanceOf(caller.keyId)) };
  };
}

/** USD -> whole cents. */
const dollars = z
  .number('must be a number of USD')
  .min(RELOAD.capUsdMin, `must be at least ${RELOAD.capUsdMin}`)
  .max(
    RELOAD.capUsdMax,
    `must be at most ${RELOAD.capUsdMax}; the owner can set a higher cap on the page shown after a purchase`,
  )
  .multipleOf(1 / CENTS_PER_USD, 'must be in whole cents')
  .transform((usd) => Math.round(usd * CENTS_PER_USD));

const thresholdReason = `must be a whole number from ${RELOAD.thresholdMin} to ${RELOAD.thresholdMax.toLocaleString('en')}`;

export const ReloadBody = z.object({
  enabled: z.boolean({
    error: ({ input }) => (input === undefined ? 'is required' : 'must be true or false'),
  }),
  threshold: z
    .int(thresholdReason)
    .min(RELOAD.thresholdMin, thresholdReason)
    .max(RELOAD.thresholdMax, thresholdReason)
    .optional(),
  pack: z.enum(PACK_NAMES, `must be one of ${PACK_NAMES.join(', ')}`).optional(),
  monthlyMaxUsd: dollars.optional(),
});

const RELOAD_FIELDS = buildKnownFields(Object.keys(ReloadBody.shape));

/** POST /v1/billing/auto-reload, for the owner of a key that manages its account. Errors: 401, 403, 409 no_payment_method, 422. */
export function createAutoReloadHandler(deps: {
  autoReloads: AutoReloads;
  balanceOf: BalanceReader;
  serviceUrl(): string;
}): (call: Call) => Promise<Answer> {
  return async ({ caller, body }) => {
    if (caller.kind !== 'key') throw new Failure('invalid_api_key', 'Only a key can have auto-reload.');
    if (caller.onlyCalls === true)
      throw new Failure('forbidden', 'This key only makes calls. Use a key that manages the account.');
    const { enabled, threshold, pack, monthlyMaxUsd } = parseBody(ReloadBody, body);
    const change = { enabled, threshold, pack, capCents: monthlyMaxUsd };
    try {
      await deps.autoReloads.configure(caller.keyId, change, { by: 'program' });
    } catch (error) {
      if (!(error instanceof CapTooHigh)) throw error;
      const field = formatFieldPath(body, ['monthlyMaxUsd']);
      throw createValidationFailure([{ field, message: formatCapProblem(error, deps.serviceUrl()) }], error);
    }
    const headers = buildIgnoredHeader(findIgnoredFields(body, RELOAD_FIELDS));
    return { body: toBalance(await deps.balanceOf(caller.keyId)), headers };
  };
}

function formatCapProblem({ capCentsMax }: CapTooHigh, serviceUrl: string): string {
  return `must be at most ${capCentsMax / CENTS_PER_USD}, the cap that the key's owner set; the owner can raise it at ${serviceUrl}/account`;
}

function toBalance({ credits, burnRatePerDay, autoReload, terms }: Balance): JsonObject {
  return {
    credits,
    auto_reload: toAutoReload(autoReload),
    burn_rate_per_day: burnRatePerDay,
    ...(terms === null ? {} : { limits: toLimits(terms) }),
  };
}

function toLimits({ perMinute, perDay, callsToday, expiresAt }: NonNullable<Balance['terms']>): JsonObject {
  return {
    per_minute: perMinute,
    per_day: perDay,
    calls_today: callsToday,
    expires_at: expiresAt === null ? null : new Date(expiresAt).toISOString(),
  };
}

function toAutoReload(settings: AutoReload): JsonObject {
  return {
    enabled: settings.enabled,
    threshold: settings.threshold,
    pack: settings.pack,
    monthly_max_usd: settings.capCents / CENTS_PER_USD,
    spent_this_month_usd: settings.spentThisMonthCents / CENTS_PER_USD,
    last_error: settings.lastError,
  };
}

/**
 * POST /v1/keys/free, without a key, once per network. Errors: 403 for a page of another site, which would use up its visitor's only free
 * key; 409 free_key_already_issued.
 */
export function createFreeKeyHandler({
  keys,
  publicUrls,
}: {
  keys: Pick<Keys, 'claimFree'>;
  publicUrls: readonly string[];
}): (call: Call) => Promise<Answer> {
  return async ({ address, headers }) => {
    assertOwnPage(headers, publicUrls);
    const { apiKey, credits } = await keys.claimFree(address);
    return { body: { apiKey, credits }, headers: { 'Cache-Control': 'no-store' } };
  };
}

/** POST /v1/keys/free where the operator issues no free keys. */
export async function refuseFreeKey(): Promise<never> {
  throw new Failure('forbidden', 'This service issues no free keys. Ask its operator for a key.');
}
