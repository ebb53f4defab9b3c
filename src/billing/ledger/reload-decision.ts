import { type RawBuilder, sql } from 'kysely';
import { CENTS_PER_USD, PACK_NAMES, PACKS, type PackName } from './prices.ts';

/** The purchase that the settlement of a hold may set off. */
export function purchaseIdOf(holdId: string): string {
  return `pur_${holdId}`;
}

/**
 * What a settlement sets in the account's row when auto-reload has to buy: a deduction that leaves the settled balance (held
 * credits included) strictly below the threshold, no purchase open, and the price within what the cap leaves of this UTC month.
 * It stands in the very statement that locks the row, so that of any number of deductions exactly one buys.
 */
export function reloadDecision({
  purchaseId,
  used,
  month,
}: {
  purchaseId: string;
  used: number;
  month: string;
}): {
  reload_purchase: RawBuilder<string | null>;
} {
  const spent = sql`case when account.reload_month = ${month} then account.reload_spent_cents else 0 end`;
  return {
    reload_purchase: sql<string | null>`case
      when account.reload_enabled = 1
        and ${used} > 0
        and account.reload_purchase is null
        and account.card is not null
        and account.available + account.held - ${used} < account.reload_threshold
        and (${spent}) + (${packPrice('account')}) <= account.reload_cap_cents
      then ${purchaseId}
      else account.reload_purchase
    end`,
  };
}

/** The price in cents of the pack that a row names. */
export function packPrice(row: string): RawBuilder<number> {
  return byPack(row, (pack) => PACKS[pack].priceUsd * CENTS_PER_USD);
}

export function packCredits(row: string): RawBuilder<number> {
  return byPack(row, (pack) => PACKS[pack].credits);
}

function byPack(row: string, value: (pack: PackName) => number): RawBuilder<number> {
  const cases = PACK_NAMES.map((pack) => sql`when ${sql.lit(pack)} then ${sql.lit(value(pack))}`);
  return sql<number>`case ${sql.ref(`${row}.reload_pack`)} ${sql.join(cases, sql` `)} end`;
}
