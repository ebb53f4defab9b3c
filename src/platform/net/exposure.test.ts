import assert from 'node:assert/strict';
import { test } from 'node:test';
import { deriveExposure, type Exposure, isLoopback } from './exposure.ts';

type Given = Partial<Parameters<typeof deriveExposure>[0]>;
const LOCAL = 'http://localhost:8080';
const PUBLIC = 'https://search.example.org';

const servers: [given: Given, audience: Exposure['audience'], openTo: Exposure['openTo']][] = [
  [{}, 'machine', 'public hosts'],
  [{ host: '::1' }, 'machine', 'public hosts'],
  [{ host: 'localhost' }, 'machine', 'public hosts'],
  // Behind a proxy on the same machine.
  [{ baseUrl: PUBLIC }, 'public', 'public hosts'],
  [{ siteUrl: PUBLIC }, 'public', 'public hosts'],
  [{ host: '0.0.0.0' }, 'network', 'every host'],
  [{ host: '::' }, 'network', 'every host'],
  [{ host: '192.168.1.5' }, 'network', 'every host'],
  [{ host: '93.184.216.34' }, 'public', 'every host'],
  [{ host: '2606:2800:220:1::1' }, 'public', 'every host'],
  // A name may stand for a loopback address.
  [{ host: 'laptop' }, 'network', 'public hosts'],
  [{ host: '0.0.0.0', baseUrl: PUBLIC }, 'public', 'every host'],
  [{ host: '0.0.0.0', baseUrl: 'http://192.168.1.5:8080' }, 'network', 'every host'],
  [{ host: '0.0.0.0', baseUrl: 'http://nas.local' }, 'network', 'every host'],
  // In a container whose port is published on this machine alone.
  [{ host: '0.0.0.0', baseUrl: LOCAL }, 'machine', 'public hosts'],
  [{ host: '0.0.0.0', baseUrl: 'http://[::1]:8080' }, 'machine', 'public hosts'],
  [{ host: '0.0.0.0', baseUrl: 'http://localhost.example.org' }, 'public', 'every host'],
  [{ host: '0.0.0.0', baseUrl: LOCAL, siteUrl: PUBLIC }, 'public', 'public hosts'],
  // The server would do for a page what the page cannot do itself.
  [{ host: '0.0.0.0', baseUrl: PUBLIC, fetchAllowPrivate: ['10.0.0.0/8'] }, 'public', 'no host'],
  [{ host: '0.0.0.0', baseUrl: PUBLIC, metering: false }, 'public', 'no host'],
  [{ metering: false }, 'machine', 'no host'],
];
for (const [given, audience, openTo] of servers)
  test(`${JSON.stringify(given)}: for the ${audience}, open to ${openTo}`, () => {
    const exposure = deriveExposure({
      host: '127.0.0.1',
      baseUrl: null,
      siteUrl: null,
      allowedOrigins: [],
      fetchAllowPrivate: [],
      metering: true,
      ...given,
    });
    assert.deepEqual([exposure.audience, exposure.openTo], [audience, openTo]);
  });

for (const [address, own] of [
  ['127.0.0.1', true],
  ['127.9.9.9', true],
  ['::1', true],
  ['::ffff:127.0.0.1', true],
  ['localhost', true],
  ['0.0.0.0', false],
  ['::', false],
  ['10.0.0.1', false],
  ['localhost.example.com', false],
] as const)
  test(`${address} is loopback: ${own}`, () => assert.equal(isLoopback(address), own));
