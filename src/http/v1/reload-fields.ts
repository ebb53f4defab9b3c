import * as z from 'zod';
import { CENTS_PER_USD, PACK_NAMES, type PackName, RELOAD } from '../../billing/ledger/prices.ts';
import type { FieldProblem } from '../../contract/errors.ts';

/** Auto-reload settings from a link or a form. */
type ReloadFields = {
  enabled: boolean;
  terms: { threshold: number; pack: PackName; capCents: number };
};

export type ParsedReload = { ok: true; fields: ReloadFields } | { ok: false; problems: FieldProblem[] };

const thresholdReason = `must be a whole number from ${RELOAD.thresholdMin} to ${RELOAD.thresholdMax.toLocaleString('en')}`;

const threshold = z
  .string()
  .regex(/^\d{1,6}$/, thresholdReason)
  .transform(Number)
  .refine((credits) => credits >= RELOAD.thresholdMin && credits <= RELOAD.thresholdMax, thresholdReason)
  .default(RELOAD.threshold);

/** USD with at most two decimals -> whole cents. */
function createCapSchema(capUsdMax: number): z.ZodType<number> {
  const { capUsdMin } = RELOAD;
  const reason = `must be an amount in USD from ${capUsdMin} to ${capUsdMax.toLocaleString('en')}, in whole cents`;
  return z
    .string()
    .regex(/^\d{1,9}(?:\.\d{1,2})?$/, reason)
    .transform((text) => Math.round(Number(text) * CENTS_PER_USD))
    .refine((cents) => cents >= capUsdMin * CENTS_PER_USD && cents <= capUsdMax * CENTS_PER_USD, reason)
    .default(RELOAD.capUsd * CENTS_PER_USD);
}

/**
 * Reads `auto_reload`, `threshold`, `reload_pack` and `monthly_max_usd` from a query or a form. Absent and empty fields get the
 * API's defaults; all fields are validated, even when auto-reload is off.
 */
export function readReloadFields(
  params: URLSearchParams,
  { capUsdMax }: { capUsdMax: number },
): ParsedReload {
  const schema = z.object({
    auto_reload: z.literal('1', 'must be 1').optional(),
    threshold,
    reload_pack: z.enum(PACK_NAMES, `must be one of ${PACK_NAMES.join(', ')}`).default(RELOAD.pack),
    monthly_max_usd: createCapSchema(capUsdMax),
  });
  const parsed = schema.safeParse(Object.fromEntries([...params].filter(([, value]) => value !== '')));
  if (!parsed.success) {
    const problems = parsed.error.issues.map(({ path, message }) => ({ field: path.join('.'), message }));
    return { ok: false, problems };
  }
  const { data } = parsed;
  return {
    ok: true,
    fields: {
      enabled: data.auto_reload === '1',
      terms: { threshold: data.threshold, pack: data.reload_pack, capCents: data.monthly_max_usd },
    },
  };
}
