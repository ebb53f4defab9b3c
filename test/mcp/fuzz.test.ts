import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import fc from 'fast-check';
import {
  ANSWER_TOKENS_DEFAULT,
  ANSWER_TOKENS_MAX,
  ANSWER_TOKENS_MIN,
  CHARS_PER_TOKEN,
} from '../../src/contract/limits.ts';
import { readArguments } from '../../src/http/mcp/arguments.ts';
import { findTool, TOOLS } from '../../src/http/mcp/tools.ts';
import { contentsAnswer, readAnswer, type Served, searchAnswer, serveScripted } from '../harness.ts';

const LONG = 'A sentence of a page that goes on for a while.\n'.repeat(3_000);

let served: Served;
before(async () => {
  const results = searchAnswer().results.map((result) => ({ ...result, highlights: [LONG] }));
  served = await serveScripted({
    search: async () => searchAnswer({ results }),
    similar: async () => searchAnswer({ results }),
    contents: async () =>
      contentsAnswer({
        results: [
          {
            id: 'https://a.org/',
            url: 'https://a.org/',
            title: 'A',
            author: null,
            publishedDay: null,
            text: LONG,
          },
        ],
      }),
    read: async () => readAnswer({ markdown: LONG }),
    libraries: {
      find: async () => [],
      choose: async ({ kinds }) => ({ filter: { versions: [], kinds }, libraries: [], notes: [] }),
      places: async () => new Map(),
      projects: async () => [],
    },
    searchDocs: async () => ({
      passages: [],
      libraries: [],
      notes: [LONG],
      search: { cache: 'miss', incomplete: [], timingsMs: {} },
    }),
  });
});
after(() => served.close());

const argumentName = fc.constantFrom(
  ...new Set(TOOLS.flatMap(({ fields }) => Object.keys(fields))),
  'api_key',
  '__proto__',
);
const value = fc.oneof(
  fc.constantFrom<unknown>(
    '',
    ' ',
    '5',
    'true',
    '-1',
    'NaN',
    '1e99',
    '[',
    '[]',
    '{}',
    '\u0000',
    '\ud800',
    '0.aaaaaaaaaaaaaaaaaaaaaa',
  ),
  fc.constantFrom<unknown>(
    'https://example.org/',
    'file:///etc/passwd',
    'x'.repeat(9_000),
    '(a+)+$',
    0,
    -1,
    1e308,
    2 ** 53,
  ),
  fc.jsonValue(),
);
const args = fc.oneof(
  // Nearly right: required arguments are present, something else is wrong.
  {
    weight: 3,
    arbitrary: fc.dictionary(argumentName, value, { maxKeys: 3, noNullPrototype: true }).map((rest) => ({
      query: 'q',
      url: 'https://example.org/',
      urls: ['https://example.org/'],
      question: 'q',
      ...rest,
    })),
  },
  { weight: 5, arbitrary: fc.dictionary(argumentName, value, { maxKeys: 6, noNullPrototype: true }) },
  { weight: 1, arbitrary: fc.jsonValue() },
  { weight: 1, arbitrary: fc.string() },
);
const toolName = fc.oneof(
  { weight: 9, arbitrary: fc.constantFrom(...TOOLS.map(({ name }) => `service_${name}`)) },
  { weight: 1, arbitrary: fc.string() },
);
const bad = fc.record(
  {
    name: toolName,
    arguments: args,
    _meta: fc.oneof({ weight: 9, arbitrary: fc.constant({}) }, { weight: 1, arbitrary: fc.jsonValue() }),
  },
  { requiredKeys: ['name', 'arguments', '_meta'] },
);

test('500 generated calls: an answer within its budget or a clear error, and never a crash', async (t) => {
  const tally = { answers: 0, toolErrors: 0, protocolErrors: 0 };
  await fc.assert(
    fc.asyncProperty(bad, async (params) => {
      const { status, json } = await served.post('/mcp', {
        jsonrpc: '2.0',
        id: 1,
        method: 'tools/call',
        params,
      });
      assert.ok(status === 200 || status === 400, String(status));
      if (json.error !== undefined) {
        tally.protocolErrors += 1;
        assert.ok(Number.isInteger(json.error.code) && json.error.code !== -32_603, JSON.stringify(json));
        assert.match(json.error.message, /\w{3}/);
        return;
      }
      const { content, isError } = json.result;
      assert.equal(content.length, 1);
      const text: string = content[0].text;
      tally[isError ? 'toolErrors' : 'answers'] += 1;
      if (isError) assert.match(text, /^(?:[a-z_]+(?: \([a-z_]+\))?: |Not loaded)/);
      // An internal failure is a defect, except for routes that are not scripted.
      if (!/balance|auto_reload|crawl|map|research/.test(params.name)) assert.doesNotMatch(text, /^internal/);
      assert.ok(Math.ceil(text.length / CHARS_PER_TOKEN) <= budgetOf(params));
    }),
    { numRuns: 500 },
  );
  t.diagnostic(JSON.stringify(tally));
  assert.ok(tally.toolErrors > 100 && tally.answers > 5);
});

const CALLS: [name: string, arguments_: object][] = [
  ['search', { query: 'q' }],
  ['find_similar', { url: 'https://example.org/' }],
  ['read', { url: 'https://example.org/' }],
  ['contents', { urls: 'https://example.org/' }],
];
for (const [name, given] of CALLS)
  test(`${name}: every part is within the budget of the call, and the parts are the whole`, async () => {
    const ask = async (more: object): Promise<string> => {
      const params = { name, arguments: { ...given, ...more } };
      const { json } = await served.post('/mcp', { jsonrpc: '2.0', id: 1, method: 'tools/call', params });
      return json.result.content[0].text;
    };
    const whole = await allParts(ask, 20_000);
    for (const budget of [undefined, 1, 500, 777, 19_999]) {
      const effective = Math.max(ANSWER_TOKENS_MIN, budget ?? ANSWER_TOKENS_DEFAULT);
      const first = await ask({ max_tokens: budget });
      assert.ok(
        first.length <= effective * CHARS_PER_TOKEN,
        `${first.length} characters in ${effective} tokens`,
      );
      if (budget !== 1) assert.ok(first.length > (effective * CHARS_PER_TOKEN) / 3);
    }
    assert.equal(await allParts(ask, 5_000), whole);
  });

/** The token budget of a call, clamped. */
function budgetOf(params: { name: string; arguments: unknown }): number {
  const tool = findTool(TOOLS, params.name, 'service');
  const wanted = tool === null ? undefined : readArguments(params.arguments, tool.fields).max_tokens;
  if (typeof wanted !== 'number') return ANSWER_TOKENS_DEFAULT;
  return Math.min(ANSWER_TOKENS_MAX, Math.max(ANSWER_TOKENS_MIN, wanted));
}

const FOOTER = /\n\n\[\d+ % shown\. .*cursor "([^"]+)"; .*\]$/;

async function allParts(ask: (more: object) => Promise<string>, tokens: number): Promise<string> {
  let whole = '';
  for (let more: object | null = { max_tokens: tokens }; more !== null; ) {
    const text = await ask(more);
    assert.ok(text.length <= tokens * CHARS_PER_TOKEN);
    const cursor: string | undefined = FOOTER.exec(text)?.[1];
    whole += text.replace(FOOTER, '');
    more = cursor === undefined ? null : { cursor, max_tokens: tokens };
  }
  return whole;
}
