import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createWholeNumberParser, toWebAddress } from './arguments.ts';

test('an address without a scheme is https, on this machine http', () => {
  for (const [given, address] of [
    ['example.org', 'https://example.org'],
    ['example.org:8443/docs?a=b', 'https://example.org:8443/docs?a=b'],
    ['localhost:8080', 'http://localhost:8080'],
    ['127.0.0.1/a', 'http://127.0.0.1/a'],
    ['[::1]:3000', 'http://[::1]:3000'],
    ['http://example.org', 'http://example.org'],
    ['HTTPS://example.org', 'HTTPS://example.org'],
    ['ftp://example.org', 'ftp://example.org'],
  ] as const)
    assert.equal(toWebAddress(given), address);
});

test('a number below the least, a fraction or a word is refused', () => {
  assert.equal(createWholeNumberParser(1)('25'), 25);
  assert.equal(createWholeNumberParser(0)('0'), 0);
  for (const text of ['0', '-1', '1.5', '1e3', 'ten', ''])
    assert.throws(() => createWholeNumberParser(1)(text), /1 or more/);
});
