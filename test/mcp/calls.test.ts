import assert from 'node:assert/strict';
import { after, afterEach, before, beforeEach, describe, test } from 'node:test';
import type { Client } from '@modelcontextprotocol/sdk/client/index.js';
import type { Progress } from '@modelcontextprotocol/sdk/types.js';
import { createFetchFailure, Failure } from '../../src/contract/errors.ts';
import { HungUp } from '../../src/http/calls/call.ts';
import type { Search } from '../../src/search/search.ts';
import { searchAnswer } from '../harness.ts';
import { type ChargedFixture, openChargedFixture } from '../http/calls/charged-service.ts';
import { connect, textOf } from './connect.ts';

/** Tools with real charging. */
let fixture: ChargedFixture;
let search: Search;
let keyId: string;
let apiKey: string;
let client: Client;
before(async () => {
  fixture = await openChargedFixture(null, { search: (request) => search(request) });
});
after(() => fixture.close());
beforeEach(async () => {
  ({ apiKey } = await fixture.billing.keys.create({ credits: 100, label: null }));
  keyId = (await fixture.billing.keys.find(apiKey))?.keyId ?? '';
  client = await connect(fixture.served.address, { headers: { authorization: `Bearer ${apiKey}` } });
});
afterEach(() => client.close());

const waders = { name: 'service_search', arguments: { query: 'waders' } };
const credits = async (): Promise<number> => (await fixture.billing.balanceOf(keyId)).credits;

describe('a call costs what its route costs', () => {
  test('1 credit for a search', async () => {
    search = async () => searchAnswer();
    const result = await client.callTool(waders);
    assert.equal(await credits(), 99);
    assert.deepEqual(result._meta, { creditsRemaining: 99 });
    const balance = await client.callTool({ name: 'service_balance' });
    assert.match(textOf(balance), /^Credits: 99\n/);
    const { credits: left, burn_rate_per_day, auto_reload } = (balance.structuredContent ?? {}) as never;
    assert.equal(left, 99);
    assert.equal(typeof burn_rate_per_day, 'number');
    assert.equal((auto_reload as { enabled: boolean }).enabled, false);
  });

  test('nothing for a failure', async () => {
    search = async () => {
      throw new Failure('recall_unavailable', 'No source answers.');
    };
    const result = await client.callTool(waders);
    assert.equal(result.isError, true);
    assert.match(
      textOf(result),
      /^recall_unavailable: No source answers; wait a few seconds and retry \(no credits were charged\)\.$/,
    );
    assert.equal(await credits(), 100);
  });

  test('a free request, without a key', async () => {
    search = async () => searchAnswer();
    const keyless = await connect(fixture.served.address);
    const left = async (): Promise<number> =>
      fixture.billing.meter.remaining({ kind: 'keyless', address: '127.0.0.1' });
    const before_ = await left();
    await keyless.callTool(waders);
    assert.equal(await left(), before_ - 1);
    while ((await left()) > 0) await keyless.callTool(waders);
    const refused = await keyless.callTool(waders);
    assert.equal(refused.isError, true);
    assert.match(
      textOf(refused),
      /^payment_required \(keyless_limit\).*http:\/\/[\d.:]+\/buy\/instant .*POST http/s,
    );
    await keyless.close();
  });

  test('nothing for the rest of an answer', async () => {
    const highlights = ['x'.repeat(700), 'y'.repeat(700)];
    search = async () =>
      searchAnswer({
        results: Array.from({ length: 10 }, (_, place) => ({
          url: `https://example.org/${place}`,
          title: `${place}`,
          score: 1,
          publishedDay: null,
          highlights: highlights.map((text) => text + place),
        })),
      });
    const first = textOf(
      await client.callTool({ ...waders, arguments: { query: 'waders', max_tokens: '1000' } }),
    );
    const cursor = /cursor "([^"]+)"/.exec(first)?.[1];
    assert.ok(cursor);
    search = async () => assert.fail('the rest is kept');
    const rest = textOf(await client.callTool({ ...waders, arguments: { cursor, max_tokens: 20_000 } }));
    assert.equal(await credits(), 99);
    const whole = first.slice(0, first.lastIndexOf('\n\n[')) + rest;
    for (let place = 0; place < 10; place++)
      assert.equal(whole.split(`https://example.org/${place}`).length, 2);
    await fixture.billing.keys.revoke(keyId);
    const refused = await client.callTool({ ...waders, arguments: { cursor, max_tokens: 20_000 } });
    assert.equal(refused.isError, true);
    assert.match(textOf(refused), /^invalid_api_key/);
  });
});

describe('who stops waiting', () => {
  test('by cancelling is charged nothing, and the work ends', async () => {
    const [started, ended] = [Promise.withResolvers<void>(), Promise.withResolvers<unknown>()];
    search = untilAborted(started.resolve, ended.resolve);
    const given = new AbortController();
    const calling = client.callTool(waders, undefined, { signal: given.signal });
    calling.catch(() => {});
    await started.promise;
    given.abort();
    // Ended by the client, not by the deadline.
    assert.ok((await ended.promise) instanceof HungUp);
    await assert.rejects(calling);
    await settled();
    assert.equal(await credits(), 100);
  });

  test('by hanging up likewise', async () => {
    const [started, ended] = [Promise.withResolvers<void>(), Promise.withResolvers<unknown>()];
    search = untilAborted(started.resolve, ended.resolve);
    const calling = client.callTool(waders);
    calling.catch(() => {});
    await started.promise;
    await client.close();
    // Ended by the client, not by the deadline.
    assert.ok((await ended.promise) instanceof HungUp);
    await settled();
    assert.equal(await credits(), 100);
  });

  test('a cancellation from another session has no effect', async () => {
    const [started, answer] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    search = async () => {
      started.resolve();
      await answer.promise;
      return searchAnswer();
    };
    const body = { jsonrpc: '2.0', id: 5, method: 'tools/call', params: waders };
    const calling = fixture.served.post('/mcp', body, { 'mcp-session-id': 'mine', 'x-api-key': apiKey });
    await started.promise;
    const cancel = { jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 5 } };
    for (const session of ['theirs', null])
      await fixture.served.post('/mcp', cancel, session === null ? {} : { 'mcp-session-id': session });
    answer.resolve();
    const { json } = await calling;
    assert.match(json.result.content[0].text, /^1\. A/);
    assert.equal(await credits(), 99);
  });
});

test('progress is reported while a call runs', async (t) => {
  const answer = Promise.withResolvers<void>();
  t.mock.timers.enable({ apis: ['setInterval'] });
  const started = Promise.withResolvers<void>();
  search = async () => {
    started.resolve();
    await answer.promise;
    return searchAnswer();
  };
  const notes: Progress[] = [];
  const calling = client.callTool(waders, undefined, {
    onprogress(note) {
      notes.push(note);
      if (notes.length === 2) answer.resolve();
      else t.mock.timers.tick(2_000);
    },
  });
  await started.promise;
  t.mock.timers.tick(2_000);
  assert.match(textOf(await calling), /^1\. A/);
  assert.equal(notes.length, 2);
  assert.ok((notes[1]?.progress ?? 0) > (notes[0]?.progress ?? 1));
  assert.equal(notes[0]?.total, 8);
});

describe('failures say what to do', () => {
  const cases: [Error, RegExp][] = [
    [
      new Failure('url_not_allowed', 'Not public.'),
      /^url_not_allowed: Not public; .*do not retry this address\.$/,
    ],
    [createFetchFailure('timeout', 'Too slow.'), /^fetch_failed: Too slow; try another address, .*\.$/],
    [
      new Failure('overloaded', 'Busy.', { retryAfterSeconds: 7 }),
      /^overloaded: Busy; retry after 7 s \(no credits were charged\)\.$/,
    ],
    [new Error('a defect'), /^internal: Something went wrong in the service \(request [\w-]+\)/],
  ];
  for (const [error, text] of cases)
    test(error.message, async () => {
      search = async () => {
        throw error;
      };
      const result = await client.callTool(waders);
      assert.equal(result.isError, true);
      assert.match(textOf(result), text);
      assert.doesNotMatch(textOf(result), /a defect/);
    });

  test('no credits left', async () => {
    search = async () => searchAnswer();
    const poor = await fixture.billing.keys.create({ credits: 0, label: null });
    const other = await connect(fixture.served.address, { headers: { 'x-api-key': poor.apiKey } });
    const result = await other.callTool(waders);
    assert.match(textOf(result), /^payment_required \(insufficient_credits\).*\/buy\/instant\?k=/);
    await other.close();
  });

  test('an unknown key', async () => {
    const other = await connect(fixture.served.address, { headers: { 'x-api-key': 'unknown' } });
    const result = await other.callTool(waders);
    assert.match(textOf(result), /^invalid_api_key: This API key is unknown; set the key as/);
    await other.close();
  });

  test('arguments that the route rejects, under the names of the tool', async () => {
    const result = await client.callTool({
      ...waders,
      arguments: { query: 'q', max_results: 'many', start_date: 'May' },
    });
    assert.match(
      textOf(result),
      /^validation_error: max_results must be a whole number; start_date must be .*; fix/s,
    );
    assert.equal(await credits(), 100);
  });
});

function untilAborted(started: () => void, ended: (reason: unknown) => void): Search {
  return ({ signal }) => {
    started();
    return new Promise((_, reject) => {
      signal.addEventListener('abort', () => {
        reject(signal.reason);
        ended(signal.reason);
      });
    });
  };
}

/** Refunds of ended calls run in the background. */
async function settled(): Promise<void> {
  for (let round = 0; round < 500 && (await credits()) < 100; round++)
    await fixture.billing.background.drain();
}
