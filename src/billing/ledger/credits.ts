import assert from 'node:assert/strict';

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
