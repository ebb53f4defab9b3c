import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { createLog } from '../../../src/platform/log.ts';
import { type Answered, type RealServed, serveReal } from '../../harness.ts';
import { type ConsoleClient, csrfIn, signIn, TOKEN } from './console-client.ts';

const PATHS = ['', '/sources', '/index', '/crawls', '/keys', '/payments', '/settings', '/log'].map(
  (path) => `/admin${path}`,
);
const FORM = { 'content-type': 'application/x-www-form-urlencoded' };
const lines: string[] = [];
const log = createLog('info', { write: (line) => void lines.push(line) });

describe("the operator's console", () => {
  let app: RealServed;
  let client: ConsoleClient;
  const clock = { at: Date.parse('2026-11-22T10:00:00Z'), now: () => clock.at };
  before(async () => {
    app = await serveReal({ ADMIN_TOKEN: TOKEN, LOG_LEVEL: 'info' }, { clock, log });
    client = await signIn(app);
  });
  after(() => app.close());

  const enter = (fields: Record<string, string>, headers: Record<string, string> = {}): Promise<Answered> =>
    app.post('/admin/sign-in', String(new URLSearchParams(fields)), { ...FORM, ...headers });

  test('without its token there is none', async () => {
    const without = await serveReal();
    for (const path of [...PATHS, '/admin/crawls/events'])
      assert.equal((await without.get(path)).status, 404, path);
    assert.equal((await without.post('/admin/sign-in', 'token=', FORM)).status, 404);
    await without.close();
  });

  test('every page asks for the token first and leads back to itself', async () => {
    for (const path of PATHS) {
      const { status, text, headers } = await app.get(path);
      assert.equal(status, 401, path);
      assert.match(text, new RegExp(`name="next" value="${path}"`));
      assert.equal(headers.get('cache-control'), 'no-store');
      assert.match(text, /<meta name="robots" content="noindex">/);
    }
    assert.equal((await app.get('/admin/crawls/events')).status, 403);
  });

  test('every page opens with a session, and none may be framed or kept', async () => {
    for (const path of PATHS) {
      const { status, text, headers } = await client.get(path);
      assert.equal(status, 200, path);
      assert.equal(headers.get('cache-control'), 'no-store');
      assert.equal(headers.get('x-frame-options'), 'DENY');
      assert.match(headers.get('content-security-policy') ?? '', /default-src 'none'/);
      assert.ok(text.includes('aria-current="page"'), path);
      assert.ok(!text.includes(TOKEN), path);
    }
  });

  test('the cookie holds a session, not the token, and no script can read it', async () => {
    const { headers } = await enter({ token: TOKEN });
    const cookie = headers.get('set-cookie') ?? '';
    assert.match(
      cookie,
      /^sanderling_admin=[\w-]{43}; Path=\/admin; Max-Age=43200; HttpOnly; SameSite=Strict$/,
    );
    const secure = await enter({ token: TOKEN }, { 'x-forwarded-proto': 'https' });
    assert.match(secure.headers.get('set-cookie') ?? '', /; Secure$/);
  });

  test('after signing in only pages of the console are led to', async () => {
    const places = {
      '/admin/keys?id=key_1': '/admin/keys?id=key_1',
      'https://evil.example.org/': '/admin',
      '//evil.example.org/admin': '/admin',
      '/admin/../v1/search': '/admin',
      '/account': '/admin',
      '/admin\r\nSet-Cookie: x=1': '/admin',
    };
    for (const [next, to] of Object.entries(places)) {
      const { status, headers } = await enter({ token: TOKEN, next });
      assert.deepEqual([status, headers.get('location')], [303, to], next);
    }
  });

  test('a form without the token of its session does nothing', async () => {
    const other = await signIn(app);
    const page = await other.get('/admin/keys');
    const fields = { do: 'create', credits: '5' };
    const send = (more: Record<string, string>, headers: Record<string, string> = {}): Promise<Answered> =>
      app.post('/admin/keys', String(new URLSearchParams({ ...fields, ...more })), {
        ...FORM,
        cookie: client.cookie,
        ...headers,
      });
    const own = csrfIn((await client.get('/admin/keys')).text);
    assert.equal((await send({})).status, 403);
    assert.equal((await send({ csrf: csrfIn(page.text) })).status, 403);
    assert.equal((await send({ csrf: own }, { origin: 'https://evil.example.org' })).status, 403);
    assert.equal((await send({ csrf: own }, { 'sec-fetch-site': 'cross-site' })).status, 403);
    // As a browser sends a form of another page: followed like a link, and some leave the origin out.
    const form = {
      'sec-fetch-site': 'cross-site',
      'sec-fetch-mode': 'navigate',
      'sec-fetch-dest': 'document',
    };
    assert.equal((await send({ csrf: own }, form)).status, 403);
    for (const name of ['nothing', '__proto__', 'constructor', 'toString'])
      assert.equal((await send({ csrf: own, do: name })).status, 422, name);
    assert.deepEqual(await app.billing.keys.list(10), []);
    assert.equal((await send({ csrf: own }, { cookie: '' })).status, 401);
  });

  test('a session ends by signing out, by idling and after twelve hours', async () => {
    const leaving = await signIn(app);
    const csrf = csrfIn((await leaving.get('/admin')).text);
    const leave = (body: string): Promise<Answered> =>
      app.post('/admin/sign-out', body, { ...FORM, cookie: leaving.cookie });
    assert.equal((await leave('')).status, 403);
    const left = await leave(String(new URLSearchParams({ csrf })));
    assert.match(left.headers.get('set-cookie') ?? '', /^sanderling_admin=; Path=\/admin; Max-Age=0/);
    assert.equal((await leaving.get('/admin')).status, 401);

    const idle = await signIn(app);
    clock.at += 61 * 60_000;
    assert.equal((await idle.get('/admin')).status, 401);
    const busy = await signIn(app);
    for (let hour = 0; hour < 14; hour++) {
      clock.at += 50 * 60_000;
      assert.equal((await busy.get('/admin')).status, 200, `after ${hour + 1} spans`);
    }
    clock.at += 50 * 60_000;
    assert.equal((await busy.get('/admin')).status, 401);
  });

  test('wrong tokens are refused, counted and entered; the right one then has to wait too', async () => {
    for (let tried = 0; tried < 10; tried++) {
      const { status, text } = await enter({ token: `wrong-${tried}` });
      assert.equal(status, 401);
      assert.match(text, /This is not the token/);
    }
    assert.equal((await enter({ token: TOKEN })).status, 429);
    clock.at += 16 * 60_000;
    const again = await signIn(app);
    const { text } = await again.get('/admin/log');
    assert.equal(text.match(/refused: wrong token/g)?.length, 10);
  });

  test('actions leave a line in the log, without secrets', () => {
    const actions = lines
      .map((line) => JSON.parse(line))
      .filter(({ msg }) => msg === 'action of the operator');
    assert.ok(actions.some(({ action, outcome }) => action === 'sign in' && outcome === 'done'));
    assert.ok(!lines.join('').includes(TOKEN));
    assert.ok(!lines.join('').includes(client.cookie.split('=')[1] ?? '-'));
  });

  test('looking at the head of a page takes nothing away', async () => {
    const looking = await signIn(app);
    const { headers } = await looking.send('/admin/keys', { do: 'create', credits: '1' });
    const head = await fetch(app.address + headers.get('location'), {
      method: 'HEAD',
      headers: { cookie: looking.cookie },
    });
    assert.equal(head.status, 405);
    assert.match((await looking.get('/admin/keys')).text, /sdl_[\w-]{43}/);
  });

  test('a proxy that hides the host name is no other site', async () => {
    const behind = await serveReal({ ADMIN_TOKEN: TOKEN, BASE_URL: 'https://search.example.org' });
    const send = (origin: string): Promise<Answered> =>
      behind.post('/admin/sign-in', `token=${TOKEN}`, { ...FORM, origin });
    assert.equal((await send('https://search.example.org')).status, 303);
    assert.equal((await send('https://evil.example.org')).status, 403);
    await behind.close();
  });

  test('it is named nowhere else', async () => {
    for (const path of [
      '/',
      '/docs',
      '/pricing',
      '/llms.txt',
      '/openapi.json',
      '/robots.txt',
      '/sitemap.xml',
    ])
      assert.ok(!(await app.get(path)).text.includes('/admin'), path);
  });
});
