import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { GuardedFetch } from '../../platform/net/fetch-types.ts';
import { createRobotsOfHosts, ROBOTS_HOSTS_MAX } from './robots-of-hosts.ts';

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
