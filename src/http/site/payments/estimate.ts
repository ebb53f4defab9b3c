import { CENTS_PER_USD, PACK_NAMES, PACKS, type PackName, PRICES } from '../../../billing/ledger/prices.ts';

import { RESEARCH } from '../../../contract/limits.ts';

/** Expected calls in a month, by kind. */
export type MonthlyCalls = { searches: number; pages: number; research: number };

/** The cost of a month. */
type Estimate = {
  credits: number;
  /** The cheapest packs that cover a month, largest first; empty if no credits are needed. */
  packs: { pack: PackName; times: number }[];
  cents: number;
};

/** Maximum calls of each kind that the calculator accepts. */
export const MONTHLY_MAX = 1_000_000;

/** Estimates the credits of a month, and the cheapest packs for them. */
export function estimate({ searches, pages, research }: MonthlyCalls): Estimate {
  const credits =
    searches * PRICES.search +
    pages * PRICES.contentsPerUrl +
    research * RESEARCH.searches.default * PRICES.researchPerSearch;
  const packs = findCheapestPacks(credits);
  const cents = packs.reduce((sum, { pack, times }) => sum + times * computePrice(pack), 0);
  return { credits, packs, cents };
}

/** Finds the cheapest packs: the largest pack alone, or as many as fit with the rest filled by smaller ones. */
function findCheapestPacks(credits: number): Estimate['packs'] {
  const byPrice = PACK_NAMES.toSorted((one, other) => computePrice(other) - computePrice(one));
  const fill = (missing: number, [pack, ...smaller]: PackName[]): Estimate['packs'] => {
    if (pack === undefined || missing <= 0) return [];
    const { credits: size } = PACKS[pack];
    const whole = { pack, times: Math.ceil(missing / size) };
    const times = Math.floor(missing / size);
    if (smaller.length === 0) return [whole];
    const mixed = [...(times > 0 ? [{ pack, times }] : []), ...fill(missing - times * size, smaller)];
    return computeCost(mixed) < computeCost([whole]) ? mixed : [whole];
  };
  return fill(credits, byPrice);
}

function computeCost(packs: Estimate['packs']): number {
  return packs.reduce((sum, { pack, times }) => sum + times * computePrice(pack), 0);
}

function computePrice(pack: PackName): number {
  return PACKS[pack].priceUsd * CENTS_PER_USD;
}
