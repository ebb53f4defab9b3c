import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readConfig } from '../config.ts';

const SECRETS = {
  STRIPE_SECRET_KEY: 'sk_test_never-shown',
  STRIPE_WEBHOOK_SECRET: 'whsec_never-shown',
  APP_SECRET: 'never-shown-never-shown-never-shown',
  METRICS_TOKEN: 'never-shown-metrics',
  ADMIN_TOKEN: 'never-shown-admin',
  BRAVE_API_KEY: 'never-shown-brave',
  ACCEPT_PROVIDER_TERMS: 'brave',
  DATABASE_URL: 'postgres://anna:never-shown@db.example.org/books?password=never-shown',
};

const find = (config: ReturnType<typeof readConfig>, name: string) =>
  config.inForce.find((setting) => setting.name === name);

test('each setting says its value and where it comes from', () => {
  const config = readConfig({ PORT: '9000', BRAND: 'wader', LOG_LEVEL: '' }, new Set(['BRAND', 'LOG_LEVEL']));
  assert.deepEqual(find(config, 'PORT'), { name: 'PORT', value: '9000', from: 'environment' });
  assert.deepEqual(find(config, 'BRAND'), { name: 'BRAND', value: 'wader', from: 'file' });
  assert.deepEqual(find(config, 'LOG_LEVEL'), { name: 'LOG_LEVEL', value: 'info', from: 'default' });
  assert.deepEqual(find(config, 'PAYMENTS'), { name: 'PAYMENTS', value: 'sandbox', from: 'default' });
  assert.deepEqual(find(config, 'ADMIN_TOKEN'), { name: 'ADMIN_TOKEN', value: 'not set', from: 'default' });
  assert.equal(new Set(config.inForce.map(({ name }) => name)).size, config.inForce.length);
});

test('no secret is listed', () => {
  const config = readConfig(SECRETS);
  assert.ok(!JSON.stringify(config.inForce).includes('never-shown'));
  assert.equal(find(config, 'STRIPE_SECRET_KEY')?.value, 'set (secret)');
  assert.match(find(config, 'DATABASE_URL')?.value ?? '', /^postgres:\/\/db\.example\.org\/books \(without/);
  assert.equal(find(readConfig({ FREE_KEYS: 'off' }), 'FREE_KEYS')?.value, 'off');
  const peers = { PEERS: 'team=http://a.example', PEER_KEYS: 'team=never-shown', PEER_CALLERS: 'team=all' };
  assert.equal(find(readConfig(peers), 'PEER_KEYS')?.value, 'set (secret)');
});
