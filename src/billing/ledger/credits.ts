import assert from 'node:assert/strict';

/** Asserts that credits (or cents) that change hands are whole and not negative. */
export function assertWhole(amount: number, promise: string): void {
  assert(Number.isSafeInteger(amount) && amount >= 0, promise);
}

/** Asserts that credits (or cents) that change hands are whole and more than none. */
export function assertSome(amount: number, promise: string): void {
  assert(Number.isSafeInteger(amount) && amount > 0, promise);
}

/** Asserts that neither side of an account is below zero. */
export function assertSolvent(
  { available, held }: { available: number; held: number },
  promise: string,
): void {
  assertWhole(available, promise);
  assertWhole(held, promise);
}
