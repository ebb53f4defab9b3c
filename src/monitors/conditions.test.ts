import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { findLabelledNumber, listMetConditions } from './conditions.ts';
import type { MonitorCondition } from './monitor-types.ts';

const met = (condition: MonitorCondition, before: string, after: string, changedShare = 0.1) =>
  listMetConditions([condition], { before, after, changedShare });

describe('listMetConditions', () => {
  test('a phrase appears or disappears once, whatever its case, emphasis and white space', () => {
    const appears = { kind: 'phrase', phrase: 'In stock', becomes: 'present' } as const;
    assert.deepEqual(met(appears, 'Sold out.', 'Now **in\nstock**.'), ['“In stock” appeared']);
    assert.deepEqual(met(appears, 'in stock', 'in stock, still'), []);
    const disappears = { kind: 'phrase', phrase: 'sold out', becomes: 'absent' } as const;
    assert.deepEqual(met(disappears, 'Sold out.', 'In stock.'), ['“sold out” disappeared']);
    assert.deepEqual(met(disappears, 'In stock.', 'In stock.'), []);
  });

  test('a number crosses a bound in the direction that the bound names', () => {
    const condition = { kind: 'number', label: 'Price', above: null, below: 100 } as const;
    assert.deepEqual(met(condition, 'Price: € 120.00', 'Price: € 99.50'), ['Price fell below 100: 99.5']);
    assert.deepEqual(met(condition, 'Price: 99', 'Price: 98'), []);
    assert.deepEqual(met(condition, 'Price: 99', 'Price: 120'), []);
    const rises = { kind: 'number', label: 'Price', above: 100, below: null } as const;
    assert.deepEqual(met(rises, 'Price: 99', 'Price: 120'), ['Price rose above 100: 120']);
    assert.deepEqual(met(rises, 'Price: 99', 'The price is gone.'), []);
  });

  test('a row of a table that has a text is new, gone or different', () => {
    const condition = { kind: 'row', text: 'Curlew' } as const;
    const table = (count: number) => `| Bird | Count |\n| --- | --- |\n| Curlew | ${count} |\n| Knot | 4 |`;
    assert.deepEqual(met(condition, table(1), table(2)), ['a row with “Curlew” changed: | Curlew | 2 |']);
    assert.deepEqual(met(condition, table(1), table(1).replace('4', '5')), []);
  });

  test('a share of the text', () => {
    assert.deepEqual(met({ kind: 'share', share: 0.1 }, 'a', 'b', 0.25), ['25 % of the text changed']);
    assert.deepEqual(met({ kind: 'share', share: 0.5 }, 'a', 'b', 0.25), []);
  });
});

test('findLabelledNumber reads numbers as pages of several countries write them', () => {
  const written: [string, number | null][] = [
    ['Price: 1,299.00 USD', 1299],
    ['Preis: 1.299,50 €', 1299.5],
    ['price 1 299', 1299],
    ['Price: 12,5', 12.5],
    ['Price: 1,299', 1299],
    ['Price: 0.125', 0.125],
    ['Price: −4', -4],
    ['Price on request', null],
    ['| Price | $ 40.00 |', 40],
  ];
  for (const [text, value] of written)
    assert.equal(findLabelledNumber(text, text.startsWith('Preis') ? 'preis' : 'price'), value, text);
});
