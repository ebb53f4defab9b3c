import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, test } from 'node:test';
import { CHARS_PER_TOKEN } from '../../src/contract/limits.ts';
import { VERSION } from '../../src/contract/version.ts';
import type { Monitor, MonitorEvent } from '../../src/monitors/monitor-types.ts';
import type { Monitors } from '../../src/monitors/monitors.ts';
import type { OpeningOptions } from '../../src/pages/open-page-types.ts';
import { contentsAnswer, readAnswer, searchAnswer, serveScripted } from '../harness.ts';
import { MONITOR } from '../http/openapi/scripted-operations.ts';
import { unscriptedDeps } from '../unscripted.ts';
import { connect, textOf } from './connect.ts';

const EVENT: MonitorEvent = {
  id: 'evt_mon_1_1',
  monitorId: 'mon_1',
  number: 1,
  at: 0,
  kind: 'changed',
  url: 'https://example.org/kettle',
  title: 'Kettle',
  markdown: 'Now in stock.',
  changes: [],
  changesTotal: 1,
  changedShare: 0.1,
  conditions: ['“in stock” appeared'],
};

const DEFINITION_TOKENS_MAX = 1_600;
const NAMES = [
  'service_auto_reload',
  'service_balance',
  'service_contents',
  'service_crawl',
  'service_deep_research',
  'service_find_library',
  'service_find_similar',
  'service_map',
  'service_read',
  'service_search',
  'service_search_docs',
];

describe('tools/list', () => {
  test('names all eleven in few tokens', async (t) => {
    const served = await serveScripted();
    t.after(() => served.close());
    const client = await connect(served.address);
    t.after(() => client.close());
    const { tools } = await client.listTools();
    assert.deepEqual(tools.map(({ name }) => name).sort(), NAMES);
    const tokens = Math.ceil(JSON.stringify({ tools }).length / CHARS_PER_TOKEN);
    t.diagnostic(`${tokens} tokens`);
    assert.ok(tokens <= DEFINITION_TOKENS_MAX, `${tokens} tokens`);
    for (const { annotations, description, title } of tools) {
      assert.match(title ?? '', /^[A-Z][a-z -]+$/);
      assert.equal(typeof annotations?.readOnlyHint, 'boolean');
      assert.match(description ?? '', /credit|Free/);
    }
  });

  test('only those chosen in the address', async (t) => {
    const served = await serveScripted();
    t.after(() => served.close());
    const client = await connect(served.address, { query: '?tools=search,service_read,nonsense' });
    t.after(() => client.close());
    const { tools } = await client.listTools();
    assert.deepEqual(tools.map(({ name }) => name).sort(), ['service_read', 'service_search']);
    await assert.rejects(client.callTool({ name: 'service_map' }), /There is no tool "service_map"/);
  });

  test('watch sets up a monitor, lists what is watched, and says what changed', async (t) => {
    const monitors: Monitor[] = [];
    const served = await serveScripted({
      terms: null,
      isUnmetered: () => true,
      monitors: Object.assign({}, unscriptedDeps().monitors, {
        create: async ({ owner, keyId, order }: Parameters<Monitors['create']>[0]) => {
          const monitor = { ...MONITOR, owner, keyId, order };
          monitors.push(monitor);
          return monitor;
        },
        list: async () => monitors,
        find: async () => monitors[0] ?? null,
        events: async () => [EVENT],
      }),
    });
    t.after(() => served.close());
    const client = await connect(served.address, { query: '?tools=watch' });
    t.after(() => client.close());
    const call = async (given: Record<string, string>) =>
      textOf(await client.callTool({ name: 'service_watch', arguments: given }));
    assert.equal(await call({}), 'Nothing is watched.');
    const url = 'https://example.org/kettle';
    assert.match(
      await call({ url, every: '2h', phrase: 'in stock' }),
      /^Watched\.\n\nmon_1: https:.*\n2h, active/,
    );
    assert.deepEqual(monitors[0]?.order.conditions, [
      { kind: 'phrase', phrase: 'in stock', becomes: 'present' },
    ]);
    assert.match(await call({}), /^mon_1: https:/);
    assert.match(await call({ id: 'mon_1' }), /“in stock” appeared\nhttps:.*\nNow in stock\./);
  });

  test('with the brand of the operator', async (t) => {
    const served = await serveScripted({ brand: 'sand_pit' });
    t.after(() => served.close());
    const client = await connect(served.address);
    t.after(() => client.close());
    const { tools } = await client.listTools();
    assert.ok(tools.every(({ name }) => name.startsWith('sand_pit_')));
    assert.equal(client.getServerVersion()?.name, 'sand_pit');
    assert.equal(client.getServerVersion()?.title, 'Sand pit');
    assert.equal(client.getServerVersion()?.version, VERSION);
    assert.equal(VERSION, JSON.parse(readFileSync('package.json', 'utf8')).version);
  });
});

test('search shows title, URL, date and quotations with their links, each once', async (t) => {
  const passage = 'A line.\nAnother.';
  const [first, second] = searchAnswer().results;
  const proof = (link: string) => ({ start: 0, end: 1, headingPath: [], link });
  assert.ok(first && second);
  const served = await serveScripted({
    search: async ({ numResults, includeDomains, contents }) => {
      assert.equal(numResults, 5);
      assert.deepEqual(includeDomains, ['example.org', 'example.com']);
      assert.equal(contents?.highlights?.perUrl, 2);
      return searchAnswer({
        results: [
          { ...first, highlights: [passage, 'Second.'] },
          {
            ...second,
            highlights: [passage, 'Third.'],
            highlightProofs: [proof('https://b/#1'), proof('https://b/#2')],
          },
        ],
      });
    },
  });
  t.after(() => served.close());
  const client = await connect(served.address);
  t.after(() => client.close());
  const result = await client.callTool({
    name: 'service_search',
    arguments: { query: 'waders', numResults: '5', include_domains: 'example.org, example.com', junk: 1 },
  });
  assert.equal(
    textOf(result),
    "1. A (2025-01-31)\nhttps://example.org/a\n> A line.\n> Another.\n> Second.\n\n2. B\nhttps://example.org/b\n> Third.\n[1]\n\nLinks to passages (add to the page's URL):\n[1] https://b/#2",
  );
  assert.equal(result.isError, undefined);
});

describe('read with an engine', () => {
  const url = 'https://example.org/a';
  /** How the page is opened, and what the agent reads. */
  async function readWith(engine: unknown, rendersPages: boolean) {
    const openings: (OpeningOptions | undefined)[] = [];
    const served = await serveScripted({
      rendersPages,
      read: async ({ opening }) => {
        openings.push(opening);
        return readAnswer();
      },
    });
    const client = await connect(served.address);
    const args = engine === undefined ? { url } : { url, engine };
    const answer = await client.callTool({ name: 'service_read', arguments: args });
    await client.close();
    await served.close();
    return { openings, answer };
  }

  const OPENINGS: [engine: unknown, opening: OpeningOptions][] = [
    [undefined, {}],
    ['browser', { engine: 'browser' }],
    ['cf-browser-rendering', { engine: 'browser' }],
    ['direct', { engine: 'plain' }],
    ['auto', {}],
    ['steam', {}],
    [7, {}],
  ];
  for (const [engine, opening] of OPENINGS)
    test(`${engine} opens the page as the header does`, async () => {
      const { openings, answer } = await readWith(engine, true);
      assert.deepEqual(openings, [opening]);
      assert.equal(answer.isError, undefined);
    });

  test('is an error where there is no browser, as over HTTP, and plain fetches are none', async () => {
    const { openings, answer } = await readWith('browser', false);
    assert.deepEqual(openings, []);
    assert.equal(answer.isError, true);
    assert.match(textOf(answer), /browser needs a browser, which this service does not have/);
    assert.deepEqual((await readWith('direct', false)).openings, [{ engine: 'plain' }]);
  });
});

test('read and contents show pages', async (t) => {
  const served = await serveScripted({
    read: async ({ url, question }) => {
      assert.equal(url, 'https://example.org/a?b=1&q=own');
      assert.equal(question, 'why & how');
      return readAnswer();
    },
    contents: async ({ urls }) => {
      assert.deepEqual(urls, ['https://example.org/a', 'https://example.org/b']);
      const [page] = contentsAnswer().results;
      assert.ok(page);
      const prunedProofs = [1, 2, 3, 4].map((place) => ({
        start: place,
        end: place + 1,
        headingPath: [],
        link: `https://example.org/a#${place}`,
      }));
      return contentsAnswer({
        results: [page, { ...page, prunedContext: '# B', prunedProofs }],
        statuses: [
          { ok: true, id: 'https://example.org/a', cache: 'miss' },
          { ok: false, id: 'https://example.org/b', reason: 'http_status', httpStatus: 404, message: '' },
        ],
      });
    },
  });
  t.after(() => served.close());
  const client = await connect(served.address);
  t.after(() => client.close());
  const page = await client.callTool({
    name: 'service_read',
    arguments: { url: 'https://example.org/a?b=1&q=own', question: 'why & how' },
  });
  assert.equal(textOf(page), 'URL: https://example.org/a?b=1&q=own\n\n# A\n');
  const pages = await client.callTool({
    name: 'service_contents',
    arguments: { urls: '["https://example.org/a","https://example.org/b"]' },
  });
  assert.equal(
    textOf(pages),
    [
      'Not loaded: https://example.org/b (CRAWL_NOT_FOUND 404)',
      '=== A\nhttps://example.org/a',
      '# A',
      '=== A [1] [2] [3]\nhttps://example.org/a',
      '# B',
      "Links to passages (add to the page's URL):\n[1] #1\n[2] #2\n[3] #3",
    ].join('\n\n'),
  );
});
