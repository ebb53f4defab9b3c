import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { createFetchFailure } from '../../contract/errors.ts';
import type { GuardedFetch } from '../../platform/net/fetch-types.ts';
import { NO_FILTERS } from '../../text/query/filters.ts';
import { readQuery } from '../../text/query/read-query.ts';
import { ALL_SOURCES } from '../sources/all-sources.ts';
import { createUpstream } from './create-upstream.ts';
import { createAnswerCache } from './shared-sources.ts';
import type { UpstreamQuery } from './upstream-types.ts';

/** A source that answers when it is told to. */
function silent({ mayBeCached }: { mayBeCached: boolean }) {
  const [spec] = ALL_SOURCES;
  assert.ok(spec);
  const calls: { signal: AbortSignal; answer(body: string): void }[] = [];
  const fetch: GuardedFetch = ({ url, signal = new AbortController().signal }) =>
    new Promise((resolve, reject) => {
      signal.addEventListener('abort', () =>
        reject(createFetchFailure('aborted', 'the fetch was cancelled')),
      );
      const answer = (body: string): void =>
        resolve({ url, status: 200, headers: {}, redirects: [], body: new Uint8Array(Buffer.from(body)) });
      calls.push({ signal, answer });
    });
  const clock = { now: () => 1_000_000 };
  const source = createUpstream(
    {
      ...spec,
      mayBeCached,
      scope: 'web',
      rate: { calls: 100, perMs: 1_000, atOnce: 100 },
      request: ({ query }) => ({ url: `https://silent.org/?q=${query.text}`, headers: {} }),
      read: ({ body }) => JSON.parse(body),
    },
    {
      settings: { baseUrl: 'https://silent.org', key: null, userAgent: 'test', contact: null },
      fetch,
      clock,
      cache: createAnswerCache(clock),
    },
  );
  return { source, calls };
}

const KNOT: UpstreamQuery = { ...NO_FILTERS, query: readQuery('knot'), limit: 10, page: 0 };
const FOUND = JSON.stringify({
  kind: 'ok',
  items: [{ url: 'https://one.org/', title: 'One', snippet: '', publishedDay: null }],
  proven: true,
  quotaLeft: null,
});
/** Turns of the event loop in which a call begins. */
const begun = async (): Promise<void> => {
  for (let turn = 0; turn < 5; turn += 1) await new Promise(setImmediate);
};

describe('a call of a source that nobody waits for any longer', () => {
  for (const [what, mayBeCached, keep] of [
    ['whose answers may not be kept', false, true],
    ['for a caller whose answers are kept for nobody', true, false],
  ] as const)
    test(`${what} ends, and says nothing about the source`, async () => {
      const { source, calls } = silent({ mayBeCached });
      const waiter = new AbortController();
      const until = waiter.signal;
      const answers = Array.from({ length: 12 }, (_, number) =>
        source.ask({ ...KNOT, query: readQuery(`knot ${number}`), keep }, { until }),
      );
      await begun();
      waiter.abort();
      for (const answer of await Promise.all(answers))
        assert.partialDeepStrictEqual(answer, { ok: false, error: 'timeout' });
      assert.ok(calls.length === 12 && calls.every(({ signal }) => signal.aborted));
      // Ten failures would have opened the breaker.
      assert.partialDeepStrictEqual(source.reading(), { breaker: 'closed', calls: 0, lastError: null });
      assert.ok(source.isWaitedFor());
    });

  test('goes on while another search waits for it', async () => {
    const { source, calls } = silent({ mayBeCached: false });
    const [first, second] = [new AbortController(), new AbortController()];
    const left = source.ask(KNOT, { until: first.signal });
    const stayed = source.ask(KNOT, { until: second.signal });
    await begun();
    first.abort();
    assert.partialDeepStrictEqual(await left, { ok: false });
    assert.deepEqual([calls.length, calls[0]?.signal.aborted], [1, false]);
    calls[0]?.answer(FOUND);
    assert.partialDeepStrictEqual(await stayed, { ok: true, items: [{ url: 'https://one.org/' }] });
  });

  test('goes on where its answer may be kept, for the next search', async () => {
    const { source, calls } = silent({ mayBeCached: true });
    const waiter = new AbortController();
    const answer = source.ask(KNOT, { until: waiter.signal });
    await begun();
    waiter.abort();
    assert.equal(calls[0]?.signal.aborted, false);
    calls[0]?.answer(FOUND);
    await answer;
    assert.partialDeepStrictEqual(await source.ask(KNOT), { ok: true, cache: 'hit' });
  });

  test('never begins if the search has ended already', async () => {
    for (const mayBeCached of [true, false]) {
      const { source, calls } = silent({ mayBeCached });
      const answer = await source.ask(KNOT, { until: AbortSignal.abort() });
      assert.partialDeepStrictEqual(answer, { ok: false });
      assert.equal(calls.length, 0);
    }
  });
});
