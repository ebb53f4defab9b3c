import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { after, before, test } from 'node:test';
import { createAppGrants } from '../../src/billing/keys/app-grants.ts';
import { describeOnStores } from '../fixtures/postgres.ts';
import { type OpenBilling, openBilling } from './open-billing.ts';

const VERIFIER = 'v'.repeat(43);
const CHALLENGE = createHash('sha256').update(VERIFIER).digest('base64url');
const DAY_MS = 86_400_000;

await describeOnStores('grants to applications', (databaseUrl) => {
  let billing: OpenBilling;
  before(async () => {
    billing = await openBilling(databaseUrl);
  });
  after(() => billing.close());

  const open = () => createAppGrants(billing);
  const order = (keyId: string) => ({
    keyId,
    clientId: 'a client',
    name: 'A test',
    redirectUri: 'https://app.example/cb',
    challenge: CHALLENGE,
    scopes: ['read'] as const,
  });
  const proof = (code: string) => ({
    code,
    clientId: 'a client',
    redirectUri: 'https://app.example/cb',
    verifier: VERIFIER,
  });
  const newKey = () => billing.keys.create({ credits: 10, label: null });

  test('a code is exchanged once, however many ask at once, and tokens are renewed', async () => {
    const grants = open();
    const { keyId } = await newKey();
    const code = await grants.begin(order(keyId));
    const tokens = await grants.exchange(proof(code));
    assert.ok(tokens !== null);
    const found = await grants.find(tokens.accessToken);
    assert.deepEqual(found?.scopes, ['read']);
    assert.deepEqual([found?.key.keyId, found?.key.onlyCalls], [keyId, true]);
    const renewed = await grants.refresh({ token: tokens.refreshToken, clientId: 'a client' });
    assert.equal(await grants.find(tokens.accessToken), null);
    assert.ok((await grants.find(renewed?.accessToken ?? '')) !== null);
    assert.equal((await grants.ofAccount(keyId)).length, 1);
    const second = await grants.begin(order(keyId));
    const answers = await Promise.all([1, 2, 3].map(() => grants.exchange(proof(second))));
    assert.ok(answers.filter((answer) => answer !== null).length <= 1);
  });

  test('a grant ends unused, and a key has twenty at most', async () => {
    const grants = open();
    const { keyId } = await newKey();
    const tokens = await grants.exchange(proof(await grants.begin(order(keyId))));
    billing.clock.add(30 * DAY_MS);
    assert.equal(await grants.refresh({ token: tokens?.refreshToken ?? '', clientId: 'a client' }), null);
    for (let count = 0; count < 25; count++) {
      billing.clock.add(1);
      await grants.exchange(proof(await grants.begin(order(keyId))));
    }
    assert.equal((await grants.ofAccount(keyId)).length, 20);
  });
});
