import assert from 'node:assert/strict';
import { test } from 'node:test';
import { extractReaderAddress, normaliseTarget } from './request-target.ts';

const routed: [target: string, path: string][] = [
  ['/search', '/search'],
  ['//search', '/search'],
  ['/v1///search/', '/v1/search'],
  ['//', '/'],
  ['/', '/'],
  ['/shapeB//search?x=//y', '/shapeB/search?x=//y'],
  ['/search/?a=1', '/search?a=1'],
  ['http://search.example.org/v1/search', '/v1/search'],
  ['http://search.example.org', '/'],
  ['http://search.example.org?x=1', '/?x=1'],
  ['/broken%zz', '/broken%25zz'],
  ['/%6Dcp', '/mcp'],
  ['/v1/%73earch?q=%73', '/v1/search?q=%73'],
  ['/account/keys/a%2Fb', '/account/keys/a%2Fb'],
  ['/%2573', '/%2573'],
  ['/r', '/r'],
  ['/r/', '/r'],
  ['/r?q=1', '/r'],
  ['//r//https://example.org//a', '/r'],
  ['/r/https://example.org/%zz', '/r'],
  ['/robots.txt', '/robots.txt'],
];
for (const [target, path] of routed)
  test(`${target} is routed as ${path}`, () => assert.equal(normaliseTarget(target), path));

const addresses: [target: string, address: string | null][] = [
  ['/r/https://example.org//a/?b=//c', 'https://example.org//a/?b=//c'],
  ['//r//https://example.org', 'https://example.org'],
  ['http://search.example.org/r/https://example.org/', 'https://example.org/'],
  ['/r', ''],
  ['/r/', ''],
  ['/r?q=1', ''],
  ['/robots.txt', null],
  ['/v1/r/https://example.org', null],
];
for (const [target, address] of addresses)
  test(`${target} holds the address ${address}`, () => assert.equal(extractReaderAddress(target), address));
