import assert from 'node:assert/strict';
import { test } from 'node:test';
import { UNSCRIPTED_KEYS, unscriptedDeps } from '../../../../test/unscripted.ts';
import { ACCOUNT_TRIES_PER_HOUR } from '../../../contract/limits.ts';
import { createOwnerSignIn } from './owner-sign-in.ts';

test('keys that are tried at once, while the ledger is slow, are bounded as those one after another', async () => {
  const looks: PromiseWithResolvers<null>[] = [];
  const { site, ownerSessions } = unscriptedDeps();
  const signIn = createOwnerSignIn({
    findKey() {
      const look = Promise.withResolvers<null>();
      looks.push(look);
      return look.promise;
    },
    keys: UNSCRIPTED_KEYS,
    ownerSessions,
    clock: { now: () => 0 },
    site,
    publicUrls: [],
  });
  const tries = Array.from({ length: ACCOUNT_TRIES_PER_HOUR + 2 }, (_, guess) => {
    const call = { headers: {}, address: '203.0.113.9', bytes: new TextEncoder().encode(`key=${guess}`) };
    return signIn.enter(call as unknown as Parameters<typeof signIn.enter>[0]).then(
      ({ status }) => status,
      ({ code }) => code,
    );
  });
  for (const look of looks) look.resolve(null);
  assert.equal(looks.length, ACCOUNT_TRIES_PER_HOUR);
  assert.deepEqual((await Promise.all(tries)).slice(-3), [401, 'rate_limited', 'rate_limited']);
});
