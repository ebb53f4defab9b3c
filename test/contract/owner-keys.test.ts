import assert from 'node:assert/strict';
import { after, afterEach, before, describe, test } from 'node:test';
import { createAudit } from '../../src/billing/audit/audit.ts';
import { KEYS_PER_ACCOUNT_MAX } from '../../src/billing/keys/key-procedures.ts';
import { SESSIONS_PER_ACCOUNT_MAX } from '../../src/billing/keys/owner-sessions.ts';
import { readTotals } from '../../src/billing/ledger/totals.ts';
import { NO_TERMS } from '../../src/billing/limits/key-limits.ts';
import { describeOnStores } from '../fixtures/postgres.ts';
import { NOON, type OpenBilling, openBilling } from './open-billing.ts';

const HOUR_MS = 3_600_000;
let ids = 0;

await describeOnStores('the keys of an owner', (databaseUrl) => {
  let billing: OpenBilling;
  before(async () => {
    billing = await openBilling(databaseUrl);
  });
  after(() => billing.close());
  afterEach(async () => assert.deepEqual(await createAudit(billing)(), []));

  const account = async (credits = 100) => billing.keys.create({ credits, label: 'first' });
  const further = async (of: string, manages = false) => {
    const key = await billing.keys.addTo(of, { label: 'further', manages });
    assert.ok(key);
    return key;
  };
  /** Resolves to the credits charged. */
  const charge = async (keyId: string, amount: number, endpoint?: string): Promise<number> => {
    const { ledger, clock } = billing;
    const id = `req_${ids++}`;
    const at = clock.now();
    const placed = await ledger.hold({
      id,
      keyId,
      amount,
      expiresAt: at + 60_000,
      endpoint: endpoint ?? null,
    });
    if (placed.amount > 0) await ledger.settle({ id, used: amount, at });
    return placed.amount;
  };

  describe('a further key', () => {
    test('draws on the balance of the account, and its use is told apart', async () => {
      const first = await account(100);
      const second = await further(first.keyId);
      await charge(first.keyId, 10, '/v1/search');
      await charge(second.keyId, 5, '/v1/search');
      await charge(second.keyId, 3, '/r/*');
      for (const { keyId } of [first, second]) {
        assert.equal(await billing.ledger.available(keyId), 82);
        const balance = await billing.balanceOf(keyId);
        assert.deepEqual([balance.credits, balance.burnRatePerDay], [82, 2.57]);
        assert.deepEqual(
          (await billing.usageOfDays(keyId, 1)).map(({ credits }) => credits),
          [18],
        );
        assert.equal((await billing.keys.show(keyId))?.account, first.keyId);
      }
      const days = billing.ledgerStore.db.selectFrom('usage_day').where('key_id', '=', first.keyId);
      const parts = await days
        .select(['spent_by', 'endpoint', 'credits', 'calls'])
        .orderBy('credits')
        .execute();
      assert.deepEqual(
        parts.map(({ ...part }) => part),
        [
          { spent_by: second.keyId, endpoint: '/r/*', credits: 3, calls: 1 },
          { spent_by: second.keyId, endpoint: '/v1/search', credits: 5, calls: 1 },
          { spent_by: '', endpoint: '/v1/search', credits: 10, calls: 1 },
        ],
      );
    });

    test('cannot spend more than the account has, with many charges at once', async () => {
      const first = await account(20);
      const second = await further(first.keyId);
      const charged = await Promise.all(
        Array.from({ length: 40 }, (_, call) => charge([first, second][call % 2]?.keyId ?? '', 1)),
      );
      assert.equal(
        charged.reduce((sum, credits) => sum + credits, 0),
        20,
      );
      assert.equal(await billing.ledger.available(second.keyId), 0);
    });

    test('spends on while the first key is revoked, and stops when it is revoked itself', async () => {
      const first = await account(10);
      const second = await further(first.keyId, true);
      const before = await readTotals(billing.ledgerStore.db);
      await billing.keys.revoke(first.keyId);
      assert.equal(await charge(first.keyId, 1), 0);
      assert.equal(await charge(second.keyId, 1), 1);
      assert.equal((await readTotals(billing.ledgerStore.db)).available, before.available - 1);
      await billing.keys.revoke(second.keyId);
      assert.equal(await charge(second.keyId, 1), 0);
      assert.equal((await readTotals(billing.ledgerStore.db)).available, before.available - 10);
    });

    test('has the kind of the first and no credits or network of its own', async () => {
      const free = await billing.keys.claimFree('198.51.100.7');
      const second = await further(free.keyId);
      const record = await billing.keys.show(second.keyId);
      assert.deepEqual([record?.kind, record?.network, record?.credits], ['free', null, 2_500]);
    });

    test('has limits of its own', async () => {
      const first = await account();
      const terms = { perMinute: null, perDay: 2, expiresAt: NOON + 48 * HOUR_MS };
      const second = await billing.keys.addTo(first.keyId, { label: null, manages: false, terms });
      assert.deepEqual((await billing.keys.show(second?.keyId ?? ''))?.terms, terms);
      assert.deepEqual((await billing.keys.show(first.keyId))?.terms, NO_TERMS);
      assert.deepEqual((await billing.keys.find(second?.apiKey ?? ''))?.limits, {
        perMinute: null,
        perDay: 2,
      });
    });

    test('is granted credits that the account then has', async () => {
      const first = await account(1);
      const second = await further(first.keyId);
      const granted = await billing.keys.grant({
        keyId: second.keyId,
        credits: 9,
        ref: `grant:${second.keyId}`,
      });
      assert.deepEqual(granted, { kind: 'granted', available: 10 });
      assert.equal(await billing.ledger.available(first.keyId), 10);
    });

    test('makes a family of one level: a key of a further key belongs to the first', async () => {
      const first = await account();
      const second = await further(first.keyId);
      const third = await further(second.keyId);
      assert.equal((await billing.keys.show(third.keyId))?.account, first.keyId);
      assert.deepEqual(
        (await billing.keys.ofAccount(third.keyId)).map(({ id }) => id).toSorted(),
        [first.keyId, second.keyId, third.keyId].toSorted(),
      );
    });

    test(`is one of at most ${KEYS_PER_ACCOUNT_MAX}, however many are asked for at once`, async () => {
      const first = await account();
      const asked = Array.from({ length: KEYS_PER_ACCOUNT_MAX + 5 }, () =>
        billing.keys.addTo(first.keyId, { label: null, manages: false }),
      );
      const made = (await Promise.all(asked)).filter((key) => key !== null);
      assert.equal(made.length, KEYS_PER_ACCOUNT_MAX - 1);
      await billing.keys.revoke(made[0]?.keyId ?? '');
      assert.ok(await billing.keys.addTo(first.keyId, { label: null, manages: false }));
    });
  });

  describe('a rotation', () => {
    test('keeps the key and lets the old secret work until its end', async () => {
      const { keyId, apiKey } = await account();
      const rotated = await billing.keys.rotate(keyId, { overlapMs: HOUR_MS });
      assert.equal(rotated?.oldUntil, billing.clock.now() + HOUR_MS);
      for (const secret of [apiKey, rotated?.apiKey ?? ''])
        assert.equal((await billing.keys.find(secret))?.keyId, keyId);
      billing.clock.add(HOUR_MS);
      assert.equal(await billing.keys.find(apiKey), null);
      assert.equal((await billing.keys.find(rotated?.apiKey ?? ''))?.keyId, keyId);
    });

    test('without overlap, or a second one, ends the old secret at once', async () => {
      const { keyId, apiKey } = await account();
      const one = await billing.keys.rotate(keyId, { overlapMs: 0 });
      assert.equal(await billing.keys.find(apiKey), null);
      const two = await billing.keys.rotate(keyId, { overlapMs: HOUR_MS });
      const three = await billing.keys.rotate(keyId, { overlapMs: HOUR_MS });
      assert.equal(await billing.keys.find(one?.apiKey ?? ''), null);
      assert.equal((await billing.keys.find(two?.apiKey ?? ''))?.keyId, keyId);
      await billing.keys.endOldSecret(keyId);
      assert.equal(await billing.keys.find(two?.apiKey ?? ''), null);
      assert.equal((await billing.keys.find(three?.apiKey ?? ''))?.keyId, keyId);
    });

    test('of a revoked or unknown key gives none', async () => {
      const { keyId } = await account();
      await billing.keys.revoke(keyId);
      for (const id of [keyId, 'nobody']) assert.equal(await billing.keys.rotate(id, { overlapMs: 0 }), null);
    });
  });

  describe('the last key that may sign in', () => {
    test('is neither revoked by its owner nor made a key for calls only', async () => {
      const first = await account();
      const second = await further(first.keyId);
      assert.equal(await billing.keys.revokeOwn(first.keyId), false);
      assert.equal(await billing.keys.describe(first.keyId, { manages: false }), false);
      assert.equal(await billing.keys.revokeOwn(second.keyId), true);
      const third = await further(first.keyId, true);
      assert.equal(await billing.keys.describe(third.keyId, { label: 'boss' }), true);
      const both = await Promise.all([first, third].map(({ keyId }) => billing.keys.revokeOwn(keyId)));
      assert.deepEqual(both.toSorted(), [false, true]);
    });

    test('is not one that ends by itself', async () => {
      const first = await account();
      const terms = { ...NO_TERMS, expiresAt: NOON + 100 * HOUR_MS };
      await billing.keys.addTo(first.keyId, { label: null, manages: true, terms });
      assert.equal(await billing.keys.revokeOwn(first.keyId), false);
    });
  });

  describe('a session', () => {
    test('is found by its token alone, and ends after a week', async () => {
      const { keyId } = await account();
      const { token, session } = await billing.ownerSessions.begin(keyId);
      assert.deepEqual(await billing.ownerSessions.find(token), session);
      assert.equal(session.account, keyId);
      for (const other of ['', session.id, `${token.slice(1)}x`])
        assert.equal(await billing.ownerSessions.find(other), null);
      const rows = await billing.ledgerStore.db.selectFrom('session').selectAll().execute();
      assert.equal(JSON.stringify(rows).includes(token), false);
      billing.clock.add(7 * 24 * HOUR_MS);
      assert.equal(await billing.ownerSessions.find(token), null);
    });

    test('ends with its key, when that may sign in no more, and when it signs out', async () => {
      const first = await account();
      const begun = async () => await billing.ownerSessions.begin((await further(first.keyId, true)).keyId);
      const [revoked, demoted, expired, left] = [await begun(), await begun(), await begun(), await begun()];
      await billing.keys.revokeOwn(revoked.session.keyId);
      await billing.keys.describe(demoted.session.keyId, { manages: false });
      await billing.keys.changeTerms(expired.session.keyId, { expiresAt: billing.clock.now() });
      await billing.ownerSessions.end(left.session);
      for (const { token } of [revoked, demoted, expired, left])
        assert.equal(await billing.ownerSessions.find(token), null);
    });

    test('goes on through a rotation in it, which ends the others of the key', async () => {
      const { keyId } = await account();
      const [one, other] = [
        await billing.ownerSessions.begin(keyId),
        await billing.ownerSessions.begin(keyId),
      ];
      await billing.keys.rotate(keyId, { overlapMs: HOUR_MS, session: one.session.id });
      assert.ok(await billing.ownerSessions.find(one.token));
      assert.equal(await billing.ownerSessions.find(other.token), null);
    });

    test(`is one of at most ${SESSIONS_PER_ACCOUNT_MAX}; all end together`, async () => {
      const first = await account();
      const second = await further(first.keyId, true);
      const tokens: string[] = [];
      for (let count = 0; count <= SESSIONS_PER_ACCOUNT_MAX; count++) {
        billing.clock.add(1);
        tokens.push((await billing.ownerSessions.begin([first, second][count % 2]?.keyId ?? '')).token);
      }
      const found = await Promise.all(tokens.map((token) => billing.ownerSessions.find(token)));
      assert.deepEqual(
        found.map((session) => session !== null),
        [false, ...tokens.slice(1).map(() => true)],
      );
      await billing.ownerSessions.endAll(first.keyId);
      for (const token of tokens) assert.equal(await billing.ownerSessions.find(token), null);
    });
  });
});
