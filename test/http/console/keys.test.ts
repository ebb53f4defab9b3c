import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { createLog } from '../../../src/platform/log.ts';
import { describeOnStores } from '../../fixtures/postgres.ts';
import { type RealServed, serveReal } from '../../harness.ts';
import { type ConsoleClient, signIn, TOKEN } from './console-client.ts';

const HOSTILE = '"><script>alert(1)</script>';

await describeOnStores('keys in the console', (databaseUrl) => {
  const lines: string[] = [];
  let app: RealServed;
  let client: ConsoleClient;
  let apiKey: string;
  let id: string;
  before(async () => {
    app = await serveReal(
      {
        ADMIN_TOKEN: TOKEN,
        LOG_LEVEL: 'info',
        ...(databaseUrl === null ? {} : { DATABASE_URL: databaseUrl }),
      },
      { log: createLog('info', { write: (line) => void lines.push(line) }) },
    );
    client = await signIn(app);
  });
  after(() => app.close());

  const credits = async (): Promise<number | undefined> => (await app.billing.keys.show(id))?.credits;

  test('a new key is shown once, and works', async () => {
    const fields = { do: 'create', label: HOSTILE, credits: '500', per_minute: '60', expires: '30d' };
    const { status, text } = await client.act('/admin/keys', fields);
    assert.equal(status, 200);
    apiKey = /sdl_[\w-]{43}/.exec(text)?.[0] ?? '';
    assert.match(text, /shown only this once/);
    assert.ok(!text.includes('<script>alert'));
    id = (await app.billing.keys.show(apiKey))?.id ?? '';
    const again = (await client.get('/admin/keys')).text;
    assert.ok(!again.includes(apiKey));
    assert.match(again, /at most 60 calls a minute, until 20/);
    assert.equal((await app.get('/v1/balance', { 'x-api-key': apiKey })).json.credits, 500);
  });

  test('a key is found by its id or by itself, which then stands in no address', async () => {
    for (const key of [id, ` ${apiKey} `]) {
      const { status, headers } = await client.send('/admin/keys', { do: 'find', key });
      assert.deepEqual([status, headers.get('location')], [303, `/admin/keys?id=${id}`]);
    }
    const page = (await client.get(`/admin/keys?id=${id}`)).text;
    assert.match(page, new RegExp(`<code>${id}</code>`));
    assert.ok(!page.includes('<script>alert'));
    assert.match(
      (await client.act('/admin/keys', { do: 'find', key: HOSTILE })).text,
      /is no key of this service/,
    );
    assert.match((await client.get('/admin/keys?id=key_none')).text, /There is no such key/);
  });

  test('credits are granted once for each reference', async () => {
    const grant = { do: 'grant', id, credits: '70', ref: 'invoice 7' };
    assert.match((await client.act('/admin/keys', grant)).text, /Granted 70 credits; the key now has 570/);
    assert.match((await client.act('/admin/keys', grant)).text, /already counted/);
    assert.equal(await credits(), 570);
    const wrong: [Record<string, string>, RegExp][] = [
      [{ credits: '71' }, /was used before, for 70 credits/],
      [{ credits: '-1', ref: 'a' }, /must be a whole number/],
      [{ credits: '', ref: 'a' }, /must not be empty/],
      [{ ref: 'issue:x' }, /reserved for new keys/],
      [{ ref: '' }, /must not be empty/],
    ];
    for (const [fields, why] of wrong) {
      const { status, text } = await client.send(`/admin/keys?id=${id}`, { ...grant, ...fields });
      assert.equal(status, 422);
      assert.match(text, why);
    }
    assert.equal(await credits(), 570);
  });

  test('limits are changed, and removed where a field is empty', async () => {
    const limit = (fields: Record<string, string>) =>
      client.act('/admin/keys', { do: 'limit', id, ...fields });
    assert.match(
      (await limit({ per_minute: '5', per_day: '100' })).text,
      /at most 5 calls a minute and 100 a day/,
    );
    assert.deepEqual((await app.billing.keys.show(id))?.terms, {
      perMinute: 5,
      perDay: 100,
      expiresAt: null,
    });
    assert.match((await limit({})).text, /no limits/);
    for (const fields of [{ per_day: '0' }, { expires: 'soon' }, { expires: '2020-01-01' }])
      assert.equal((await client.send('/admin/keys', { do: 'limit', id, ...fields })).status, 422);
    const free = await app.billing.keys.claimFree('203.0.113.9');
    assert.match(
      (await client.act('/admin/keys', { do: 'limit', id: free.keyId, per_day: '1' })).text,
      /only its credits limit it/,
    );
  });

  test('a revoked key is refused, and gets nothing more', async () => {
    assert.match((await client.get(`/admin/keys?id=${id}`)).text, /This cannot be undone/);
    assert.match((await client.act('/admin/keys', { do: 'revoke', id })).text, /is revoked/);
    assert.equal((await app.get('/v1/balance', { 'x-api-key': apiKey })).status, 401);
    assert.equal((await client.send('/admin/keys', { do: 'grant', id, credits: '1', ref: 'b' })).status, 422);
    assert.ok(!(await client.get(`/admin/keys?id=${id}`)).text.includes('value="revoke"'));
  });

  test('all of it is entered and logged, without the key', async () => {
    const { text } = await client.get('/admin/log');
    for (const action of ['key created', 'credits granted', 'key limited', 'key revoked'])
      assert.match(text, new RegExp(`${action}</td><td><span class="address">${id}`), action);
    assert.ok(!text.includes(apiKey));
    assert.ok(!lines.join('').includes(apiKey));
  });
});
