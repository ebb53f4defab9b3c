import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isHostAllowed, isOriginAllowed } from './foreign-pages.ts';

const PUBLIC = ['https://search.example.org'];
const ruleFor = (publicUrls: readonly string[]) => ({
  publicUrls,
  allowedOrigins: [],
  openTo: 'public hosts' as const,
});
const cases: [
  origin: string | undefined,
  host: string | undefined,
  publicUrls: string[],
  allowed: boolean,
][] = [
  // Clients other than browsers send no origin.
  [undefined, 'anything.example.com', [], true],
  [undefined, undefined, [], true],
  // A local server: only pages from this machine, whatever the host.
  ['http://localhost:6274', 'localhost:8080', [], true],
  ['http://127.0.0.1', '127.0.0.1:8080', [], true],
  ['http://[::1]:3000', '[::1]:8080', [], true],
  ['http://app.localhost', 'localhost:8080', [], true],
  ['https://elsewhere.example.com', 'localhost:8080', [], false],
  // DNS rebinding: the page's host and the requested host are the same.
  ['http://elsewhere.example.com:8080', 'elsewhere.example.com:8080', [], false],
  ['http://localhost.example.com', 'localhost:8080', [], false],
  ['http://127.0.0.1.example.com', 'localhost:8080', [], false],
  ['null', 'localhost:8080', [], false],
  ['', 'localhost:8080', [], false],
  // A public service: any page, as long as the host is its public name.
  ['https://elsewhere.example.com', 'search.example.org', PUBLIC, true],
  ['null', 'search.example.org', PUBLIC, true],
  ['https://elsewhere.example.com', 'elsewhere.example.com', PUBLIC, false],
  ['https://elsewhere.example.com', undefined, PUBLIC, false],
  ['https://search.example.org', '10.0.0.7:8080', PUBLIC, true],
  // The service's own pages, at an address that nobody else can serve pages from.
  ['http://192.168.1.5:8080', '192.168.1.5:8080', [], true],
  ['http://[fd00::5]:8080', '[fd00::5]:8080', [], true],
  ['http://nas:8080', 'NAS:8080', [], true],
  ['http://nas.local', 'nas.local', [], true],
  ['http://192.168.1.5:3000', '192.168.1.5:8080', [], false],
  ['http://192.168.1.6:8080', '192.168.1.5:8080', [], false],
  // A loopback address in publicUrls makes nothing public.
  ['https://elsewhere.example.com', 'localhost:8080', ['http://localhost:8080'], false],
];
for (const [origin, host, publicUrls, allowed] of cases)
  test(`${origin} asks ${host}${publicUrls.length > 0 ? ` of ${publicUrls}` : ''}: ${allowed}`, () =>
    assert.equal(isOriginAllowed({ origin, host }, ruleFor(publicUrls)), allowed));

const APP = 'https://app.example.net';
const unguarded: [origin: string | undefined, host: string, allowed: boolean][] = [
  [undefined, 'search.example.org', true],
  ['https://elsewhere.example.com', 'search.example.org', false],
  ['null', 'search.example.org', false],
  ['https://search.example.org', 'search.example.org', true],
  [APP, 'search.example.org', true],
  ['https://app.example.net:8443', 'search.example.org', false],
  ['http://localhost:3000', 'search.example.org', true],
];
for (const [origin, host, allowed] of unguarded)
  test(`${origin} asks ${host}, which reads private networks: ${allowed}`, () =>
    assert.equal(
      isOriginAllowed({ origin, host }, { publicUrls: PUBLIC, allowedOrigins: [APP], openTo: 'no host' }),
      allowed,
    ));

const embedded = { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'no-cors', 'sec-fetch-dest': 'image' };
const framed = { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'navigate', 'sec-fetch-dest': 'iframe' };
const followed = {
  'sec-fetch-site': 'cross-site',
  'sec-fetch-mode': 'navigate',
  'sec-fetch-dest': 'document',
};
const sites: [what: string, headers: Record<string, string>, publicUrls: string[], allowed: boolean][] = [
  ['an image on a page of another site', embedded, [], false],
  ['a frame on a page of another site', framed, [], false],
  ['a link that was followed', followed, [], true],
  ['an address that was typed', { ...followed, 'sec-fetch-site': 'none' }, [], true],
  ['an image on a page of its own', { ...embedded, 'sec-fetch-site': 'same-origin' }, [], true],
  [
    'an image of a public service',
    { ...embedded, host: 'search.example.org' },
    ['https://search.example.org'],
    true,
  ],
];
for (const [what, headers, publicUrls, allowed] of sites)
  test(`${what}: ${allowed}`, () =>
    assert.equal(isOriginAllowed({ host: 'localhost:8080', ...headers }, ruleFor(publicUrls)), allowed));

const hosts: [host: string | undefined, allowed: boolean][] = [
  [undefined, true],
  ['localhost:8080', true],
  ['127.0.0.1:8080', true],
  ['[::1]:8080', true],
  ['192.168.1.5', true],
  ['nas', true],
  ['nas.local:8080', true],
  ['app.localhost', true],
  ['search.example.org', true],
  ['SEARCH.example.org:8080', true],
  ['elsewhere.example.com:8080', false],
  ['localhost.example.com', false],
  ['127.0.0.1.example.com', false],
  ['search.example.org.evil.example', false],
  ['not a host', false],
];
for (const [host, allowed] of hosts)
  test(`a local server answers to ${host}: ${allowed}`, () =>
    assert.equal(isHostAllowed({ host }, PUBLIC), allowed));
