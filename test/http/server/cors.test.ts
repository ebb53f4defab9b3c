import assert from 'node:assert/strict';
import { type IncomingHttpHeaders, request } from 'node:http';
import { after, before, describe, test } from 'node:test';
import { type Served, searchAnswer, serveScripted } from '../../harness.ts';
import { exposureOf, UNSCRIPTED_KEYS } from '../../unscripted.ts';

const FOREIGN = 'https://page.example';
const PUBLIC = 'search.example.org';

type Answer = { status: number; headers: IncomingHttpHeaders; text: string };
type Sent = { path: string; method?: string; body?: string; headers?: Record<string, string> };

const BASE = { baseUrl: `https://${PUBLIC}` };

let app: Served;
before(async () => {
  app = await serveScripted({
    search: async () => searchAnswer(),
    sourceReadings: () => [],
    publicUrls: [`https://${PUBLIC}`],
    metrics: { text: async () => ({ contentType: 'text/plain', body: '' }) },
  });
});
after(() => app.close());

/** As a browser asks: by a name of the test's choice, which `fetch` would not let through. */
function ask(
  { path, method = 'GET', body = '', headers = {} }: Sent,
  { address }: Pick<Served, 'address'> = app,
): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const sent = request(address + path, { method, headers }, (response) => {
      let text = '';
      response.setEncoding('utf8');
      response.on('data', (part: string) => {
        text += part;
      });
      response.on('end', () =>
        resolve({ status: response.statusCode ?? 0, headers: response.headers, text }),
      );
    });
    sent.on('error', reject);
    sent.end(method === 'POST' ? body : undefined);
  });
}

const names = (list: unknown): string[] =>
  String(list ?? '')
    .toLowerCase()
    .split(', ');
const preflight = (path: string, host: string): Promise<Answer> =>
  ask({
    path,
    method: 'OPTIONS',
    headers: {
      host,
      origin: FOREIGN,
      'access-control-request-method': 'POST',
      'access-control-request-headers': 'x-api-key,content-type',
    },
  });

const OPEN = [
  '/v1/search',
  '/search',
  '/r/https://example.org/?q=1',
  '/shapeB/search',
  '/mcp',
  '/openapi.json',
];
const CLOSED: [method: string, path: string][] = [
  ['GET', '/v1/balance'],
  ['POST', '/v1/billing/auto-reload'],
  ['POST', '/v1/keys/free'],
  ['GET', '/metrics'],
  ['GET', '/healthz'],
  ['GET', '/success'],
  ['GET', '/account'],
  ['POST', '/account'],
  ['GET', '/pricing'],
  ['GET', '/docs'],
  ['GET', '/buy/nothing'],
  ['POST', '/webhooks/stripe'],
  ['GET', '/'],
  ['GET', '/unknown'],
];

describe('a public service: any page may search and read', () => {
  for (const path of OPEN)
    test(`204: preflight of ${path}`, async () => {
      const { status, headers } = await preflight(path, PUBLIC);
      assert.equal(status, 204);
      assert.equal(headers['access-control-allow-origin'], '*');
      for (const method of ['get', 'post'])
        assert.ok(names(headers['access-control-allow-methods']).includes(method));
      const allowed = names(headers['access-control-allow-headers']);
      for (const header of ['authorization', 'x-api-key', 'content-type', 'exa-beta', 'x-client-source'])
        assert.ok(allowed.includes(header), header);
      assert.ok(Number(headers['access-control-max-age']) >= 3_600);
      assert.equal(headers['access-control-allow-credentials'], undefined);
    });

  const exposed = [
    ...['x-credits-remaining', 'x-payment-url', 'x-token-savings', 'x-raw-tokens'],
    ...['x-output-tokens', 'x-reader-route', 'x-request-id', 'x-cache', 'retry-after'],
  ];
  const calls: [status: number, path: string, body: string, headers?: Record<string, string>][] = [
    [200, '/v1/search', '{"query": "q"}'],
    [401, '/v1/search', '{"query": "q"}', { 'x-api-key': 'nobody' }],
    [422, '/v1/search', '{}'],
    [413, '/v1/search', 'x'.repeat(1_100_000)],
    [500, '/v1/contents', '{"urls": ["https://example.org/"]}'],
  ];
  for (const [status, path, body, more] of calls)
    test(`the answer ${status} may be read`, async () => {
      const headers = { host: PUBLIC, origin: FOREIGN, ...more };
      const answer = await ask({ path, method: 'POST', body, headers });
      assert.equal(answer.status, status);
      assert.equal(answer.headers['access-control-allow-origin'], '*');
      const readable = names(answer.headers['access-control-expose-headers']);
      for (const header of exposed) assert.ok(readable.includes(header), header);
    });

  test('405 of a priced path may be read', async () => {
    const answer = await ask({ path: '/search', headers: { host: PUBLIC, origin: FOREIGN } });
    assert.deepEqual([answer.status, answer.headers['access-control-allow-origin']], [405, '*']);
  });
});

test('a path is the same path with its letters escaped', async () => {
  const { status, headers } = await preflight('/%6Dcp', PUBLIC);
  assert.deepEqual([status, headers['access-control-allow-origin']], [204, '*']);
});

describe('accounts, keys, figures and pages are for no foreign script', () => {
  for (const [method, path] of CLOSED) {
    test(`${method} ${path}`, async () => {
      const answer = await ask({ path, method, headers: { host: PUBLIC, origin: FOREIGN } });
      // A page of another site may not sign a person in to an account of its own, nor take the free key of the visitor's network.
      const isRefused = method === 'POST' && ['/account', '/v1/keys/free'].includes(path);
      assert.equal(answer.status === 403, isRefused);
      assertClosed(answer);
    });

    test(`preflight of ${path}`, async () => {
      const answer = await preflight(path, PUBLIC);
      assert.ok(answer.status >= 400, String(answer.status));
      assertClosed(answer);
    });
  }
});

describe('a server of this machine: foreign pages get nothing', () => {
  const all: [method: string, path: string][] = [
    ...OPEN.map((path): [string, string] => ['POST', path]),
    ...CLOSED,
    ['GET', '/r/https://example.org/'],
    ['GET', '/v1/sources'],
  ];
  const local = '127.0.0.1:8080';
  for (const [method, path] of all) {
    const isSecond = path.startsWith('/shapeB');
    test(`403: ${method} ${path} from another origin`, async () => {
      const answer = await ask({ path, method, body: '{}', headers: { host: local, origin: FOREIGN } });
      assert.equal(answer.status, 403);
      assertClosed(answer);
      if (isSecond) assert.deepEqual(JSON.parse(answer.text), { detail: { error: 'forbidden' } });
      else assert.match(answer.text, /BASE_URL/);
    });

    test(`403: ${method} ${path} as an image of another site`, async () => {
      const headers = {
        'sec-fetch-site': 'cross-site',
        'sec-fetch-mode': 'no-cors',
        'sec-fetch-dest': 'image',
      };
      assert.equal(
        (await ask({ path, method, body: '{}', headers: { host: local, ...headers } })).status,
        403,
      );
    });

    test(`403: ${method} ${path} by a name that was pointed here`, async () => {
      const host = 'rebound.example.com:8080';
      const answer = await ask({ path, method, body: '{}', headers: { host, origin: `http://${host}` } });
      assert.equal(answer.status, 403);
      assert.equal((await ask({ path, method, body: '{}', headers: { host } })).status, 403);
    });

    test(`403: preflight of ${path}`, async () => {
      const answer = await preflight(path, local);
      assert.equal(answer.status, 403);
      assertClosed(answer);
    });
  }

  test('a refused call counts for nobody, and tells what is left', async () => {
    const headers = { host: local, origin: FOREIGN };
    const answer = await ask({ path: '/v1/search', method: 'POST', body: '{"query":"q"}', headers });
    assert.equal(answer.headers['x-credits-remaining'], '1');
  });

  for (const origin of ['http://localhost:3000', 'http://127.0.0.1', 'http://app.localhost:5173'])
    test(`200 from a page of this machine: ${origin}`, async () => {
      const headers = { host: local, origin };
      const answer = await ask({ path: '/v1/search', method: 'POST', body: '{"query":"q"}', headers });
      assert.equal(answer.status, 200);
      assert.equal(answer.headers['access-control-allow-origin'], '*');
    });

  test('200 for a person who follows a link to a page', async () => {
    const followed = {
      'sec-fetch-site': 'cross-site',
      'sec-fetch-mode': 'navigate',
      'sec-fetch-dest': 'document',
    };
    assert.equal((await ask({ path: '/account', headers: { host: local, ...followed } })).status, 200);
  });
});

describe('a public name, but the server does for a page what the page cannot do itself', () => {
  const OWN_APP = 'https://app.example.net';
  const unusual: [what: string, given: Parameters<typeof exposureOf>[0]][] = [
    ['it reads private networks', { fetchAllowPrivate: ['10.0.0.0/8'] }],
    ['it is not metered', { metering: false }],
  ];
  for (const [what, given] of unusual)
    describe(what, () => {
      let guarded: Served;
      before(async () => {
        guarded = await serveScripted({
          search: async () => searchAnswer(),
          publicUrls: [`https://${PUBLIC}`],
          exposure: exposureOf({ ...BASE, host: '0.0.0.0', allowedOrigins: [OWN_APP], ...given }),
        });
      });
      after(() => guarded.close());
      const status = async (headers: Record<string, string>, path = '/v1/search') =>
        (
          await ask(
            { path, method: 'POST', body: '{"query":"q"}', headers: { host: PUBLIC, ...headers } },
            guarded,
          )
        ).status;

      for (const path of [...OPEN, '/v2/batch/scrape'])
        test(`403: a foreign page calls ${path}`, async () => {
          assert.equal(await status({ origin: FOREIGN }, path), 403);
          assert.equal(await status({ origin: 'null' }, path), 403);
          assert.equal(
            await status({ 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'no-cors' }, path),
            403,
          );
        });

      test('403 by a name that was pointed here', async () => {
        assert.equal(await status({ host: 'rebound.example.com' }), 403);
      });

      test('200 for programs, its own pages and the origins that the operator allows', async () => {
        assert.equal(await status({}), 200);
        assert.equal(await status({ origin: `https://${PUBLIC}`, 'sec-fetch-site': 'same-origin' }), 200);
        assert.equal(await status({ origin: OWN_APP, 'sec-fetch-site': 'cross-site' }), 200);
      });
    });
});

test('POST /v1/keys/free: programs and its own pages may claim the key', async () => {
  const claiming = await serveScripted({
    publicUrls: [`https://${PUBLIC}`],
    exposure: exposureOf({ ...BASE, host: '0.0.0.0' }),
    keys: { ...UNSCRIPTED_KEYS, claimFree: async () => ({ keyId: 'id', apiKey: 'key', credits: 2_500 }) },
  });
  try {
    const claim = async (headers: Record<string, string>) =>
      (await ask({ path: '/v1/keys/free', method: 'POST', headers: { host: PUBLIC, ...headers } }, claiming))
        .status;
    assert.equal(await claim({}), 200);
    assert.equal(await claim({ origin: `https://${PUBLIC}`, 'sec-fetch-site': 'same-origin' }), 200);
    assert.equal(await claim({ origin: FOREIGN }), 403);
    assert.equal(await claim({ origin: 'null' }), 403);
    assert.equal(await claim({ 'sec-fetch-site': 'cross-site' }), 403);
  } finally {
    await claiming.close();
  }
});

function assertClosed({ headers }: Answer): void {
  const cors = Object.keys(headers).filter((name) => name.startsWith('access-control-'));
  assert.deepEqual(cors, []);
}
