import { type RawBuilder, sql } from 'kysely';
import { CENTS_PER_USD, PACK_NAMES, PACKS, type PackName } from './prices.ts';

/** Returns the id of the purchase that settling a hold may trigger. */
export function buildPurchaseId(holdId: string): string {
  return `pur_${holdId}`;
}

/**
 * Sets the account's open purchase when auto-reload has to buy: the settlement leaves the balance (including held credits)
 * strictly below the threshold, no purchase is open, and the price fits into what is left of this UTC month's cap. Part of
 * the statement that locks the row, so that only one of many concurrent settlements buys.
 */
export function buildReloadDecision({
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
        and (${spent}) + (${selectPackPrice('account')}) <= account.reload_cap_cents
      then ${purchaseId}
      else account.reload_purchase
    end`,
  };
}

/** Selects the price in cents of the pack in a row's `reload_pack`. */
export function selectPackPrice(row: string): RawBuilder<number> {
  return selectByPack(row, (pack) => PACKS[pack].priceUsd * CENTS_PER_USD);
}

export function selectPackCredits(row: string): RawBuilder<number> {
  return selectByPack(row, (pack) => PACKS[pack].credits);
}

function selectByPack(row: string, value: (pack: PackName) => number): RawBuilder<number> {
  const cases = PACK_NAMES.map((pack) => sql`when ${sql.lit(pack)} then ${sql.lit(value(pack))}`);
  return sql<number>`case ${sql.ref(`${row}.reload_pack`)} ${sql.join(cases, sql` `)} end`;
}
