import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createFetchFailure } from '../../contract/errors.ts';
import type { GuardedFetch } from '../../platform/net/fetch-types.ts';
import { createRobotsOfHosts, ROBOTS_HOSTS_MAX } from './host-robots.ts';

test('the answers of a bounded number of hosts are kept', async () => {
  const asked: string[] = [];
  const fetch: GuardedFetch = async ({ url }) => {
    asked.push(url);
    return { url, redirects: [], status: 404, headers: {}, body: new Uint8Array() };
  };
  const robotsOf = createRobotsOfHosts({ fetch, clock: { now: () => 0 } });
  const { signal } = new AbortController();
  const host = (place: number): string => `https://h${place}.example/`;
  for (let place = 0; place <= ROBOTS_HOSTS_MAX; place += 1) await robotsOf(host(place), signal);
  await robotsOf(host(ROBOTS_HOSTS_MAX), signal);
  assert.equal(asked.length, ROBOTS_HOSTS_MAX + 1);
  await robotsOf(host(0), signal);
  assert.equal(asked.length, ROBOTS_HOSTS_MAX + 2);
});

test('an answer is kept for a day, a failure for five seconds', async () => {
  const dayMs = 86_400_000;
  for (const [status, keptMs] of [
    [404, dayMs],
    [200, dayMs],
    [503, 5_000],
  ] as const) {
    let [now, asked] = [0, 0];
    const fetch: GuardedFetch = async ({ url }) => {
      asked += 1;
      return { url, redirects: [], status, headers: {}, body: new Uint8Array() };
    };
    const robotsOf = createRobotsOfHosts({ fetch, clock: { now: () => now } });
    const { signal } = new AbortController();
    await robotsOf('https://h.example/a', signal);
    now = keptMs - 1;
    await robotsOf('https://h.example/b', signal);
    assert.equal(asked, 1, `${status} is still kept`);
    now = keptMs;
    await robotsOf('https://h.example/b', signal);
    assert.equal(asked, 2, `${status} is asked for again`);
  }
});

test('files of 20,000 rules push each other out of memory', async () => {
  const asked: string[] = [];
  const body = new TextEncoder().encode(`User-agent: *\n${'Disallow: /0123456789\n'.repeat(20_000)}`);
  const fetch: GuardedFetch = async ({ url }) => {
    asked.push(url);
    return { url, redirects: [], status: 200, headers: {}, body };
  };
  const robotsOf = createRobotsOfHosts({ fetch, clock: { now: () => 0 } });
  const { signal } = new AbortController();
  for (let place = 0; place < 60; place += 1) await robotsOf(`https://h${place}.example/`, signal);
  await robotsOf('https://h59.example/', signal);
  assert.equal(asked.length, 60);
  await robotsOf('https://h0.example/', signal);
  assert.equal(asked.length, 61);
});

test('a caller who gives up does not end the question for the others, nor fail them for five seconds', async () => {
  const answer = Promise.withResolvers<void>();
  let asked = 0;
  const fetch: GuardedFetch = async ({ url, signal }) => {
    asked += 1;
    signal?.addEventListener('abort', () =>
      answer.reject(createFetchFailure('aborted', 'the fetch was cancelled')),
    );
    await answer.promise;
    return { url, redirects: [], status: 404, headers: {}, body: new Uint8Array() };
  };
  const robotsOf = createRobotsOfHosts({ fetch, clock: { now: () => 0 } });
  const [first, second] = [new AbortController(), new AbortController()];
  const given = robotsOf('https://h.example/a', first.signal);
  const kept = robotsOf('https://h.example/b', second.signal);
  first.abort(new Error('given up'));
  assert.deepEqual(await given, { reached: false, reason: 'aborted', retryAfterMs: null });
  answer.resolve();
  assert.equal((await kept).reached, true);
  assert.equal((await robotsOf('https://h.example/c', second.signal)).reached, true);
  assert.equal(asked, 1);
});
