import assert from 'node:assert/strict';
import type { IncomingHttpHeaders } from 'node:http';
import { test } from 'node:test';
import { findCallerAddress } from './arrival.ts';

const SOCKET = '192.0.2.1';
const rows: [hops: number, forwardedFor: string | string[] | undefined, address: string][] = [
  [0, undefined, SOCKET],
  [0, '203.0.113.9', SOCKET],
  [1, undefined, SOCKET],
  [1, '203.0.113.9', '203.0.113.9'],
  // Entries further left are the caller's own claims.
  [1, '198.51.100.7, 203.0.113.9', '203.0.113.9'],
  [2, '198.51.100.7, 203.0.113.9', '198.51.100.7'],
  [2, '1.1.1.1, 198.51.100.7, 203.0.113.9', '198.51.100.7'],
  [2, '203.0.113.9', '203.0.113.9'],
  [1, ['198.51.100.7', '203.0.113.9'], '203.0.113.9'],
  [1, '203.0.113.9:4711', '203.0.113.9'],
  [1, '[2001:db8::1]:4711', '2001:db8::1'],
  [1, '2001:db8::1', '2001:db8::1'],
  [1, '"203.0.113.9"', '203.0.113.9'],
  [1, 'unknown', SOCKET],
  [1, '', SOCKET],
  [1, '203.0.113.9, nonsense', SOCKET],
  [3, 'nonsense, 203.0.113.9', '203.0.113.9'],
];
for (const [hops, forwardedFor, address] of rows)
  test(`${hops} proxies, ${JSON.stringify(forwardedFor)}: ${address}`, () => {
    // Node joins a repeated header itself, but its type allows a list.
    const headers = { 'x-forwarded-for': forwardedFor } as IncomingHttpHeaders;
    const request = { headers, socket: { remoteAddress: SOCKET } };
    assert.equal(findCallerAddress(request, { trustProxy: hops }), address);
  });
