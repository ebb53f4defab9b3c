import assert from 'node:assert/strict';
import { beforeEach, describe, test } from 'node:test';
import { createFetchFailure } from '../../contract/errors.ts';
import type { FetchRequest, GuardedFetch } from '../../platform/net/fetch-types.ts';
import { readQuery } from '../../text/query/read-query.ts';
import type { SourceAnswer, SourceSpec } from '../source.ts';
import { createUpstream } from './create-upstream.ts';
import { createAnswerCache } from './shared-sources.ts';
import type { Upstream, UpstreamQuery } from './upstream-types.ts';

describe('a source at work', () => {
  let now = 0;
  let calls: FetchRequest[] = [];
  /** What the source answers to the calls, in turn; the last is said again. */
  let script: (SourceAnswer | Error | Promise<SourceAnswer>)[] = [];
  beforeEach(() => {
    now = 1_000_000;
    calls = [];
    script = [found('one')];
  });

  function found(...names: string[]): SourceAnswer {
    const items = names.map((name) => ({
      url: `https://${name}.org/`,
      title: name,
      snippet: '',
      publishedDay: null,
    }));
    return { kind: 'ok', items, proven: true, quotaLeft: 41 };
  }
  const nothing = (proven: boolean): SourceAnswer => ({ kind: 'ok', items: [], proven, quotaLeft: null });
  const reset = (): Error =>
    createFetchFailure('protocol', 'broken off', {
      cause: Object.assign(new Error('reset'), { code: 'ECONNRESET' }),
    });

  const spec: SourceSpec = {
    name: 'plain',
    about: 'for tests',
    scope: 'web',
    hosts: null,
    terms: { url: 'https://plain.org/terms', note: 'none' },
    needsConsent: false,
    key: null,
    base: { setting: 'PLAIN_URL', standard: null },
    rate: { calls: 1_000, perMs: 1_000, atOnce: 100 },
    queryMax: { chars: 40, words: null },
    fit: () => 1,
    request: ({ query, page = 0 }, { baseUrl }) => ({
      url: `${baseUrl}/?q=${query.text}&p=${page}`,
      headers: {},
    }),
    read: ({ body }) => JSON.parse(body) as SourceAnswer,
    mayBeCached: true,
  };

  const fetch: GuardedFetch = async (request) => {
    calls.push(request);
    const said = await script[Math.min(calls.length, script.length) - 1];
    if (said instanceof Error) throw said;
    const body = new TextEncoder().encode(JSON.stringify(said));
    return { url: request.url, status: 200, headers: {}, redirects: [], body };
  };

  function start(parts: Partial<SourceSpec> = {}): Upstream {
    const clock = { now: () => now };
    const settings = { baseUrl: 'https://plain.org', key: null, userAgent: 'test', contact: null };
    return createUpstream({ ...spec, ...parts }, { settings, fetch, clock, cache: createAnswerCache(clock) });
  }
  const query = (text: string): UpstreamQuery => ({
    query: readQuery(text),
    limit: 10,
    page: 0,
    includeDomains: [],
    excludeDomains: [],
    publishedFrom: null,
    publishedTo: null,
  });

  describe('answers', () => {
    test('are kept: fresh for five minutes, and used for six hours when the source fails', async () => {
      const source = start();
      assert.partialDeepStrictEqual(await source.ask(query('knot')), { ok: true, cache: 'miss' });
      assert.partialDeepStrictEqual(await source.ask(query('knot')), { ok: true, cache: 'hit' });
      assert.equal(calls.length, 1);
      now += 300_001;
      script = [createFetchFailure('connect', 'down')];
      assert.partialDeepStrictEqual(await source.ask(query('knot')), { ok: false, error: 'unreachable' });
      assert.equal(source.kept(query('knot'))?.length, 1);
      assert.equal(source.kept(query('tern')), null);
      assert.equal(source.reading().quotaLeft, 41);
    });

    test('are not kept if the terms forbid it', async () => {
      const source = start({ mayBeCached: false });
      await source.ask(query('knot'));
      await source.ask(query('knot'));
      assert.equal(calls.length, 2);
      assert.equal(source.kept(query('knot')), null);
    });

    test('to simultaneous equal queries come from one call', async () => {
      const source = start();
      await Promise.all([source.ask(query('knot')), source.ask(query('knot')), source.ask(query('knot'))]);
      assert.equal(calls.length, 1);
    });

    test('to a query that may not be kept come from a call of its own, or from an answer that is kept', async () => {
      const source = start();
      const asked = { ...query('knot'), keep: false };
      await Promise.all([source.ask(asked), source.ask(asked)]);
      assert.equal(calls.length, 2);
      assert.equal(source.kept(asked), null);
      await source.ask(query('knot'));
      assert.partialDeepStrictEqual(await source.ask(asked), { ok: true, cache: 'hit' });
      assert.equal(calls.length, 3);
    });

    test('a source without further results is not asked for them', async () => {
      const pages = start();
      await pages.ask({ ...query('knot'), page: 1 });
      assert.match(calls[0]?.url ?? '', /p=1$/);
      const single = start({
        request: ({ query: { text } }) => ({ url: `https://plain.org/?q=${text}`, headers: {} }),
      });
      assert.deepEqual(await single.ask({ ...query('knot'), page: 1 }), {
        ok: true,
        items: [],
        cache: 'hit',
      });
      assert.equal(calls.length, 1);
    });

    test('a query is condensed to fit; one without a fitting word is not sent', async () => {
      const source = start();
      await source.ask(query(`what is the migration of the ${'very '.repeat(20)} red knot`));
      assert.ok((URL.parse(calls[0]?.url ?? '')?.searchParams.get('q')?.length ?? 99) <= 40);
      assert.partialDeepStrictEqual(await source.ask(query('x'.repeat(39).concat('y'.repeat(30)))), {
        ok: false,
        error: 'unsuitable_query',
      });
      assert.equal(calls.length, 1);
    });
  });

  describe('bounds', () => {
    test('beyond its calls per period it answers rate_limited at once', async () => {
      const source = start({ rate: { calls: 2, perMs: 1_000, atOnce: 9 } });
      await source.ask(query('a'));
      await source.ask(query('b'));
      assert.partialDeepStrictEqual(await source.ask(query('c')), { ok: false, error: 'rate_limited' });
      now += 1_000;
      assert.partialDeepStrictEqual(await source.ask(query('c')), { ok: true });
    });

    test('beyond its calls at once it is busy', async () => {
      const { promise, resolve } = Promise.withResolvers<SourceAnswer>();
      script = [promise];
      const source = start({ rate: { calls: 9, perMs: 1_000, atOnce: 1 } });
      const first = source.ask(query('a'));
      assert.partialDeepStrictEqual(await source.ask(query('b')), { ok: false, error: 'busy' });
      resolve(found('x'));
      assert.partialDeepStrictEqual(await first, { ok: true });
    });

    test('a 429 is honoured for as long as it says, and so is a pause in a good answer', async () => {
      script = [
        { kind: 'throttled', retryAfterMs: 7_000 },
        { ...(found('x') as object), pauseMs: 10_000 } as SourceAnswer,
      ];
      const source = start();
      assert.partialDeepStrictEqual(await source.ask(query('a')), { ok: false, error: 'rate_limited' });
      assert.partialDeepStrictEqual(await source.ask(query('a')), { ok: false, error: 'circuit_open' });
      now += 7_000;
      assert.partialDeepStrictEqual(await source.ask(query('a')), { ok: true });
      assert.equal(source.reading().breaker, 'open');
      assert.equal(calls.length, 2);
    });

    test('three refusals open the breaker, and a probe closes it again', async () => {
      script = [{ kind: 'refused', why: 'key' }];
      const source = start();
      for (const text of ['a', 'b', 'c']) await source.ask(query(text));
      assert.equal(source.reading().breaker, 'open');
      assert.equal(source.isWaitedFor(), false);
      now += 30_000;
      script = [found('x')];
      assert.equal(source.isWaitedFor(), false, 'nobody waits for a probe');
      await source.ask(query('d'));
      assert.equal(source.reading().breaker, 'closed');
      assert.equal(source.isWaitedFor(), true);
    });

    test('a source that timed out is not waited for until it has answered again', async () => {
      script = [createFetchFailure('timeout', 'late'), found('x')];
      const source = start();
      assert.partialDeepStrictEqual(await source.ask(query('a')), { ok: false, error: 'timeout' });
      assert.equal(source.isWaitedFor(), false);
      await source.ask(query('b'));
      assert.equal(source.isWaitedFor(), true);
    });
  });

  describe('a second try', () => {
    test('a connection that broke before an answer is retried once, for at most a tenth of the calls', async () => {
      const source = start();
      for (let call = 0; call < 10; call += 1) await source.ask(query(`warm ${call}`));
      calls = [];
      script = [reset(), found('x')];
      assert.partialDeepStrictEqual(await source.ask(query('a')), { ok: true });
      assert.equal(calls.length, 2);
      calls = [];
      script = [reset()];
      assert.partialDeepStrictEqual(await source.ask(query('b')), { ok: false, error: 'unreachable' });
      assert.equal(calls.length, 1, 'the budget is used up');
    });

    test('a bad answer is never requested again', async () => {
      const source = start();
      for (let call = 0; call < 20; call += 1) await source.ask(query(`warm ${call}`));
      calls = [];
      script = [{ kind: 'failed', why: 'status 500' }];
      await source.ask(query('a'));
      assert.equal(calls.length, 1);
    });
  });

  describe('an empty answer that proves nothing', () => {
    test('is trusted if a common word is found', async () => {
      script = [nothing(false), found('wikipedia')];
      const source = start();
      assert.deepEqual(await source.ask(query('a')), { ok: true, items: [], cache: 'miss' });
      assert.match(calls[1]?.url ?? '', /q=wikipedia/);
      script = [nothing(false)];
      calls = [];
      await source.ask(query('b'));
      assert.equal(calls.length, 1, 'proven for a minute');
    });
    test('is a failure if a common word is not found either', async () => {
      script = [nothing(false)];
      assert.partialDeepStrictEqual(await start().ask(query('a')), { ok: false, error: 'failed' });
    });
  });

  describe('a source that is slower than usual', () => {
    test('is called a second time in parallel, and the first answer counts', async (t) => {
      const source = start();
      for (let call = 0; call < 20; call += 1) await source.ask(query(`warm ${call}`));
      t.mock.timers.enable({ apis: ['setTimeout'] });
      calls = [];
      script = [new Promise<SourceAnswer>(() => {}), found('second')];
      const answer = source.ask(query('a'));
      await new Promise((resolve) => setImmediate(resolve));
      assert.equal(calls.length, 1);
      t.mock.timers.tick(20);
      assert.partialDeepStrictEqual(await answer, { ok: true, items: [{ title: 'second' }] });
      assert.equal(calls.length, 2);
      assert.ok(calls[0]?.signal?.aborted, 'the first is ended');
    });

    test('is not called twice if it covers only one field', async (t) => {
      const source = start({ scope: 'field' });
      for (let call = 0; call < 20; call += 1) await source.ask(query(`warm ${call}`));
      t.mock.timers.enable({ apis: ['setTimeout'] });
      calls = [];
      const { promise, resolve } = Promise.withResolvers<SourceAnswer>();
      script = [promise];
      const answer = source.ask(query('a'));
      await new Promise((next) => setImmediate(next));
      t.mock.timers.tick(1_000);
      assert.equal(calls.length, 1);
      resolve(found('x'));
      await answer;
    });
  });

  test('a source is asked if its results can be in the included domains, including its own base', () => {
    const traits = { code: 0, paper: 0, entity: 0, news: 0, words: [] };
    const source = start({ hosts: ['wikipedia.org'] });
    for (const domain of ['wikipedia.org', 'de.wikipedia.org', 'org', 'plain.org/docs'])
      assert.equal(source.fitOf(traits, ['other.net', domain]), 1, domain);
    assert.equal(source.fitOf(traits, ['other.net', 'notwikipedia.org']), 0);
    assert.equal(source.fitOf(traits, []), 1);
    assert.equal(start().fitOf(traits, ['other.net']), 1);
  });
});
