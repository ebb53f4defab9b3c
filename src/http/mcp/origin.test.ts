import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isOriginAllowed } from './origin.ts';

const PUBLIC = ['https://search.example.org'];
const cases: [
  origin: string | undefined,
  host: string | undefined,
  publicUrls: string[],
  allowed: boolean,
][] = [
  // Whoever is no browser says no origin.
  [undefined, 'anything.example.com', [], true],
  [undefined, undefined, [], true],
  // A server of this machine: pages of this machine only, whatever name it was asked by.
  ['http://localhost:6274', 'localhost:8080', [], true],
  ['http://127.0.0.1', '127.0.0.1:8080', [], true],
  ['http://[::1]:3000', '[::1]:8080', [], true],
  ['http://app.localhost', 'localhost:8080', [], true],
  ['https://elsewhere.example.com', 'localhost:8080', [], false],
  // A name that was pointed here: the page and the name that it asked are the same.
  ['http://elsewhere.example.com:8080', 'elsewhere.example.com:8080', [], false],
  ['http://localhost.example.com', 'localhost:8080', [], false],
  ['http://127.0.0.1.example.com', 'localhost:8080', [], false],
  ['null', 'localhost:8080', [], false],
  ['', 'localhost:8080', [], false],
  // A public service: any page, as long as it was asked by its own name.
  ['https://elsewhere.example.com', 'search.example.org', PUBLIC, true],
  ['null', 'search.example.org', PUBLIC, true],
  ['https://elsewhere.example.com', 'elsewhere.example.com', PUBLIC, false],
  ['https://elsewhere.example.com', undefined, PUBLIC, false],
  ['https://search.example.org', '10.0.0.7:8080', PUBLIC, true],
  // An address of this machine makes nothing public.
  ['https://elsewhere.example.com', 'localhost:8080', ['http://localhost:8080'], false],
];
for (const [origin, host, publicUrls, allowed] of cases)
  test(`${origin} asks ${host}${publicUrls.length > 0 ? ` of ${publicUrls}` : ''}: ${allowed}`, () =>
    assert.equal(isOriginAllowed({ origin, host }, publicUrls), allowed));
