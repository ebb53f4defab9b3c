import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { ContentsRequest } from '../../../src/search/contents.ts';
import { contentsAnswer, searchAnswer } from '../../harness.ts';
import { type ChargedFixture, openChargedFixture } from '../calls/charged-service.ts';

const GOOD = 'https://example.org/a';
let fixture: ChargedFixture;
let key: Record<string, string>;
let keyId: string;
before(async () => {
  fixture = await openChargedFixture(null, {
    search: async ({ numResults }) => {
      const answer = searchAnswer();
      const results = answer.results.map((result) => ({ ...result, highlights: [`About ${result.title}`] }));
      return { ...answer, results: results.slice(0, numResults) };
    },
    contents: async ({ urls }: ContentsRequest) => {
      const good = urls.filter((url) => url === GOOD);
      return {
        results: good.flatMap(() => contentsAnswer().results),
        statuses: urls.map((id) =>
          id === GOOD
            ? { ok: true, id, cache: 'miss' }
            : { ok: false, id, reason: 'http_status', httpStatus: 404, message: 'the page answered 404' },
        ),
        incomplete: [],
      };
    },
  });
  const made = await fixture.billing.keys.create({ credits: 100, label: null });
  key = { authorization: `Bearer ${made.apiKey}` };
  keyId = made.keyId;
});
after(() => fixture.close());

const left = (): Promise<number | null> => fixture.billing.meter.remaining({ kind: 'key', keyId });

describe('POST /openwebui/search', () => {
  test('an array of links', async () => {
    const { status, json, headers } = await fixture.served.post(
      '/openwebui/search',
      { query: 'q', count: 2 },
      key,
    );
    assert.equal(status, 200);
    assert.deepEqual(json, [
      { link: 'https://example.org/a', title: 'A', snippet: 'About A' },
      { link: 'https://example.org/b', title: 'B', snippet: 'About B' },
    ]);
    assert.equal(headers.get('content-type'), 'application/json; charset=utf-8');
  });

  test('as many as wanted, from none to the limit', async () => {
    for (const [count, found] of [
      [0, 0],
      [1, 1],
      ['2', 2],
      [1_000, 2],
    ])
      assert.equal(
        (await fixture.served.post('/openwebui/search', { query: 'q', count }, key)).json.length,
        found,
      );
  });

  test('422 and what is ignored', async () => {
    const wrong = await fixture.served.post('/openwebui/search', { query: '', count: 2 }, key);
    assert.deepEqual([wrong.status, wrong.json.error], [422, 'query: must not be empty']);
    const other = await fixture.served.post('/openwebui/search', { query: 'q', language: 'de' }, key);
    assert.equal(other.headers.get('x-ignored-parameters'), 'language');
  });

  test('402 tells where to pay, in the status line too', async () => {
    const { apiKey } = await fixture.billing.keys.create({ credits: 0, label: null });
    const { status, statusText } = await fetch(`${fixture.served.address}/openwebui/search`, {
      method: 'POST',
      headers: { authorization: `Bearer ${apiKey}` },
      body: '{"query": "q", "count": 3}',
    });
    assert.equal(status, 402);
    assert.match(statusText, /\/buy\/instant/);
  });
});

describe('POST /openwebui/load', () => {
  test('the pages that load, charged by page', async () => {
    const before = await left();
    const urls = [GOOD, 'https://example.org/gone', GOOD];
    const { status, json } = await fixture.served.post('/openwebui/load', { urls }, key);
    assert.equal(status, 200);
    assert.deepEqual(
      json,
      new Array(2).fill({ page_content: '# A', metadata: { source: GOOD, title: 'A' } }),
    );
    assert.equal(await left(), (before ?? 0) - 2);
  });

  test('502 with the reason if none loads, free', async () => {
    const before = await left();
    const gone = 'https://example.org/gone';
    for (const [urls, error] of [
      [[gone], 'The page could not be read: the page answered 404'],
      [[gone, gone], 'None of the 2 pages could be read: the page answered 404'],
    ]) {
      const { status, json } = await fixture.served.post('/openwebui/load', { urls }, key);
      assert.deepEqual([status, json.code, json.error], [502, 'fetch_failed', error]);
    }
    assert.equal(await left(), before);
  });

  test('422 for none and for more than twenty', async () => {
    for (const urls of [undefined, [], new Array(21).fill(GOOD)])
      assert.equal((await fixture.served.post('/openwebui/load', { urls }, key)).status, 422);
  });
});
