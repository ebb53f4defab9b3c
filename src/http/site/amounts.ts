import { CENTS_PER_USD } from '../../billing/ledger/prices.ts';

/** 15000 -> "15,000". */
export function formatNumber(amount: number): string {
  return amount.toLocaleString('en', { maximumFractionDigits: 2 });
}

/** Cents -> "$15", "$1,250" or "$0.50". */
export function formatDollars(cents: number): string {
  const fraction = cents % CENTS_PER_USD === 0 ? 0 : 2;
  const usd = (cents / CENTS_PER_USD).toLocaleString('en', {
    minimumFractionDigits: fraction,
    maximumFractionDigits: 2,
  });
  return `$${usd}`;
}
