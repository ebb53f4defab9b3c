import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { ConfigError, readConfig } from './config.ts';

const PUBLIC = { BASE_URL: 'https://search.example.org' };
const STRIPE = { STRIPE_SECRET_KEY: 'sk_test_1', STRIPE_WEBHOOK_SECRET: 'whsec_1' };

describe('who takes the payments', () => {
  const table: [settings: Record<string, string>, payments: string][] = [
    [{}, 'sandbox'],
    [{ HOST: '0.0.0.0' }, 'off'],
    [{ HOST: '0.0.0.0', BASE_URL: 'http://localhost:8080' }, 'sandbox'],
    [{ HOST: '192.168.1.5' }, 'off'],
    [{ HOST: '0.0.0.0', PAYMENTS: 'sandbox' }, 'sandbox'],
    [{ HOST: '93.184.216.34' }, 'off'],
    [{ HOST: '2606:2800:220:1::1' }, 'off'],
    [{ BASE_URL: 'http://localhost:8080' }, 'sandbox'],
    [{ BASE_URL: 'http://127.0.0.1:8080/' }, 'sandbox'],
    [{ BASE_URL: 'http://[::1]:8080' }, 'sandbox'],
    [{ HOST: '93.184.216.34', BASE_URL: 'http://localhost:8080' }, 'sandbox'],
    [PUBLIC, 'off'],
    [{ SITE_URL: 'https://www.example.org' }, 'off'],
    [{ BASE_URL: 'http://localhost:8080', SITE_URL: 'https://www.example.org' }, 'off'],
    [{ BASE_URL: 'http://192.168.1.5:8080' }, 'off'],
    [{ ...PUBLIC, PAYMENTS: 'sandbox' }, 'sandbox'],
    [{ PAYMENTS: 'off' }, 'off'],
    [STRIPE, 'stripe'],
    [{ ...STRIPE, ...PUBLIC }, 'stripe'],
    [{ ...STRIPE, PAYMENTS: 'sandbox' }, 'sandbox'],
    [{ ...STRIPE, ...PUBLIC, PAYMENTS: 'off' }, 'off'],
    [{ METERING: 'off' }, 'off'],
    [{ ...STRIPE, METERING: 'off', PAYMENTS: 'stripe' }, 'off'],
  ];
  for (const [settings, payments] of table) {
    test(`${JSON.stringify(settings)}: ${payments}`, () => {
      assert.equal(readConfig(settings).payments, payments);
    });
  }
});

test('without settings callers are metered as the interface says', () => {
  const { metering, unmeteredNetworks, keylessPerDay, freeKeys } = readConfig({});
  assert.deepEqual([metering, unmeteredNetworks, keylessPerDay, freeKeys], [true, [], 25, true]);
});

test('each setting is read', () => {
  const config = readConfig({
    METERING: 'off',
    UNMETERED_NETWORKS: '127.0.0.0/8, fd00::/8',
    KEYLESS_PER_DAY: '0',
    FREE_KEYS: 'off',
  });
  const { metering, unmeteredNetworks, keylessPerDay, freeKeys } = config;
  assert.deepEqual(
    [metering, unmeteredNetworks, keylessPerDay, freeKeys],
    [false, ['127.0.0.0/8', 'fd00::/8'], 0, false],
  );
});

describe('an invalid setting is refused by name', () => {
  for (const [name, value] of [
    ['METERING', 'maybe'],
    ['METERING', 'OFF'],
    ['UNMETERED_NETWORKS', '10.0.0.1'],
    ['KEYLESS_PER_DAY', '-1'],
    ['KEYLESS_PER_DAY', '2.5'],
    ['KEYLESS_PER_DAY', '9999999999'],
    ['FREE_KEYS', 'yes'],
    ['PAYMENTS', 'paypal'],
  ] as const) {
    test(`${name}=${value}`, () => refuses({ [name]: value }, name));
  }

  test('PAYMENTS=stripe without its key names the key', () =>
    refuses({ PAYMENTS: 'stripe' }, 'STRIPE_SECRET_KEY'));
});

function refuses(settings: Record<string, string>, name: string): void {
  assert.throws(
    () => readConfig(settings),
    (error) => error instanceof ConfigError && error.message.startsWith(`${name}: `),
  );
}
