import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { readAnswer } from '../../harness.ts';
import { type ChargedFixture, openChargedFixture } from '../calls/charged-service.ts';

let fixture: ChargedFixture;
before(async () => {
  fixture = await openChargedFixture(null, { trustProxy: 1, read: async () => readAnswer() });
});
after(() => fixture.close());

const WRONG: [method: string, path: string][] = [
  ['HEAD', '/r/https://example.org/'],
  ['DELETE', '/r/https://example.org/'],
  ['GET', '/v1/search'],
  ['HEAD', '/search'],
  ['DELETE', '/v1/contents'],
  ['PUT', '/findSimilar'],
  ['GET', '/shapeB/search'],
  ['GET', '/shapeB/crawl'],
  ['GET', '/v1/verify'],
];

describe('405 on a billable path costs nothing and tells what is left', () => {
  for (const [method, path] of WRONG) {
    test(`${method} ${path} with a key`, async () => {
      const { apiKey, keyId } = await fixture.billing.keys.create({ credits: 7, label: null });
      const answer = await send(method, path, { 'x-api-key': apiKey });
      assert.equal(answer.status, 405);
      assert.equal(answer.headers.get('x-credits-remaining'), '7');
      assert.equal(await fixture.billing.meter.remaining({ kind: 'key', keyId }), 7);
    });

    test(`${method} ${path} without a key`, async () => {
      const address = `198.51.100.${1 + WRONG.findIndex((one) => one[0] === method && one[1] === path)}`;
      for (let times = 0; times < 2; times++) {
        const answer = await send(method, path, { 'x-forwarded-for': address });
        assert.deepEqual([answer.status, answer.headers.get('x-credits-remaining')], [405, '25']);
      }
    });
  }

  test('an unknown key has nothing left', async () => {
    const answer = await send('GET', '/v1/search', { 'x-api-key': 'nobody' });
    assert.deepEqual([answer.status, answer.headers.get('x-credits-remaining')], [405, '0']);
  });

  for (const path of ['/v1/balance', '/healthz', '/v1/keys/free'])
    test(`${path} is free and tells nothing`, async () => {
      const answer = await send('DELETE', path, {});
      assert.deepEqual([answer.status, answer.headers.get('x-credits-remaining')], [405, null]);
    });
});

function send(method: string, path: string, headers: Record<string, string>): Promise<Response> {
  return fetch(fixture.served.address + path, { method, headers });
}
