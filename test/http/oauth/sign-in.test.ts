import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { type MovedClock, movedClock } from '../../fixtures/moved-clock.ts';
import { type RealServed, serveReal } from '../../harness.ts';
import {
  buildRequest,
  callMcp,
  connectSignedIn,
  createProvider,
  createVerifier,
  exchange,
  getTokens,
  postForm,
  RETURN_TO,
  register,
  signIn,
} from './oauth-fixture.ts';

const HOUR = 3_600_000;

describe('sign-in for applications', () => {
  let clock: MovedClock;
  let app: RealServed;
  let apiKey: string;
  let keyId: string;
  before(async () => {
    clock = movedClock();
    app = await serveReal({ METERING: 'on' }, { clock });
    ({ apiKey, keyId } = await app.billing.keys.create({ credits: 1_000, label: null }));
  });
  after(() => app.close());

  /** The person in the browser: opens the page, types the key, and is sent back with the code. */
  const visitWith =
    (key: string) =>
    async (url: URL): Promise<string> => {
      const page = await app.get(url.pathname + url.search);
      assert.equal(page.status, 200, page.text);
      const { back } = await signIn(app, Object.fromEntries(url.searchParams), key);
      assert.equal(back.searchParams.get('state'), url.searchParams.get('state'));
      return back.searchParams.get('code') ?? '';
    };

  test('the official client signs in, calls and refreshes by itself', async () => {
    const provider = createProvider('An official client');
    const client = await connectSignedIn(`${app.address}/mcp?sign-in=1`, provider, visitWith(apiKey));
    const { tools } = await client.listTools();
    assert.ok(tools.length > 5);
    const result = await client.callTool({ name: 'find_library', arguments: { query: 'waders' } });
    assert.notEqual(result.isError, true, JSON.stringify(result));
    const first = provider.saved.tokens?.access_token;
    clock.advance(2 * HOUR);
    await client.listTools();
    assert.notEqual(provider.saved.tokens?.access_token, first, 'it was refreshed');
    await client.close();
  });

  test('the metadata say where and how', async () => {
    const resource = await app.get('/.well-known/oauth-protected-resource/mcp');
    assert.equal(resource.json.resource, `${app.address}/mcp`);
    assert.deepEqual(resource.json.authorization_servers, [app.address]);
    const server = await app.get('/.well-known/oauth-authorization-server');
    assert.deepEqual(server.json.code_challenge_methods_supported, ['S256']);
    assert.equal(server.json.issuer, app.address);
    for (const name of ['authorization', 'token', 'registration', 'revocation'])
      assert.ok(server.json[`${name}_endpoint`].startsWith(app.address), name);
  });

  test('keyless and keys stay as they were', async () => {
    assert.equal((await callMcp(app, null)).status, 200);
    assert.equal((await callMcp(app, apiKey)).status, 200);
    assert.equal((await callMcp(app, apiKey, { path: '/mcp?sign-in=1' })).status, 200);
    const refused = await callMcp(app, null, { path: '/mcp?sign-in=1' });
    assert.equal(refused.status, 401);
    assert.equal(
      refused.headers.get('www-authenticate'),
      `Bearer scope="search read", resource_metadata="${app.address}/.well-known/oauth-protected-resource/mcp"`,
    );
  });

  test('calls are charged to the key that signed in', async () => {
    const { access_token } = await getTokens(app, apiKey);
    const before = await app.billing.ledger.available(keyId);
    const call = { name: 'search', arguments: { query: 'how waders rest' } };
    const answer = await callMcp(app, access_token, { method: 'tools/call', params: call });
    assert.equal(answer.status, 200, answer.text);
    assert.equal(await app.billing.ledger.available(keyId), before - 1);
  });

  test('an application sees and uses only what it was granted', async () => {
    const { access_token, scope } = await getTokens(app, apiKey, { scope: 'read unknown' });
    assert.equal(scope, 'read');
    const { json } = await callMcp(app, access_token);
    const names = json.result.tools.map(({ name }: { name: string }) => name.replace(/^service_/, ''));
    assert.deepEqual(names, ['read', 'contents', 'map', 'crawl']);
    const refused = await callMcp(app, access_token, {
      method: 'tools/call',
      params: { name: 'search', arguments: { query: 'x' } },
    });
    assert.equal(refused.status, 403);
    assert.match(
      refused.headers.get('www-authenticate') ?? '',
      /^Bearer error="insufficient_scope", scope="search", resource_metadata=/,
    );
  });

  test('a new free key is shown, and signs in by a link', async () => {
    const clientId = await register(app);
    const { verifier, challenge } = createVerifier();
    const page = await postForm(app, '/oauth/authorize', {
      ...buildRequest(clientId, challenge),
      do: 'new',
    });
    assert.equal(page.status, 200, page.text);
    assert.match(page.text, /sdl_[\w-]{43}/);
    const [, code = ''] = /code=([\w-]{43})/.exec(page.text) ?? [];
    assert.equal((await exchange(app, { code, clientId, verifier })).status, 200);
    const again = await postForm(app, '/oauth/authorize', {
      ...buildRequest(clientId, challenge),
      do: 'new',
    });
    assert.equal(again.status, 409);
    assert.match(again.text, /already been issued/);
  });

  test('whoever cancels is sent back without a code', async () => {
    const clientId = await register(app);
    const { challenge } = createVerifier();
    const answer = await postForm(app, '/oauth/authorize', {
      ...buildRequest(clientId, challenge),
      do: 'deny',
    });
    const back = new URL(answer.headers.get('location') ?? '');
    assert.equal(back.searchParams.get('error'), 'access_denied');
    assert.equal(back.searchParams.get('iss'), app.address);
    assert.ok(back.href.startsWith(RETURN_TO));
  });

  test('a token ends by revocation, by its owner, by a rotation, and with its key', async () => {
    const own = await app.billing.keys.create({ credits: 100, label: null });
    const isGood = async (token: string): Promise<boolean> => (await callMcp(app, token)).status === 200;
    const revoked = await getTokens(app, own.apiKey);
    assert.equal((await postForm(app, '/oauth/revoke', { token: revoked.refresh_token })).status, 200);
    assert.equal(await isGood(revoked.access_token), false);
    const signedOut = await getTokens(app, own.apiKey);
    const [grant] = await app.billing.appGrants.ofAccount(own.keyId);
    assert.equal(grant?.name, 'A test');
    await app.billing.appGrants.endOwn(keyId, grant?.id ?? '');
    assert.equal(await isGood(signedOut.access_token), true, 'another account ended it');
    await app.billing.appGrants.endOwn(own.keyId, grant?.id ?? '');
    assert.equal(await isGood(signedOut.access_token), false);
    const rotated = await getTokens(app, own.apiKey);
    const { apiKey: next } = (await app.billing.keys.rotate(own.keyId, { overlapMs: 0 })) ?? { apiKey: '' };
    assert.equal(await isGood(rotated.access_token), false);
    const last = await getTokens(app, next);
    await app.billing.keys.revoke(own.keyId);
    assert.equal(await isGood(last.access_token), false);
  });

  test('no secret is stored as it is', async () => {
    const { access_token, refresh_token, code } = await getTokens(app, apiKey);
    const rows = JSON.stringify(
      await app.billing.ledgerStore.db.selectFrom('app_grant').selectAll().execute(),
    );
    for (const secret of [access_token, refresh_token, code]) assert.ok(!rows.includes(secret));
  });
});

test('a server without keys has no sign-in', async () => {
  const app = await serveReal({ METERING: 'off' });
  try {
    assert.equal((await app.get('/.well-known/oauth-protected-resource')).status, 404);
    assert.equal((await callMcp(app, null, { path: '/mcp?sign-in=1' })).status, 200);
  } finally {
    await app.close();
  }
});
