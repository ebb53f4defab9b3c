import { CENTS_PER_USD, PACKS, type PackName } from '../../../billing/ledger/prices.ts';
import { count, dollars } from '../amounts.ts';

/** What the owner of a card agrees to, in one sentence. */
export function reloadTerms(terms: { threshold: number; pack: PackName; capCents: number }): string {
  const { priceUsd, credits } = PACKS[terms.pack];
  return `Whenever fewer than ${count(terms.threshold)} credits remain, the saved card is charged ${dollars(priceUsd * CENTS_PER_USD)} for ${count(credits)} credits, at most ${dollars(terms.capCents)} in a calendar month (UTC).`;
}
