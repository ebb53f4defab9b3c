import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, test } from 'node:test';
import type { ResearchRequest } from '../../../src/research/research.ts';
import { researchAnswer, type Served, serveScripted } from '../../harness.ts';

let app: Served;
let asked: ResearchRequest[] = [];
let forget = (): void => {};
let revoked = '';

before(async () => {
  app = await serveScripted({
    research: async (request) => {
      asked.push(request);
      return researchAnswer();
    },
    findKey: async (key) =>
      ['one', 'two'].includes(key) && key !== revoked ? { keyId: key, noStore: false } : null,
    clock: { now: () => Date.parse('2026-11-21T12:00:00Z') },
    forgettings: {
      onForgotten(drop) {
        const before = forget;
        forget = () => {
          before();
          drop();
        };
      },
      notice: async () => 0,
    },
  });
});
beforeEach(() => {
  asked = [];
});
after(() => app.close());

const ONE = { authorization: 'Bearer one' };
const start = (body: object = {}, headers = {}) =>
  app.post('/shapeB/research', { input: 'who and when', ...body }, headers);

describe('200', () => {
  test('the report quotes the evidence and numbers its pages', async () => {
    const { json, status, text } = await start({ model: 'mini' });
    assert.equal(status, 200, text);
    const { request_id, response_time, ...rest } = json;
    assert.match(request_id, /^req_/);
    assert.equal(typeof response_time, 'number');
    assert.deepEqual(rest, {
      created_at: '2026-11-21T12:00:00.000Z',
      status: 'completed',
      input: 'who and when',
      model: 'mini',
      content: `# who and when

## who and when

> It was built in 1889.
>
> [1](https://example.org/a#:~:text=It%20was)

## Where sources agree

- A: building: 1889 [1][?]

## Not found

- who: Its search found no page.

## Sources

1. A: https://example.org/a
`,
      sources: [{ title: 'A', url: 'https://example.org/a', favicon: 'https://example.org/favicon.ico' }],
    });
  });

  test('it is returned again to who asked, and to nobody else', async () => {
    const { json } = await start({}, ONE);
    const path = `/shapeB/research/${json.request_id}`;
    assert.deepEqual((await app.get(`${path}?include_usage=true`, ONE)).json, json);
    for (const headers of [{ authorization: 'Bearer two' }, {}]) {
      const other = await app.get(path, headers as Record<string, string>);
      assert.deepEqual([other.status, other.json], [404, { detail: { error: 'not_found' } }]);
    }
  });

  test('a key in the body asks for its own, and not for its network', async () => {
    const { json } = await start({ api_key: 'one' });
    const path = `/shapeB/research/${json.request_id}`;
    assert.equal((await app.get(path)).status, 404);
    assert.equal((await app.get(path, ONE)).status, 200);
  });

  test('401: a key that was revoked meanwhile, and one that is unknown', async (t) => {
    const { json } = await start({}, ONE);
    revoked = 'one';
    t.after(() => {
      revoked = '';
    });
    for (const key of ['one', 'nobody']) {
      const headers = { authorization: `Bearer ${key}` };
      assert.equal((await app.get(`/shapeB/research/${json.request_id}`, headers)).status, 401);
    }
  });

  test('without a key, to the network that asked', async () => {
    const { json } = await start();
    assert.equal((await app.get(`/shapeB/research/${json.request_id}`)).status, 200);
  });

  test('nothing of it stays once pages are forgotten', async () => {
    const { json } = await start({}, ONE);
    forget();
    assert.equal((await app.get(`/shapeB/research/${json.request_id}`, ONE)).status, 404);
  });

  test('the model decides how many searches may run', async () => {
    await start({}, ONE);
    await start({ model: 'pro' }, ONE);
    await start({ model: 'pro', store: false });
    assert.deepEqual(
      asked.map(({ maxSearches, keep }) => [maxSearches, keep]),
      [
        [5, true],
        [10, true],
        [3, false],
      ],
    );
  });

  test('the usage if requested, and what had no effect', async () => {
    const { json, headers } = await start({ include_usage: true, citation_format: 'apa', output_schema: {} });
    assert.deepEqual(json.usage, { credits: 2 });
    assert.equal(headers.get('x-ignored-parameters'), 'citation_format, output_schema');
  });

  test('a stream is the same report', async () => {
    const { text, headers } = await start({ stream: true }, ONE);
    assert.equal(headers.get('content-type'), 'text/event-stream; charset=utf-8');
    const [content = '', sources = '', done] = text.trimEnd().split('\n\n');
    const first = JSON.parse(content.slice('data: '.length));
    assert.match(first.choices[0].delta.content, /built in 1889/);
    assert.equal(JSON.parse(sources.slice('data: '.length)).choices[0].delta.sources.length, 1);
    assert.equal(done, 'event: done');
    assert.equal((await app.get(`/shapeB/research/${first.id}`, ONE)).json.status, 'completed');
  });
});

test('422 for an input that is missing or too long', async () => {
  assert.equal((await start({ input: ' ' })).status, 422);
  const { json } = await start({ input: 'q'.repeat(2_001) });
  assert.match(json.detail.error, /^validation_error: input: /);
});
