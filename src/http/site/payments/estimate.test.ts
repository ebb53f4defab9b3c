import assert from 'node:assert/strict';
import { test } from 'node:test';
import { estimate } from './estimate.ts';

const inWords = (searches: number, pages = 0, research = 0): string => {
  const { credits, packs, cents } = estimate({ searches, pages, research });
  return `${credits}: ${packs.map(({ pack, times }) => `${times} ${pack}`).join(' + ')} for ${cents}`;
};

test('credits add up as calls are charged', () => {
  assert.equal(estimate({ searches: 1_000, pages: 200, research: 10 }).credits, 1_250);
});

test('the cheapest packs that cover a month', () => {
  assert.equal(inWords(0), '0:  for 0');
  assert.equal(inWords(1), '1: 1 instant for 1500');
  assert.equal(inWords(15_000), '15000: 1 instant for 1500');
  assert.equal(inWords(45_000), '45000: 3 instant for 4500');
  assert.equal(inWords(45_001), '45001: 1 builder for 5000');
  assert.equal(inWords(75_000), '75000: 1 builder + 1 instant for 6500');
  assert.equal(inWords(180_000), '180000: 1 scale for 15000');
  assert.equal(inWords(200_001), '200001: 1 scale + 1 instant for 16500');
});
