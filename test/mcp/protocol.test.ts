import assert from 'node:assert/strict';
import { once } from 'node:events';
import { request } from 'node:http';
import { after, before, describe, test } from 'node:test';
import { type Served, searchAnswer, serveScripted } from '../harness.ts';

let served: Served;
before(async () => {
  served = await serveScripted({
    search: async () => searchAnswer(),
    publicUrls: ['https://search.example.org'],
  });
});
after(() => served.close());

const initialize = (protocolVersion: string) => ({
  jsonrpc: '2.0',
  id: 1,
  method: 'initialize',
  params: { protocolVersion, capabilities: {}, clientInfo: { name: 'test', version: '1' } },
});
const list = { jsonrpc: '2.0', id: 2, method: 'tools/list' };
const call = (args: unknown, name = 'service_search') => ({
  jsonrpc: '2.0',
  id: 3,
  method: 'tools/call',
  params: { name, arguments: args },
});
const JSON_ONLY = { accept: 'application/json' };
const BOTH = { accept: 'application/json, text/event-stream' };

describe('versions', () => {
  for (const version of ['2025-11-25', '2025-06-18']) {
    test(`${version} is agreed on and then spoken`, async () => {
      const { json, headers } = await served.post('/mcp', initialize(version), BOTH);
      assert.equal(json.result.protocolVersion, version);
      assert.match(headers.get('mcp-session-id') ?? '', /^[\w-]{36}$/);
      const { status, json: listed } = await served.post('/mcp', list, {
        ...BOTH,
        'mcp-protocol-version': version,
      });
      assert.equal(status, 200);
      assert.equal(listed.result.tools.length, 11);
    });
  }

  test('an unknown one is answered with the newest at first and rejected later', async () => {
    const { json } = await served.post('/mcp', initialize('1999-01-01'), BOTH);
    assert.equal(json.result.protocolVersion, '2025-11-25');
    const refused = await served.post('/mcp', list, { ...BOTH, 'mcp-protocol-version': '1999-01-01' });
    assert.equal(refused.status, 400);
    assert.match(refused.json.error.message, /Unsupported protocol version/);
  });
});

test('a caller that asks for the connection to be closed gets it closed, after a stream too', async () => {
  const asked = request(`${served.address}/mcp`, {
    method: 'POST',
    headers: { accept: 'text/event-stream', connection: 'close' },
  });
  asked.end(JSON.stringify(call({ query: 'waders' })));
  const [answer] = await once(asked, 'response');
  answer.resume();
  assert.equal(answer.headers['content-type'], 'text/event-stream');
  assert.equal(answer.headers.connection, 'close');
  await once(answer, 'close');
});

describe('what the client accepts', () => {
  const cases: [accept: string, type: RegExp][] = [
    ['application/json', /^application\/json/],
    ['text/event-stream', /^text\/event-stream/],
    ['application/json, text/event-stream', /^application\/json/],
    ['*/*', /^application\/json/],
  ];
  for (const [accept, type] of cases) {
    test(accept, async () => {
      const { status, headers, text } = await served.post('/mcp', call({ query: 'waders' }), { accept });
      assert.equal(status, 200);
      assert.match(headers.get('content-type') ?? '', type);
      assert.match(text, /1\. A \(2025-01-31\)/);
    });
  }

  const message = call({ query: 'waders' });
  const asked = { ...message, params: { ...message.params, _meta: { progressToken: 'p' } } };

  test('a client that accepts no stream never gets one', async () => {
    const { headers } = await served.post('/mcp', asked, JSON_ONLY);
    assert.match(headers.get('content-type') ?? '', /^application\/json/);
  });

  test('a call with a progress token is streamed', async () => {
    const { headers, text } = await served.post('/mcp', asked, BOTH);
    assert.match(headers.get('content-type') ?? '', /^text\/event-stream/);
    assert.match(text, /^event: message\ndata: \{"result"/m);
  });
});

describe('a call without anything about the protocol is answered as one with it', () => {
  const cases: [title: string, message: ReturnType<typeof call>][] = [
    ['results', call({ query: 'waders' })],
    ['an id that is text', { ...call({ query: 'waders' }), id: 'seven' as never }],
    ['a failure', call({ query: '' })],
    ['values', call({}, 'service_balance')],
    ['arguments in a string', call('{"query": "waders"}')],
    ['no arguments', call(undefined)],
    ['a tool that is not there', call({}, 'service_bake')],
    ['an id that is none', { ...call({ query: 'waders' }), id: 1.5 }],
    ['another version of JSON-RPC', { ...call({ query: 'waders' }), jsonrpc: '1.0' }],
  ];
  for (const [title, message] of cases)
    test(title, async () => {
      const more = { ...message, params: { ...message.params, _meta: {} } };
      const [plain, full] = [
        await served.post('/mcp', message, JSON_ONLY),
        await served.post('/mcp', more, JSON_ONLY),
      ];
      const settled = (text: string): string => text.replace(/req_[0-9a-f]{24}/g, '');
      assert.equal(settled(plain.text), settled(full.text));
      assert.equal(plain.status, full.status);
      const varies = ['date', 'x-request-id', 'content-length'];
      const headersOf = ({ headers }: typeof plain) =>
        [...headers].filter(([name]) => !varies.includes(name)).sort();
      assert.deepEqual(headersOf(plain), headersOf(full));
    });

  test('a version that is not spoken is refused', async () => {
    const unknown = { ...JSON_ONLY, 'mcp-protocol-version': '1999-01-01' };
    const { status, json } = await served.post('/mcp', call({ query: 'waders' }), unknown);
    assert.equal(status, 400);
    assert.match(json.error.message, /Unsupported protocol version/);
  });
});

describe('other methods', () => {
  for (const method of ['GET', 'DELETE', 'PUT']) {
    test(`${method} is not served`, async () => {
      const response = await fetch(`${served.address}/mcp`, { method, headers: BOTH });
      assert.equal(response.status, 405);
      assert.equal(response.headers.get('allow'), 'POST, OPTIONS');
      // biome-ignore lint/suspicious/noExplicitAny: the body is asserted right away
      const { jsonrpc, error, id } = (await response.json()) as any;
      assert.equal(jsonrpc, '2.0');
      assert.match(error.message, /^method_not_allowed/);
      assert.equal(id, null);
    });
  }
});

describe('messages that are none', () => {
  const cases: [body: string, message: RegExp][] = [
    ['', /empty/],
    ['{', /valid JSON/],
    ['[]', /batches/],
    [JSON.stringify([list, list]), /batches/],
    ['null', /JSON-RPC/],
    ['{"id":1}', /JSON-RPC/],
    ['"tools/list"', /JSON-RPC/],
  ];
  for (const [body, message] of cases) {
    test(body === '' ? 'nothing' : body.slice(0, 30), async () => {
      const { status, json } = await served.post('/mcp', body, JSON_ONLY);
      assert.equal(status, 400);
      assert.match(json.error.message, message);
    });
  }

  test('a body that is too large', async () => {
    const { status, json } = await served.post('/mcp', call({ query: 'x'.repeat(1_100_000) }), JSON_ONLY);
    assert.equal(status, 413);
    assert.match(json.error.message, /^request_too_large/);
  });
});

test('notifications get no answer', async () => {
  const { status, text } = await served.post(
    '/mcp',
    { jsonrpc: '2.0', method: 'notifications/initialized' },
    BOTH,
  );
  assert.equal(status, 202);
  assert.equal(text, '');
});

describe('origins', () => {
  const cases: [origin: string | null, status: number][] = [
    [null, 200],
    ['http://localhost:6274', 200],
    ['https://search.example.org', 200],
    ['https://elsewhere.example.com', 403],
    ['null', 403],
  ];
  for (const [origin, status] of cases) {
    test(`${origin} on this machine: ${status}`, async () => {
      const answer = await served.post('/mcp', list, { ...BOTH, ...(origin === null ? {} : { origin }) });
      assert.equal(answer.status, status);
      if (status === 403) assert.match(answer.json.error.message, /^forbidden/);
    });
  }
});

describe('arguments', () => {
  test('as JSON in a string', async () => {
    const { json } = await served.post('/mcp', call('{"query":"waders"}'), BOTH);
    assert.equal(json.result.isError, undefined);
  });

  for (const args of [undefined, null, [], 7, '{', { query: ' ' }])
    test(`${JSON.stringify(args)} lacks the query`, async () => {
      const { json } = await served.post('/mcp', call(args), BOTH);
      assert.equal(json.result.isError, true);
      assert.match(
        json.result.content[0].text,
        /^validation_error: query is required, for example \{"query": "..."\}; fix the argument and call again\.$/,
      );
    });

  for (const name of ['search', 'SERVICE_SEARCH', 'service-search', 'serviceSearch'])
    test(`the tool is found as ${name}`, async () => {
      const { json } = await served.post('/mcp', call({ q: 'waders' }, name), BOTH);
      assert.equal(json.result.isError, undefined);
    });
});
