import assert from 'node:assert/strict';
import { test } from 'node:test';
import { assertSolvent, assertSome, assertWhole } from './prices.ts';

const broken = { message: 'the promise' };

test('an amount is a whole number and not negative', () => {
  for (const amount of [0, 1, Number.MAX_SAFE_INTEGER]) assertWhole(amount, 'the promise');
  for (const amount of [-1, 0.5, Number.NaN, Number.POSITIVE_INFINITY, 2 ** 53])
    assert.throws(() => assertWhole(amount, 'the promise'), broken, String(amount));
});

test('an amount that moves is positive', () => {
  assertSome(1, 'the promise');
  for (const amount of [0, -1, 1.5]) assert.throws(() => assertSome(amount, 'the promise'), broken);
});

test('neither available nor held credits are negative', () => {
  assertSolvent({ available: 0, held: 0 }, 'the promise');
  for (const account of [
    { available: -1, held: 0 },
    { available: 0, held: -1 },
  ])
    assert.throws(() => assertSolvent(account, 'the promise'), broken);
});
