import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { type Served, searchAnswer, serveScripted } from '../harness.ts';

let app: Served;
before(async () => {
  app = await serveScripted({ search: async () => searchAnswer() });
});
after(() => app.close());

const names = (list: string | null): string[] => (list ?? '').toLowerCase().split(', ');

describe('204: preflight', () => {
  for (const path of ['/v1/search', '/search', '/r/https://example.org/?q=1', '/shapeB/search', '/unknown'])
    test(path, async () => {
      const response = await fetch(app.address + path, {
        method: 'OPTIONS',
        headers: {
          origin: 'https://page.example',
          'access-control-request-method': 'POST',
          'access-control-request-headers': 'x-api-key,content-type',
        },
      });
      assert.equal(response.status, 204);
      assert.equal(response.headers.get('access-control-allow-origin'), '*');
      const methods = names(response.headers.get('access-control-allow-methods'));
      for (const method of ['get', 'post']) assert.ok(methods.includes(method));
      const allowed = names(response.headers.get('access-control-allow-headers'));
      for (const header of ['authorization', 'x-api-key', 'content-type', 'exa-beta', 'x-client-source'])
        assert.ok(allowed.includes(header), header);
      assert.ok(Number(response.headers.get('access-control-max-age')) >= 3_600);
      assert.equal(response.headers.get('access-control-allow-credentials'), null);
    });
});

describe('every answer may be read by a page of any origin', () => {
  const exposed = [
    'x-credits-remaining',
    'x-payment-url',
    'x-token-savings',
    'x-raw-tokens',
    'x-output-tokens',
    'x-request-id',
  ];
  const calls: [status: number, path: string, body?: unknown, headers?: Record<string, string>][] = [
    [200, '/v1/search', { query: 'q' }],
    [401, '/v1/search', { query: 'q' }, { 'x-api-key': 'nobody' }],
    [422, '/v1/search', {}],
    [413, '/v1/search', 'x'.repeat(1_100_000)],
    [404, '/nothing', {}],
    [405, '/healthz', {}],
    [500, '/v1/contents', { urls: ['https://example.org/'] }],
  ];
  for (const [status, path, body, headers] of calls)
    test(String(status), async () => {
      const answer = await app.post(path, body, { origin: 'https://page.example', ...headers });
      assert.equal(answer.status, status);
      assert.equal(answer.headers.get('access-control-allow-origin'), '*');
      const readable = names(answer.headers.get('access-control-expose-headers'));
      for (const header of exposed) assert.ok(readable.includes(header), header);
    });
});
