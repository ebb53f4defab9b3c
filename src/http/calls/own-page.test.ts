import assert from 'node:assert/strict';
import type { IncomingHttpHeaders } from 'node:http';
import { test } from 'node:test';
import { assertOwnPage } from './own-page.ts';

const PUBLIC = ['https://sanderling.example'];
const refuses = (headers: IncomingHttpHeaders): void =>
  assert.throws(() => assertOwnPage(headers, PUBLIC), { code: 'forbidden' });

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
