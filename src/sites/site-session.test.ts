import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { Failure } from '../contract/errors.ts';
import type { FetchedResponse, FetchRequest, GuardedFetch } from '../platform/net/fetch-types.ts';
import { parseCookiesFile } from './cookies.ts';
import type { Credentials } from './private-site-types.ts';
import { createSiteSession } from './site-session.ts';

const HOST = 'https://intranet.example';
const NOW = Date.UTC(2026, 10, 28);

type Answer = { status?: number; body?: string; headers?: Record<string, string>; url?: string };

/** A network that answers by a function, and records what it was asked. */
function playNetwork(answer: (request: FetchRequest) => Answer): {
  fetch: GuardedFetch;
  asked: FetchRequest[];
} {
  const asked: FetchRequest[] = [];
  return {
    asked,
    fetch: async (request): Promise<FetchedResponse> => {
      asked.push(request);
      const { status = 200, body = 'page', headers = {}, url = request.url } = answer(request);
      return { url, status, headers, redirects: [], body: new Uint8Array(new TextEncoder().encode(body)) };
    },
  };
}

const openSession = (
  credentials: Credentials,
  fetch: GuardedFetch,
  clock: { now(): number } = { now: () => NOW },
): ReturnType<typeof createSiteSession> =>
  createSiteSession({ credentials, origins: [HOST] }, { fetch, clock });

const cookieOf = ({ ownHeaders }: FetchRequest): string | undefined => ownHeaders?.cookie;

describe('a form', () => {
  const FORM = `<form action="/search"><input name="q"></form>
    <form method=post action="/session"><input type="hidden" name="csrf" value="a&amp;b"><input name='user'>
    <input type="password" name="pass"></form>`;
  const credentials: Credentials = {
    method: 'form',
    url: `${HOST}/login`,
    fields: { user: 'ann', pass: 'sesame' },
  };
  const playSite = (isRight: (body: URLSearchParams) => boolean) => {
    let session = 0;
    const network = playNetwork((request) => {
      const { url, body } = request;
      if (url === `${HOST}/login`) return { body: FORM, headers: { 'set-cookie': 'before=1; Path=/' } };
      if (body !== undefined && !isRight(new URLSearchParams(String(body))))
        return { status: 200, body: FORM };
      if (body !== undefined) {
        session += 1;
        return { status: 302, headers: { 'set-cookie': `id=s${session}; HttpOnly\nbefore=; Max-Age=0` } };
      }
      return cookieOf(request) === `id=s${session}`
        ? { body: 'secret' }
        : { body: FORM, url: `${HOST}/login` };
    });
    const end = (): void => {
      session += 1;
    };
    return { ...network, end };
  };
  const isAnn = (body: URLSearchParams): boolean =>
    body.get('csrf') === 'a&b' && body.get('user') === 'ann' && body.get('pass') === 'sesame';

  test('is filled in once, with its hidden fields, for many pages', async () => {
    const { fetch, asked } = playSite(isAnn);
    const session = openSession(credentials, fetch);
    const read = await Promise.all(['a', 'b', 'c'].map((slug) => session.fetch({ url: `${HOST}/${slug}` })));
    assert.deepEqual(
      read.map(({ body }) => new TextDecoder().decode(body)),
      ['secret', 'secret', 'secret'],
    );
    const [post, ...others] = asked.filter(({ body }) => body !== undefined);
    assert.equal(others.length, 0);
    assert.equal(post?.url, `${HOST}/session`);
    assert.equal(cookieOf(post), 'before=1');
  });

  test('is filled in again when the site has ended the session', async () => {
    const site = playSite(isAnn);
    const session = openSession(credentials, site.fetch);
    await session.fetch({ url: `${HOST}/a` });
    site.end();
    const { body } = await session.fetch({ url: `${HOST}/b` });
    assert.equal(new TextDecoder().decode(body), 'secret');
  });

  test('with a wrong password is not tried again for a quarter of an hour', async () => {
    const { fetch, asked } = playSite(() => false);
    let now = NOW;
    const session = openSession(credentials, fetch, { now: () => now });
    const read = (): Promise<unknown> => session.fetch({ url: `${HOST}/a` });
    const countPosts = (): number => asked.filter(({ body }) => body !== undefined).length;
    for (let time = 0; time < 3; time += 1)
      await assert.rejects(read, (error) => error instanceof Failure && !error.message.includes('sesame'));
    assert.equal(countPosts(), 1);
    now += 900_001;
    await assert.rejects(read);
    assert.equal(countPosts(), 2);
  });

  test('that a site accepts without signing in is not sent again and again', async () => {
    const { fetch, asked } = playNetwork(({ url, body }) =>
      body === undefined
        ? { body: FORM, url: `${HOST}/login`, headers: { 'set-cookie': `at=${url.length}` } }
        : { status: 302 },
    );
    const session = openSession(credentials, fetch);
    for (let time = 0; time < 3; time += 1)
      await assert.rejects(() => session.fetch({ url: `${HOST}/a` }), /sign-in/);
    assert.equal(asked.filter(({ body }) => body !== undefined).length, 2);
  });

  test('that sends to another host gets no password', async () => {
    const { fetch, asked } = playNetwork(() => ({
      body: FORM.replace('/session', 'https://evil.example/steal'),
    }));
    await assert.rejects(() => openSession(credentials, fetch).fetch({ url: `${HOST}/a` }), /another host/);
    assert.ok(!asked.some(({ body }) => body !== undefined));
  });

  test('on a page that leads to another host gets no password', async () => {
    const { fetch, asked } = playNetwork(() => ({ body: FORM, url: 'https://evil.example/login' }));
    await assert.rejects(() => openSession(credentials, fetch).fetch({ url: `${HOST}/a` }), /another host/);
    assert.ok(!asked.some(({ body }) => body !== undefined));
  });
});

describe('cookies', () => {
  const FILE = [
    '# Netscape HTTP Cookie File',
    '#HttpOnly_.intranet.example\tTRUE\t/\tTRUE\t0\tid\tone',
    'intranet.example\tFALSE\t/docs\tFALSE\t4102444800\tdocs\ttwo',
    'intranet.example\tFALSE\t/\tFALSE\t1\told\tthree',
    '.other.example\tTRUE\t/\tFALSE\t0\tforeign\tfour',
  ].join('\n');

  test('go where browsers send them', async () => {
    const cookies = parseCookiesFile(FILE);
    assert.ok(Array.isArray(cookies));
    const { fetch, asked } = playNetwork(() => ({}));
    const session = openSession({ method: 'cookies', cookies }, fetch);
    for (const path of ['/docs/a', '/docsearch']) await session.fetch({ url: `${HOST}${path}` });
    assert.deepEqual(asked.map(cookieOf), ['id=one; docs=two', 'id=one']);
  });

  test('of a file that is none are refused by the line', () => {
    assert.deepEqual(parseCookiesFile(`${FILE}\n{"json": true}`), { problem: 6 });
    assert.deepEqual(parseCookiesFile('a.example\tFALSE\t/\tFALSE\t0\tid\tone; two'), { problem: 1 });
  });
});

test('a page that leads to a host without the credentials fails', async () => {
  const { fetch } = playNetwork(() => ({ url: 'https://sso.example/login' }));
  const session = openSession({ method: 'headers', headers: { authorization: 'x' } }, fetch);
  await assert.rejects(() => session.fetch({ url: `${HOST}/a` }), /does not name/);
});

describe('public interfaces', () => {
  const read = async (
    credentials: Extract<Credentials, { token: string }>,
    url: string,
    body: string,
  ): Promise<{ asked: string; own: Record<string, string>; text: string; type: string } | null> => {
    const { fetch, asked } = playNetwork(() => ({ body }));
    const origins = [new URL(url).origin];
    const session = createSiteSession({ credentials, origins }, { fetch, clock: { now: () => NOW } });
    if (!session.covers(new URL(url))) return null;
    const response = await session.fetch({ url });
    assert.equal(response.url, url);
    const [request] = asked;
    assert.ok(request !== undefined);
    const text = new TextDecoder().decode(response.body);
    return {
      asked: request.url,
      own: request.ownHeaders ?? {},
      text,
      type: response.headers['content-type'] ?? '',
    };
  };

  test('of Confluence give pages, on servers and in the cloud', async () => {
    const json = JSON.stringify({ title: 'Pay & go', body: { view: { value: '<p>On Fridays.</p>' } } });
    const cloud = await read(
      { method: 'confluence', token: 't', user: 'ann@example.com' },
      'https://acme.atlassian.net/wiki/spaces/HR/pages/123/Pay',
      json,
    );
    assert.equal(cloud?.asked, 'https://acme.atlassian.net/wiki/rest/api/content/123?expand=body.view');
    assert.equal(cloud.own.authorization, `Basic ${btoa('ann@example.com:t')}`);
    assert.match(cloud.text, /<h1>Pay &amp; go<\/h1><p>On Fridays/);
    const server = await read(
      { method: 'confluence', token: 't', user: null },
      'https://wiki.example/display/HR/Pay+day',
      JSON.stringify({ results: [JSON.parse(json)] }),
    );
    assert.equal(
      server?.asked,
      'https://wiki.example/rest/api/content?spaceKey=HR&title=Pay+day&expand=body.view',
    );
    assert.equal(server.own.authorization, 'Bearer t');
  });

  test('of GitHub give files and issues; other pages are read as ever', async () => {
    const token = { method: 'github', token: 't', user: null } as const;
    const file = await read(token, 'https://github.com/acme/app/blob/main/docs/a.md', '# Hi');
    assert.equal(file?.asked, 'https://api.github.com/repos/acme/app/contents/docs/a.md?ref=main');
    assert.match(file.type, /markdown/);
    const issue = await read(
      token,
      'https://github.com/acme/app/issues/7',
      JSON.stringify({ title: 'It breaks', body: 'On start.' }),
    );
    assert.equal(issue?.text, '# It breaks\n\nOn start.\n');
    assert.equal(await read(token, 'https://github.com/acme/app/actions', ''), null);
    const own = await read(token, 'https://git.acme.example/acme/app/blob/main/a.ts', 'let a;');
    assert.equal(own?.asked, 'https://git.acme.example/api/v3/repos/acme/app/contents/a.ts?ref=main');
  });

  test('of GitLab give files, issues and wikis', async () => {
    const token = { method: 'gitlab', token: 't', user: null } as const;
    const file = await read(token, 'https://gitlab.com/acme/team/app/-/blob/main/docs/a.md', '# Hi');
    assert.equal(
      file?.asked,
      'https://gitlab.com/api/v4/projects/acme%2Fteam%2Fapp/repository/files/docs%2Fa.md/raw?ref=main',
    );
    assert.equal(file.own['private-token'], 't');
    const wiki = await read(
      token,
      'https://gitlab.com/acme/app/-/wikis/home',
      JSON.stringify({ title: 'Home', content: 'Welcome.' }),
    );
    assert.equal(wiki?.text, '# Home\n\nWelcome.\n');
  });
});
