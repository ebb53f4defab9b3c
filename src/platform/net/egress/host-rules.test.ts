import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isLocalHost, parseHostRule } from './host-rules.ts';

/** Rule, host, port, and whether the rule covers it. */
const CASES: [string, string, number, boolean][] = [
  ['*', 'anything.example', 443, true],
  ['example.org', 'example.org', 443, true],
  ['example.org', 'deep.Example.org', 443, true],
  ['example.org', 'notexample.org', 443, false],
  ['example.org', 'example.org.evil.net', 443, false],
  ['.example.org', 'a.example.org', 443, true],
  ['.example.org', 'example.org', 443, false],
  ['*.example.org', 'a.b.example.org', 443, true],
  ['*.example.org', 'example.org', 443, false],
  ['example.org:8443', 'example.org', 8443, true],
  ['example.org:8443', 'example.org', 443, false],
  ['10.0.0.0/8', '10.1.2.3', 80, true],
  ['10.0.0.0/8', '11.1.2.3', 80, false],
  ['10.0.0.0/8', '::ffff:10.1.2.3', 80, true],
  ['10.0.0.0/8', '10.example.org', 80, false],
  ['192.0.2.7', '192.0.2.7', 80, true],
  ['192.0.2.7:81', '192.0.2.7', 80, false],
  ['2001:db8::/32', '2001:db8::1', 443, true],
  ['[2001:db8::1]:443', '2001:db8:0::1', 443, true],
  ['2001:db8::1', '2001:db8::2', 443, false],
];

test('a rule covers what it names', () => {
  for (const [rule, host, port, expected] of CASES)
    assert.equal(parseHostRule(rule)?.(host, port), expected, `${rule} and ${host}:${port}`);
});

test('text that names no hosts is no rule', () => {
  for (const text of ['', '*.*', 'http://example.org', 'a b', 'example.org/path', '10.0.0.0/99', 'a..b', '.'])
    assert.equal(parseHostRule(text), null, text);
});

test('this machine and names without a dot are local', () => {
  for (const host of [
    'localhost',
    'a.localhost',
    '127.0.0.1',
    '127.9.9.9',
    '::1',
    '::ffff:127.0.0.1',
    'searxng',
  ])
    assert.equal(isLocalHost(host), true, host);
  for (const host of ['example.org', '10.0.0.1', '2001:db8::1', 'localhost.example.org'])
    assert.equal(isLocalHost(host), false, host);
});
