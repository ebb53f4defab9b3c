import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { type FakeWeb, startWeb } from '../../../test/fixtures/web.ts';
import { createFetchFailure } from '../../contract/errors.ts';
import type { GuardedFetch } from '../../platform/net/fetch-types.ts';
import { createGuardedFetch, type GuardedNetwork } from '../../platform/net/guarded-fetch.ts';
import { createNamedFetch } from '../../platform/net/upstream-fetch.ts';
import { createRegistryRequests } from './registry-requests.ts';

const { signal } = new AbortController();

describe('requests to registries', () => {
  let web: FakeWeb;
  let other: FakeWeb;
  let guarded: GuardedNetwork;
  let named: Pick<GuardedNetwork, 'fetch' | 'close'>;
  let answers: ((response: import('node:http').ServerResponse) => void)[] = [];
  before(async () => {
    web = await startWeb({
      fallback: (_request, response) => {
        const answer = answers.shift();
        if (answer === undefined) response.end('ok');
        else answer(response);
      },
    });
    other = await startWeb({ routes: { '/': 'secret' } });
    guarded = createGuardedFetch();
    named = createNamedFetch({ dnsServers: [], egress: null, limits: {} });
  });
  after(async () => {
    await Promise.all([guarded.close(), named.close()]);
    await Promise.all([web.close(), other.close()]);
  });
  const create = (fetch: GuardedFetch = guarded.fetch, pauses: number[] = []) =>
    createRegistryRequests({
      fetch,
      fetchNamed: named.fetch,
      namedHosts: new Set([new URL(web.origin).host]),
      now: () => 0,
      pause: async (ms) => void pauses.push(ms),
    });

  test('a private address is reached on the hosts that the operator named, and on no other', async () => {
    const requests = create();
    assert.equal((await requests.get({ url: `${web.origin}/x`, signal })).body.toString(), 'ok');
    await assert.rejects(requests.get({ url: `${other.origin}/`, signal }), /not on the public network/);
  });

  test('a named host cannot send the request on to another private one', async () => {
    answers = [(response) => response.writeHead(302, { location: `${other.origin}/` }).end()];
    await assert.rejects(create().get({ url: `${web.origin}/x`, signal }));
  });

  test('a busy registry is asked again after the pause that it asks for; a failure that lasts names the host', async () => {
    const pauses: number[] = [];
    answers = [
      (response) => response.writeHead(429, { 'retry-after': '7' }).end(),
      (response) => response.writeHead(503).end(),
    ];
    const { status } = await create(guarded.fetch, pauses).get({ url: `${web.origin}/x`, signal });
    assert.deepEqual([status, pauses], [200, [7_000, 2_000]]);
    answers = Array.from({ length: 4 }, () => (response) => response.writeHead(500).end());
    await assert.rejects(
      create().get({ url: `${web.origin}/x`, signal }),
      /^Error: 127\.[\d.]+:\d+ answered 500$/,
    );
  });

  test('a host without an address is looked up once', async () => {
    let asked = 0;
    const requests = create(async () => {
      asked += 1;
      throw createFetchFailure('dns', 'the host does not exist');
    });
    for (const path of ['a', 'b'])
      await assert.rejects(
        requests.get({ url: `https://gone.example.org/${path}`, signal }),
        /gone\.example\.org/,
      );
    assert.equal(asked, 1);
  });
});
