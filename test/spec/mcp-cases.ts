import assert from 'node:assert/strict';
import { type Case, type Expected, each, type Sent, sending } from './spec-case.ts';

const send = sending({ credits: 20 });
const TOOLS = [
  'search',
  'contents',
  'read',
  'search_docs',
  'find_library',
  'find_similar',
  'crawl',
  'map',
  'deep_research',
  'balance',
  'auto_reload',
];
const NAMES = TOOLS.map((tool) => `service_${tool}`);

const message = (method: string, params: object, headers: Record<string, string> = {}): Sent => ({
  path: '/mcp',
  body: { jsonrpc: '2.0', id: 1, method, params },
  headers: { accept: 'application/json', ...headers },
});
const calling = (tool: string, args: object, headers?: Record<string, string>): Sent =>
  message('tools/call', { name: `service_${tool}`, arguments: args }, headers);
/** A tool that answers with this text at this price. */
const answers = (charged: number, text: Expected) => ({
  status: 200,
  charged,
  is: { 'result.content.0.text': text },
});
const fails = (text: Expected) => ({
  status: 200,
  charged: 0,
  is: { 'result.isError': true, 'result.content.0.text': text },
});

const PRICES: [tool: string, args: object, credits: number, text: RegExp][] = [
  ['search', { query: 'survey' }, 1, /http/],
  ['contents', { urls: ['{site}/birds'] }, 1, /sanderling/],
  ['contents', { urls: ['{site}/birds', '{site}/undated'] }, 2, /sanderling/],
  ['contents', { urls: ['{site}/birds', '{site}/lost'] }, 1, /sanderling/],
  ['read', { url: '{site}/birds' }, 1, /Birds of the shore/],
  ['find_similar', { url: '{site}/birds' }, 1, /http/],
  ['crawl', { url: '{site}/docs/', limit: 2 }, 2, /Guide/],
  ['map', { url: '{site}/docs/' }, 1, /\/docs\/one/],
  ['balance', {}, 0, /20/],
  ['auto_reload', { enabled: false }, 0, /off/i],
];
const ERRORS: [tool: string, args: object, text: RegExp][] = [
  ['search', { query: '' }, /^validation_error/],
  ['read', { url: '{site}/lost' }, /^fetch_failed/],
  ['read', { url: 'http://127.0.0.1/' }, /^url_not_allowed/],
  ['contents', { urls: ['http://127.0.0.1/'] }, /^url_not_allowed/],
  ['find_similar', { url: '{site}/lost' }, /^fetch_failed/],
  ['crawl', { url: 'http://127.0.0.1/' }, /^url_not_allowed/],
  ['map', { url: 'http://10.0.0.1/' }, /^url_not_allowed/],
  ['auto_reload', { enabled: true }, /^no_payment_method[\s\S]*\/buy\/\w+\?(?:\S*&)?k=/],
  ['auto_reload', { enabled: true, threshold: 99 }, /^validation_error/],
];
const ALLOWANCE = { path: '/v1/search', body: {}, times: 25 };

/** The tools of the MCP server, their prices and their failures. */
export const MCP_CASES: Case[] = [
  send('MC50', 'tools/list names every tool', message('tools/list', {}), {
    status: 200,
    check: ({ json }) =>
      assert.deepEqual(
        json.result.tools.map(({ name }: { name: string }) => name).toSorted(),
        NAMES.toSorted(),
      ),
  }),
  ...each(NAMES, (tool, n) =>
    send(`MC51.${n}`, `${tool} says its price`, message('tools/list', {}), {
      status: 200,
      check: ({ json }) =>
        assert.match(
          json.result.tools.find(({ name }: { name: string }) => name === tool).description,
          /credit|free/i,
        ),
    }),
  ),
  ...each(PRICES, ([tool, args, credits, text], n) =>
    send(
      `MC52.${n}`,
      `service_${tool} ${JSON.stringify(args)} costs ${credits}`,
      calling(tool, args),
      answers(credits, text),
    ),
  ),
  ...each(ERRORS, ([tool, args, text], n) =>
    send(
      `MC53.${n}`,
      `service_${tool} ${JSON.stringify(args)} fails for nothing`,
      calling(tool, args),
      fails(text),
    ),
  ),
  send(
    'MC54',
    'deep research costs a credit for each search',
    calling('deep_research', { question: 'What does the sanderling feed on?', max_searches: 1 }),
    { status: 200, charged: 1 },
  ),
  {
    ...send(
      'MC55',
      'a key without credits is told where to buy',
      calling('search', { query: 'q' }),
      fails(/insufficient_credits[\s\S]*\/buy\/\w+\?(?:\S*&)?k=/),
    ),
    credits: 0,
  },
  {
    ...send('MC56', 'without a key a call is a free request', calling('search', { query: 'survey' }), {
      status: 200,
      is: { 'result._meta.creditsRemaining': 24 },
    }),
    as: 'keyless',
  },
  {
    ...send(
      'MC57',
      'a used-up allowance is told with a link and its reset',
      calling('search', { query: 'q' }),
      {
        status: 200,
        is: { 'result.isError': true, 'result.content.0.text': /keyless_limit[\s\S]*\/buy\/\w+/ },
      },
    ),
    as: 'keyless',
    before: [ALLOWANCE],
  },
  {
    ...send(
      'MC58',
      'a key is taken as Authorization: Bearer',
      calling('balance', {}, { authorization: 'Bearer {key}' }),
      answers(0, /20/),
    ),
    as: 'placed',
  },
  {
    ...send(
      'MC59',
      'a key is taken as a bare Authorization',
      calling('balance', {}, { authorization: '{key}' }),
      answers(0, /20/),
    ),
    as: 'placed',
  },
  {
    ...send(
      'MC60',
      'a key is taken as x-api-key',
      calling('balance', {}, { 'x-api-key': '{key}' }),
      answers(0, /20/),
    ),
    as: 'placed',
  },
  {
    ...send(
      'MC61',
      'an unknown key is an error of the tool',
      calling('search', { query: 'q' }, { 'x-api-key': 'nobody' }),
      fails(/^invalid_api_key/),
    ),
    as: 'placed',
  },
  {
    ...send('MC62', 'balance without a key is an error', calling('balance', {}), {
      status: 200,
      is: { 'result.isError': true, 'result.content.0.text': /^invalid_api_key/ },
    }),
    as: 'keyless',
  },
  send('MC63', 'the server answers without a session', message('tools/list', {}), {
    status: 200,
    is: { jsonrpc: '2.0', id: 1 },
  }),
  send(
    'MC64',
    'a client that accepts JSON alone gets JSON',
    message('tools/list', {}, { accept: 'application/json' }),
    { status: 200, headers: { 'content-type': /^application\/json/ } },
  ),
  send(
    'MC65',
    'a client that accepts events alone gets events',
    message('tools/list', {}, { accept: 'text/event-stream' }),
    { status: 200, headers: { 'content-type': /^text\/event-stream/ } },
  ),
];
