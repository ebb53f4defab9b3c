import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Answered } from '../../harness.ts';
import { fixture, serveAccounts, visit } from './account-fixture.ts';

serveAccounts();

describe('/account/keys', () => {
  const secretIn = ({ text }: Answered): string => /id="key"[^>]*>(sdl_[\w-]+)</.exec(text)?.[1] ?? '';

  test('a key is added with limits and shown once; the list names it', async () => {
    const { apiKey } = await fixture.billing.keys.create({ credits: 7, label: null });
    const there = await visit(apiKey);
    const added = await there.send('/account/keys', {
      label: 'Build <server>',
      per_day: '500',
      expires: '30d',
    });
    assert.equal(added.status, 200);
    const { credits, manages, terms } = (await fixture.billing.keys.show(secretIn(added))) ?? assert.fail();
    assert.deepEqual([credits, manages, terms.perDay], [7, false, 500]);
    const list = await there.get('/account/keys');
    assert.equal(secretIn(list), '');
    assert.match(list.text, /Build &lt;server&gt;.*at most 500 calls a day/s);
  });

  test('422: a wrong limit is named, and what was typed stays', async () => {
    const there = await visit((await fixture.billing.keys.create({ credits: 7, label: null })).apiKey);
    const { status, text } = await there.send('/account/keys', {
      label: 'mine',
      per_day: '0',
      expires: 'soon',
    });
    assert.equal(status, 422);
    assert.match(text, /id="per_day-problem">This must be a whole number from 1/);
    assert.match(text, /id="expires-problem">This must be a time from now/);
    assert.match(text, /id="label"[^>]* value="mine"/);
  });

  test('a rotation shows the new secret, keeps the session and lets the old one work for the time chosen', async () => {
    const { apiKey, keyId } = await fixture.billing.keys.create({ credits: 7, label: null });
    const there = await visit(apiKey);
    const rotated = await there.send(`/account/keys/${keyId}/rotate`, { overlap: '1h' });
    const secret = secretIn(rotated);
    assert.match(rotated.text, /The secret from before the last rotation works until <time/);
    for (const key of [apiKey, secret])
      assert.equal((await fixture.served.get('/v1/balance', { 'x-api-key': key })).status, 200);
    await there.send(`/account/keys/${keyId}/end-old`);
    assert.equal((await fixture.served.get('/v1/balance', { 'x-api-key': apiKey })).status, 401);
    assert.doesNotMatch((await there.get(`/account/keys/${keyId}`)).text, /before the last rotation/);
  });

  test('a key is changed, and revoked once the box is ticked; the last that manages is neither', async () => {
    const { apiKey, keyId } = await fixture.billing.keys.create({ credits: 7, label: null });
    const there = await visit(apiKey);
    const id = (await fixture.billing.keys.show(secretIn(await there.send('/account/keys'))))?.id ?? '';
    await there.send(`/account/keys/${id}/change`, { label: 'phone', per_minute: '5' });
    const changed = await fixture.billing.keys.show(id);
    assert.deepEqual([changed?.label, changed?.terms.perMinute], ['phone', 5]);
    assert.equal((await there.send(`/account/keys/${id}/revoke`)).status, 422);
    assert.equal((await there.send(`/account/keys/${id}/revoke`, { sure: '1' })).status, 303);
    assert.equal((await fixture.billing.keys.show(id))?.state, 'revoked');
    for (const [path, fields] of [
      ['revoke', { sure: '1' }],
      ['change', { label: 'x' }],
      ['change', { manages: '1', expires: '1d' }],
    ] as const) {
      const { status, text } = await there.send(`/account/keys/${keyId}/${path}`, fields);
      assert.equal(status, 409, path);
      assert.match(text, /last key that can manage the account/);
    }
  });

  test('403: what the operator limits is not lifted with the key itself, nor by a further one', async () => {
    const terms = { perMinute: 5, perDay: 100, expiresAt: fixture.clock.now() + 86_400_000 };
    const { apiKey, keyId } = await fixture.billing.keys.create({ credits: 7, label: null, terms });
    const further = await fixture.billing.keys.addTo(keyId, {
      label: 'phone',
      manages: false,
      terms: { ...terms, perDay: 10 },
    });
    const there = await visit(apiKey);
    const NONE = { per_minute: '', per_day: '', expires: '' };
    for (const id of [keyId, further?.keyId ?? ''])
      for (const fields of [NONE, { per_day: '100000' }, { expires: '365d' }])
        assert.equal(
          (await there.send(`/account/keys/${id}/change`, { label: 'x', manages: '1', ...fields })).status,
          403,
        );
    assert.equal((await there.send('/account/keys', { label: 'mine', ...NONE })).status, 403);
    const records = await fixture.billing.keys.ofAccount(keyId);
    const limits = records.map(({ id, label, terms: { perDay } }) => [id === keyId, label, perDay]);
    assert.deepEqual(limits.sort().reverse(), [
      [true, null, 100],
      [false, 'phone', 10],
    ]);
    for (const path of ['/account/keys', `/account/keys/${keyId}`]) {
      const { text } = await there.get(path);
      assert.match(text, /The operator of this service has set limits/);
      assert.doesNotMatch(text, /name="per_day"/);
    }
    const named = await there.send(`/account/keys/${keyId}/change`, { label: 'x', manages: '1' });
    assert.equal(named.status, 303);
    assert.deepEqual((await fixture.billing.keys.show(keyId))?.terms, terms);
  });

  test('404: a key of another account, with every form', async () => {
    const there = await visit((await fixture.billing.keys.create({ credits: 7, label: null })).apiKey);
    const { keyId, apiKey } = await fixture.billing.keys.create({ credits: 7, label: 'theirs' });
    const paths = ['', '/change', '/rotate', '/end-old', '/revoke'].map(
      (end) => `/account/keys/${keyId}${end}`,
    );
    for (const path of paths) {
      const { status, text } = path.endsWith(keyId)
        ? await there.get(path)
        : await there.send(path, { sure: '1' });
      assert.equal(status, 404, path);
      assert.doesNotMatch(text, /theirs/);
    }
    assert.ok(await fixture.billing.keys.find(apiKey));
  });
});
