import assert from 'node:assert/strict';

/** Credits of a free key. */
export const FREE_KEY_CREDITS = 2_500;

export const PACKS = {
  instant: { priceUsd: 15, credits: 15_000 },
  builder: { priceUsd: 50, credits: 60_000 },
  scale: { priceUsd: 150, credits: 200_000 },
} as const;

export type PackName = keyof typeof PACKS;
export const PACK_NAMES = Object.keys(PACKS) as PackName[];

/** The bounds and defaults of auto-reload. */
export const RELOAD = {
  threshold: 1_000,
  thresholdMin: 100,
  thresholdMax: 100_000,
  pack: 'builder',
  capUsd: 500,
  capUsdMin: 1,
  /** The highest cap that the API accepts; the page after a payment allows more. */
  capUsdMax: 500,
} as const;

export const CENTS_PER_USD = 100;

/**
 * Credits per call; `…PerUrl` and `…PerPage`: per page that loads, `…PerSearch`: per search that returns; `subpage`: per subpage that
 * loads; `rerank`: per 100 documents begun. `written…`: what a model wrote, besides the call it is part of: an answer or the fields of a
 * schema from several pages, the same from one page, a report.
 */
export const PRICES = {
  search: 1,
  findSimilar: 1,
  read: 1,
  contentsPerUrl: 1,
  subpage: 1,
  researchPerSearch: 1,
  verify: 0,
  rerank: 1,
  crawlPerPage: 1,
  map: 1,
  writtenAnswer: 4,
  writtenPage: 2,
  writtenReport: 10,
} as const;

/** Asserts that an amount of credits or cents is a whole number and not negative. */
export function assertWhole(amount: number, promise: string): void {
  assert(Number.isSafeInteger(amount) && amount >= 0, promise);
}

/** Asserts that an amount of credits or cents is a whole number and positive. */
export function assertSome(amount: number, promise: string): void {
  assert(Number.isSafeInteger(amount) && amount > 0, promise);
}

/** Asserts that neither available nor held credits are negative. */
export function assertSolvent(
  { available, held }: { available: number; held: number },
  promise: string,
): void {
  assertWhole(available, promise);
  assertWhole(held, promise);
}
