import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createUrlSet } from './seen-urls.ts';

const address = (place: number): string =>
  `https://host-${place % 97}.example.org/path/${place}?page=${place}`;

test('holds exactly what was added, through many growths', () => {
  const urls = createUrlSet();
  for (let place = 0; place < 100_000; place += 1) {
    urls.add(address(place));
    urls.add(address(place));
  }
  assert.equal(urls.size, 100_000);
  for (let place = 0; place < 100_000; place += 1) assert.ok(urls.has(address(place)));
  for (let place = 100_000; place < 200_000; place += 1) assert.ok(!urls.has(address(place)));
});

test('tells addresses apart that differ in one character', () => {
  const urls = createUrlSet();
  urls.add('https://example.org/a');
  for (const other of ['https://example.org/b', 'https://example.org/', 'https://example.org/aa', ''])
    assert.ok(!urls.has(other), other);
});
