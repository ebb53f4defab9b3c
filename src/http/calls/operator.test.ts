import assert from 'node:assert/strict';
import type { IncomingHttpHeaders } from 'node:http';
import { describe, test } from 'node:test';
import { assertOperator, assertOwnPage } from './operator.ts';

const PUBLIC = ['https://sanderling.example'];
const refuses = (headers: IncomingHttpHeaders): void =>
  assert.throws(() => assertOwnPage(headers, PUBLIC), { code: 'forbidden' });

describe('the operator', () => {
  const admits = (headers: Record<string, string>, address = '127.0.0.1'): void =>
    assertOperator({ headers, address, token: 'the token' });
  const refuses = (headers: Record<string, string>, address?: string): void =>
    assert.throws(() => admits(headers, address), { code: 'forbidden' });

  test('is who calls from this machine, or sends the token', () => {
    admits({});
    admits({}, '::1');
    admits({ authorization: 'Bearer the token' }, '203.0.113.9');
    refuses({ authorization: 'Bearer another' }, '203.0.113.9');
    refuses({}, '203.0.113.9');
  });

  for (const name of ['x-forwarded-for', 'forwarded', 'x-real-ip', 'via'])
    test(`is nobody whom a proxy of this machine passes on with ${name}`, () => {
      refuses({ [name]: '203.0.113.9' });
      admits({ [name]: '203.0.113.9', authorization: 'Bearer the token' });
    });
});

test('a page of another site is refused, whether or not its browser sends an origin', () => {
  const navigation = { 'sec-fetch-mode': 'navigate', 'sec-fetch-dest': 'document' };
  for (const site of ['cross-site', 'same-site']) {
    refuses({ 'sec-fetch-site': site });
    refuses({ 'sec-fetch-site': site, ...navigation });
    refuses({ 'sec-fetch-site': site, origin: 'https://evil.example' });
  }
  refuses({ origin: 'https://evil.example', host: 'sanderling.example' });
  refuses({ origin: 'null', host: 'sanderling.example' });
});

test('pages of this server, what a person types, and programs pass', () => {
  for (const headers of [
    { 'sec-fetch-site': 'same-origin' },
    { 'sec-fetch-site': 'none' },
    { origin: 'http://127.0.0.1:8080', host: '127.0.0.1:8080' },
    { origin: 'https://sanderling.example', host: 'inner:8080' },
    {},
  ])
    assertOwnPage(headers, PUBLIC);
});
