import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { type Served, serveScripted } from '../harness.ts';

/** What every client relies on when a call goes wrong before anybody has read it; C1 of the acceptance tests. */
let app: Served;
before(async () => {
  app = await serveScripted();
});
after(() => app.close());

const SHAPES: [prefix: string, errorOf: (json: never) => unknown][] = [
  ['/v1', ({ error }: { error: unknown }) => error],
  ['/shapeA', ({ error }: { error: unknown }) => error],
  ['/shapeB', ({ detail }: { detail: { error: unknown } }) => detail.error],
];

for (const [prefix, errorOf] of SHAPES) {
  const bad: [what: string, status: number, error: RegExp, method: string, path: string, body?: string][] = [
    ['an unknown route', 404, /^not_found$/, 'POST', '/websets', '{}'],
    ['a wrong method', 405, /^method_not_allowed$/, 'GET', '/search'],
    [
      'a body of 1.1 MB',
      413,
      /^request_too_large$/,
      'POST',
      '/search',
      `{"query":"${'x'.repeat(1_100_000)}"}`,
    ],
    ['malformed JSON', 422, /^validation_error/, 'POST', '/search', '{"query":'],
    ['no body', 422, /^validation_error/, 'POST', '/search', ''],
    ['a stream of text', 422, /^validation_error/, 'POST', '/search', 'query=q'],
  ];
  for (const [what, status, error, method, path, body] of bad)
    test(`${prefix}: ${what} is ${status} in JSON`, async () => {
      const response = await fetch(app.address + prefix + path, {
        method,
        ...(body === undefined ? {} : { body }),
      });
      assert.equal(response.status, status);
      assert.match(response.headers.get('content-type') ?? '', /^application\/json/);
      assert.match(String(errorOf((await response.json()) as never)), error);
    });
}
