import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { type MovedClock, movedClock } from '../fixtures/moved-clock.ts';
import { startWeb } from '../fixtures/web.ts';
import { type RealServed, serveReal } from '../harness.ts';
import {
  buildRequest,
  callMcp,
  createVerifier,
  exchange,
  type Form,
  getTokens,
  postForm,
  RETURN_TO,
  register,
  signIn,
} from '../http/oauth/oauth-fixture.ts';

const EVIL = 'https://evil.example/callback';

describe('the sign-in of applications under attack', () => {
  let clock: MovedClock;
  let app: RealServed;
  let apiKey: string;
  before(async () => {
    clock = movedClock();
    app = await serveReal({ METERING: 'on', FETCH_ALLOW_PRIVATE: '127.10.0.0/16' }, { clock });
    ({ apiKey } = await app.billing.keys.create({ credits: 1_000, label: null }));
  });
  after(() => app.close());

  const begin = async (more: Form = {}) => {
    const clientId = await register(app);
    const { verifier, challenge } = createVerifier();
    const request = buildRequest(clientId, challenge, more);
    return { clientId, verifier, request, ...(await signIn(app, request, apiKey)) };
  };
  const refuses = async (answering: ReturnType<typeof exchange>, error: string): Promise<void> => {
    const { status, json } = await answering;
    assert.deepEqual([status, json.error], [400, error]);
  };

  test('a stolen code is of no use without its verifier, client and address, and is spent by the try', async () => {
    const other = await register(app, { client_name: 'Another' });
    const wrong: (() => Form)[] = [
      () => ({ code_verifier: createVerifier().verifier }),
      () => ({ client_id: other }),
      () => ({ redirect_uri: EVIL }),
    ];
    for (const change of wrong) {
      const { code, clientId, verifier } = await begin();
      await refuses(exchange(app, { code, clientId, verifier }, change()), 'invalid_grant');
      await refuses(exchange(app, { code, clientId, verifier }), 'invalid_grant');
    }
    const { code, clientId } = await begin();
    await refuses(exchange(app, { code, clientId, verifier: '' }), 'invalid_request');
  });

  test('no code without a challenge, and none for a plain one', async () => {
    const clientId = await register(app);
    const { challenge } = createVerifier();
    for (const change of [
      { code_challenge: '' },
      { code_challenge_method: 'plain' },
      { code_challenge: 'short' },
      { response_type: 'token' },
    ]) {
      const request = { ...buildRequest(clientId, challenge), ...change };
      const { status, headers } = await postForm(app, '/oauth/authorize', {
        ...request,
        key: apiKey,
        do: 'key',
      });
      const back = new URL(headers.get('location') ?? '');
      assert.deepEqual([status, back.searchParams.get('code')], [303, null]);
      assert.ok(back.searchParams.get('error'));
    }
  });

  test('a code counts once and for a minute; the second time ends what the first gave', async () => {
    const late = await begin();
    clock.advance(61_000);
    await refuses(exchange(app, late), 'invalid_grant');
    const tokens = await getTokens(app, apiKey);
    await refuses(exchange(app, tokens), 'invalid_grant');
    assert.equal((await callMcp(app, tokens.access_token)).status, 401);
  });

  test('a refresh token counts once, for its client; the second time ends the grant', async () => {
    const tokens = await getTokens(app, apiKey);
    const refresh = (token: string, clientId = tokens.clientId) =>
      postForm(app, '/oauth/token', {
        grant_type: 'refresh_token',
        refresh_token: token,
        client_id: clientId,
      });
    await refuses(
      refresh(tokens.refresh_token, await register(app, { client_name: 'Another' })),
      'invalid_grant',
    );
    const renewed = await refresh(tokens.refresh_token);
    assert.equal(renewed.status, 200);
    assert.equal((await callMcp(app, tokens.access_token)).status, 401, 'the old token lived on');
    await refuses(refresh(tokens.refresh_token), 'invalid_grant');
    assert.equal((await callMcp(app, renewed.json.access_token)).status, 401, 'the thief kept a token');
    await refuses(refresh(renewed.json.refresh_token), 'invalid_grant');
  });

  test('two exchanges at once give one set of tokens at most', async () => {
    const proof = await begin();
    const answers = await Promise.all([1, 2, 3, 4].map(() => exchange(app, proof)));
    assert.ok(answers.filter(({ status }) => status === 200).length <= 1);
  });

  test('no code goes to an address that the application has not named', async () => {
    const clientId = await register(app, { redirect_uris: ['https://good.example/cb', RETURN_TO] });
    const { challenge } = createVerifier();
    const spoofed = [
      EVIL,
      'https://good.example/cb/../evil',
      'https://good.example/cb?next=https://evil.example',
      'https://good.example.evil.example/cb',
      'https://good.example@evil.example/cb',
      'https://good.example/cb#x',
      'http://good.example/cb',
      'http://127.0.0.1.evil.example/callback',
      'http://127.0.0.1:9/callback/more',
      'http://localhost:9/callback',
      'javascript:alert(1)',
      '',
    ];
    for (const redirect_uri of spoofed) {
      const request = { ...buildRequest(clientId, challenge), redirect_uri };
      const shown = await app.get(`/oauth/authorize?${new URLSearchParams(request)}`);
      assert.deepEqual([shown.status, shown.headers.get('location')], [400, null], redirect_uri);
      const sent = await postForm(app, '/oauth/authorize', { ...request, key: apiKey, do: 'key' });
      assert.deepEqual([sent.status, sent.headers.get('location')], [400, null], redirect_uri);
    }
    const twice = `${new URLSearchParams(buildRequest(clientId, challenge))}&redirect_uri=${encodeURIComponent(EVIL)}`;
    assert.equal((await app.get(`/oauth/authorize?${twice}`)).status, 400);
    // RFC 8252: an application on this machine takes any free port.
    const port = { ...buildRequest(clientId, challenge), redirect_uri: 'http://127.0.0.1:4711/callback' };
    assert.equal((await app.get(`/oauth/authorize?${new URLSearchParams(port)}`)).status, 200);
  });

  test('no application registers an address that runs or shows something', async () => {
    for (const uri of [
      'javascript:alert(1)',
      'data:text/html,x',
      'http://evil.example/',
      'file:///etc/passwd',
      'https://a:b@c.example/',
      'nothing',
    ]) {
      const { status, json } = await app.post('/oauth/register', { redirect_uris: [uri] });
      assert.deepEqual([status, json.error], [400, 'invalid_redirect_uri'], uri);
    }
    for (const body of [
      '',
      '[]',
      '{',
      '{"redirect_uris":[]}',
      `{"redirect_uris":["${'https://a.example/'.repeat(2_000)}"]}`,
    ])
      assert.equal((await app.post('/oauth/register', body)).status, 400);
  });

  test('an id that this server has not signed is no client', async () => {
    const forged = Buffer.from(JSON.stringify({ kind: 'client', name: 'x', uris: [EVIL] })).toString(
      'base64url',
    );
    const signed = await register(app);
    for (const clientId of [`${forged}.${signed.split('.')[1]}`, forged, '', 'x'.repeat(10_000)]) {
      const request = { ...buildRequest(clientId, createVerifier().challenge), redirect_uri: EVIL };
      const { status } = await postForm(app, '/oauth/authorize', { ...request, key: apiKey, do: 'key' });
      assert.equal(status, 400);
    }
  });

  test('every answer names its issuer, against mix-up', async () => {
    const { back } = await begin();
    assert.equal(back.searchParams.get('iss'), app.address);
    assert.equal(back.searchParams.get('state'), 'a state');
  });

  test('a page of another site can neither send the form nor frame the page', async () => {
    const clientId = await register(app);
    const request = buildRequest(clientId, createVerifier().challenge);
    for (const headers of [
      { 'sec-fetch-site': 'cross-site' },
      { 'sec-fetch-site': 'same-site' },
      { origin: 'https://evil.example' },
    ] as Record<string, string>[])
      for (const act of ['key', 'new', 'deny']) {
        const { status } = await postForm(
          app,
          '/oauth/authorize',
          { ...request, key: apiKey, do: act },
          headers,
        );
        assert.equal(status, 403, JSON.stringify(headers));
      }
    const page = await app.get(`/oauth/authorize?${new URLSearchParams(request)}`);
    assert.equal(page.headers.get('x-frame-options'), 'DENY');
    assert.match(page.headers.get('content-security-policy') ?? '', /frame-ancestors 'none'/);
    assert.equal(page.headers.get('set-cookie'), null);
  });

  test('a token counts at /mcp alone, and none of another resource is issued', async () => {
    const { access_token, clientId } = await getTokens(app, apiKey, { scope: 'search read account' });
    const auth = { authorization: `Bearer ${access_token}` };
    assert.equal((await app.get('/v1/balance', auth)).status, 401);
    assert.equal((await app.post('/v1/search', { query: 'x' }, auth)).status, 401);
    assert.equal((await app.post('/v1/search', { query: 'x', api_key: access_token })).status, 401);
    const { verifier, challenge } = createVerifier();
    for (const resource of [
      'https://other.example/mcp',
      `${app.address}/v1`,
      app.address,
      'mcp',
      `${app.address}/mcp#x`,
    ]) {
      const request = buildRequest(clientId, challenge, { resource });
      const { headers } = await postForm(app, '/oauth/authorize', { ...request, key: apiKey, do: 'key' });
      assert.equal(
        new URL(headers.get('location') ?? '').searchParams.get('error'),
        'invalid_target',
        resource,
      );
    }
    const { code } = await signIn(app, buildRequest(clientId, challenge), apiKey);
    await refuses(
      exchange(app, { code, clientId, verifier }, { resource: 'https://other.example/mcp' }),
      'invalid_target',
    );
    assert.equal((await callMcp(app, `sdt_${'x'.repeat(43)}`)).status, 401);
  });

  test('keys are guessed a bounded number of times', async () => {
    const guessed = await serveReal({ METERING: 'on' });
    try {
      const clientId = await register(guessed);
      const request = buildRequest(clientId, createVerifier().challenge);
      const statuses = new Set<number>();
      for (let count = 0; count < 40; count++) {
        const { status } = await postForm(guessed, '/oauth/authorize', {
          ...request,
          key: `sdl_${count}`,
          do: 'key',
        });
        statuses.add(status);
      }
      assert.deepEqual([...statuses], [401, 429]);
    } finally {
      await guessed.close();
    }
  });

  test('a name is text, however it is written', async () => {
    const clientId = await register(app, {
      client_name: '<script>alert(1)</script>\u202Egood\n'.padEnd(900, 'x'),
    });
    const page = await app.get(
      `/oauth/authorize?${new URLSearchParams(buildRequest(clientId, createVerifier().challenge))}`,
    );
    assert.equal(page.status, 200);
    assert.ok(!page.text.includes('<script>alert') && !page.text.includes('\u202E'));
  });

  test('the document of a client is fetched by the guard, and speaks for its own address only', async () => {
    const web = await startWeb({ address: '127.0.0.1', routes: { '/client.json': '{}' } });
    const { challenge } = createVerifier();
    for (const clientId of [
      `https://127.0.0.1:${web.port}/client.json`,
      `https://localhost:${web.port}/client.json`,
      'https://169.254.169.254/latest/meta-data',
      'https://[::1]/client.json',
      'https://nowhere.invalid/client.json',
      'http://127.0.0.1/client.json',
    ]) {
      const request = buildRequest(clientId, challenge);
      assert.equal((await app.get(`/oauth/authorize?${new URLSearchParams(request)}`)).status, 400, clientId);
    }
    assert.equal(web.connections(), 0);
    await web.close();
  });
});
