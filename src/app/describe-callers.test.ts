import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { readConfig } from './config.ts';
import { describeCallers, listCallerWarnings } from './describe-callers.ts';

describe('who may call, in one line', () => {
  const table: [settings: Record<string, string>, words: RegExp][] = [
    [{}, /^25 free requests per address and day, more with a key; free keys; .*sandbox.*no money moves$/],
    [{ METERING: 'off' }, /^anyone who reaches the server, without keys, credits or limits/],
    [{ KEYLESS_PER_DAY: '0', FREE_KEYS: 'off' }, /^only with a key .*; no free keys .*; payments/],
    [{ KEYLESS_PER_DAY: '5000', PAYMENTS: 'off' }, /^5,000 free requests .*; no credits for sale$/],
    [{ UNMETERED_NETWORKS: '10.0.0.0/8,fd00::/8' }, /; not metered: 10\.0\.0\.0\/8, fd00::\/8$/],
  ];
  for (const [settings, words] of table)
    test(JSON.stringify(settings), () => assert.match(describeCallers(readConfig(settings)), words));
});

describe('what is probably not intended', () => {
  const open = { HOST: '0.0.0.0', METERING: 'off' };
  const behind = { BASE_URL: 'https://search.example.org', UNMETERED_NETWORKS: '127.0.0.0/8' };
  const table: [settings: Record<string, string>, warnings: RegExp[]][] = [
    [{}, []],
    [{ METERING: 'off' }, []],
    [{ HOST: '::1', METERING: 'off' }, []],
    [{ HOST: 'localhost', METERING: 'off' }, []],
    [{ HOST: '0.0.0.0' }, [/^PAYMENTS: is off, because HOST 0\.0\.0\.0 is open .*BASE_URL/]],
    [{ HOST: '0.0.0.0', PAYMENTS: 'off' }, []],
    [{ HOST: '0.0.0.0', BASE_URL: 'http://localhost:8080' }, []],
    [{ HOST: '0.0.0.0', PAYMENTS: 'sandbox' }, [/^PAYMENTS: the built-in sandbox/]],
    [open, [/^HOST: 0\.0\.0\.0 is open .*METERING=on.*TRUST_PROXY/]],
    [{ ...open, TRUST_PROXY: '1' }, []],
    [{ HOST: '192.168.1.5', PAYMENTS: 'off', UNMETERED_NETWORKS: '0.0.0.0/0' }, [/^HOST: 192\.168\.1\.5 /]],
    [{ HOST: '192.168.1.5', PAYMENTS: 'off', UNMETERED_NETWORKS: '192.168.0.0/16' }, []],
    [behind, [/^UNMETERED_NETWORKS: contains this machine.*TRUST_PROXY/]],
    [{ ...behind, TRUST_PROXY: '1' }, []],
    [{ UNMETERED_NETWORKS: '127.0.0.0/8' }, []],
    [{ BASE_URL: 'https://search.example.org', PAYMENTS: 'sandbox' }, [/^PAYMENTS: .*STRIPE_SECRET_KEY/]],
  ];
  for (const [settings, expected] of table)
    test(`${JSON.stringify(settings)}: ${expected.length}`, () => {
      const warnings = listCallerWarnings(readConfig(settings));
      assert.equal(warnings.length, expected.length);
      for (const [place, pattern] of expected.entries()) assert.match(warnings[place] ?? '', pattern);
      for (const warning of warnings) assert.doesNotMatch(warning, /\n/);
    });
});
