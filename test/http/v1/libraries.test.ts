import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { type WrittenLibrary, writeLibraries, writeProject } from '../../fixtures/written-libraries.ts';
import { type RealServed, serveReal } from '../../harness.ts';
import { connect, textOf } from '../../mcp/connect.ts';

const code = (line: string): string => `\`\`\`js\n${`${line}\n`.repeat(12)}\`\`\``;
const SAME = `# Plugins\n\nA plugin wraps what a wader server does. Register plugins before the server listens:\n\n${code("wader.register(require('./plugin'));")}\n`;
const LIBRARIES: WrittenLibrary[] = [
  {
    name: 'wader',
    version: '4.2.0',
    pages: {
      'docs/hooks.md': `# Hooks\n\nThe hook onArrival runs before each request in version four:\n\n${code("wader.hook('onArrival', four);")}\n`,
      'docs/plugins.md': SAME,
    },
  },
  {
    name: 'wader',
    version: '5.0.1',
    pages: {
      'docs/hooks.md': `# Hooks\n\nThe hook onRequest runs before each request in version five:\n\n${code("wader.hook('onRequest', five);")}\n`,
      'docs/plugins.md': SAME,
      'CHANGELOG.md':
        '# 5.0.0\n\nThe hook onArrival was renamed to onRequest, and runs before each request.\n',
    },
  },
  {
    ecosystem: 'pypi',
    name: 'scikit-learn',
    version: '1.5.0',
    pages: { 'docs/fit.md': '# Fitting\n\nCall fit with the features and the labels of the training set.\n' },
  },
  {
    name: '@we/core',
    version: '1.0.0',
    isPrivate: true,
    pages: {
      'docs/secret.md': '# Secret hooks\n\nOur secret hook runs before each request of the company.\n',
    },
  },
  {
    name: '@babel/core',
    version: '7.0.0',
    pages: {
      'docs/transform.md':
        '# Transforming\n\nThe transform function turns source text into older source text.\n',
    },
  },
];

describe('the documentation of libraries over HTTP', () => {
  let own: RealServed;
  let sold: RealServed;
  before(async () => {
    own = await serveReal({ METERING: 'off' });
    sold = await serveReal();
    for (const served of [own, sold]) {
      await writeLibraries(served, LIBRARIES);
      await writeProject(served, '/home/ann/shop', [{ name: 'wader', version: '4.2.0' }]);
    }
  });
  after(async () => {
    await own.close();
    await sold.close();
  });

  const search = async (body: object) =>
    own.post('/v1/search', { query: 'hook before each request', ...body });
  const urls = async (body: object): Promise<string[]> => {
    const { json, text } = await search(body);
    assert.ok(json.results, text);
    return json.results.map(({ library, url }: { library?: { url: string }; url: string }) =>
      (library?.url ?? url).replace('https://code.example.org/', ''),
    );
  };

  describe('POST /v1/search with a library', () => {
    test('without a version searches the newest', async () => {
      const { json } = await search({ library: 'wader' });
      assert.deepEqual(json.service.libraries, [{ library: 'npm:wader', version: '5.0.1', by: 'newest' }]);
      assert.deepEqual(json.service.notes, []);
      const [{ library }] = json.results;
      assert.deepEqual(library, {
        library: 'npm:wader',
        version: '5.0.1',
        kind: 'guide',
        licence: 'MIT',
        url: 'https://code.example.org/wader/blob/v5.0.1/docs/hooks.md',
      });
      for (const result of json.results) assert.equal(result.library.version, '5.0.1');
    });

    test('at a version', async () => {
      const [best] = await urls({ library: ['wader@4'] });
      assert.equal(best, 'wader/blob/v4.2.0/docs/hooks.md');
      const both = await urls({ library: ['wader@4', 'npm:wader@5.0.1'] });
      assert.ok(both.some((url) => url.includes('v4.2.0')) && both.some((url) => url.includes('v5.0.1')));
    });

    test('of the project that is named', async () => {
      assert.equal((await urls({ library: 'wader', project: 'shop' }))[0], 'wader/blob/v4.2.0/docs/hooks.md');
      assert.equal((await urls({ project: '/home/ann/shop' }))[0], 'wader/blob/v4.2.0/docs/hooks.md');
    });

    test('of a kind', async () => {
      assert.deepEqual(await urls({ library: 'wader', kind: 'changelog' }), [
        'wader/blob/v5.0.1/CHANGELOG.md',
      ]);
      assert.deepEqual(await urls({ kind: ['changelog', 'api'] }), ['wader/blob/v5.0.1/CHANGELOG.md']);
    });

    test('a page that two versions share is stored once, and found at the address of each', async () => {
      const query = 'register plugins before the server listens';
      for (const version of ['4.2.0', '5.0.1'])
        assert.equal(
          (await urls({ query, library: `wader@${version}` }))[0],
          `wader/blob/v${version}/docs/plugins.md`,
        );
      const held = await own.services.index.list({
        selector: { host: 'code.example.org' },
        after: null,
        limit: 100,
      });
      assert.equal(held.filter(({ url }) => url.endsWith('plugins.md')).length, 1);
    });

    test('its contents come from the index', async () => {
      const { json } = await search({ library: 'wader', contents: { text: true } });
      assert.match(json.results[0].text, /onRequest runs before each request in version five/);
    });

    test('by another name, with a note', async () => {
      const { json } = await search({ query: 'fit labels', library: 'sklearn' });
      assert.equal(json.results[0].library.library, 'pypi:scikit-learn');
      assert.deepEqual(json.service.notes, ['"sklearn" was taken to mean pypi:scikit-learn.']);
    });

    test('a name with several meanings is told', async () => {
      const { json } = await search({ library: 'core' });
      assert.deepEqual(json.service.notes, [
        '"core" means npm:@babel/core, npm:@we/core here; name one of them to search only that.',
      ]);
    });

    const refused: [string, object, RegExp][] = [
      ['an unknown library', { library: 'express' }, /^library: no library "express" is held; /],
      ['a library of another registry', { library: 'pypi:wader' }, /held are npm:wader/],
      ['a version that is not held', { library: 'wader@3' }, /not held at 3; held: 5\.0\.1, 4\.2\.0$/],
      ['an unknown project', { project: 'stall' }, /^project: no such project; added: \/home\/ann\/shop$/],
      ['an unknown kind', { kind: 'poem' }, /^kind/],
    ];
    for (const [what, body, message] of refused)
      test(`${what} is 422`, async () => {
        const { status, json } = await search(body);
        assert.equal(status, 422);
        assert.match(json.error.message ?? json.message, message);
      });
  });

  describe('private libraries', () => {
    test('are found by name on a server of their owner', async () => {
      assert.deepEqual(await urls({ library: '@we/core' }), ['@we/core/blob/v1.0.0/docs/secret.md']);
    });

    test('are not found without their name', async () => {
      const { text } = await search({ query: 'secret hook of the company' });
      assert.ok(!text.includes('secret.md'));
    });

    test('are unknown to the customers of a server, with their projects', async () => {
      const customer = await sold.owner();
      for (const body of [{ library: '@we/core' }, { library: 'npm:@we/core@1.0.0' }]) {
        const { status, text } = await customer.post('/v1/search', { query: 'secret hook', ...body });
        assert.ok(status === 422 || !text.includes('secret.md'), text);
        assert.ok(!text.includes('held are npm:@we'), text);
      }
      const { text } = await customer.get('/v1/libraries?query=core');
      assert.ok(text.includes('@babel/core') && !text.includes('@we/core'));
      const { status, text: told } = await customer.post('/v1/search', { query: 'hook', project: 'shop' });
      assert.equal(status, 422);
      assert.ok(!told.includes('/home/ann'));
      const reading = await customer.post('/v1/contents', {
        urls: ['https://code.example.org/@we/core/blob/v1.0.0/docs/secret.md'],
        text: true,
      });
      assert.ok(!reading.text.includes('Our secret hook'), reading.text);
    });
  });

  describe('of a private library, over every route and tool', () => {
    const URL_OF_PAGE = 'https://code.example.org/@we/core/blob/v1.0.0/docs/secret.md';
    const WORDS = 'secret hook runs before each request of the company';
    /** What any route may be asked with: each takes what it knows. */
    const FIELDS = {
      ...{ query: WORDS, q: WORDS, question: WORDS, input: WORDS, text: `It runs. [1](${URL_OF_PAGE})` },
      ...{ url: URL_OF_PAGE, urls: [URL_OF_PAGE], ids: [URL_OF_PAGE], quote: WORDS, libraryName: 'core' },
      ...{
        messages: [{ role: 'user', content: WORDS }],
        libraryId: '/npm/@we/core',
        contents: { text: true },
      },
    };
    const SHOWN = /Our secret hook|Secret hooks/;

    test('nobody with a key is shown a word of it', async () => {
      const keys = [await sold.owner(), await sold.owner()];
      const { json } = await sold.get('/openapi.json');
      const paths = Object.entries(json.paths as Record<string, object>).filter(
        ([path]) => !/checkout|billing|keys|webhook|account|stripe|crawl|batch/.test(path),
      );
      assert.ok(paths.length > 20);
      const parameters = new URLSearchParams({ q: WORDS, query: WORDS, url: URL_OF_PAGE });
      for (const key of keys)
        for (const [path, methods] of paths) {
          const target = path.replace(/\{[^}]+\}/, encodeURIComponent(URL_OF_PAGE));
          const answers = [
            ...('get' in methods ? [await key.get(`${target}?${parameters}`)] : []),
            ...('post' in methods ? [await key.post(target, FIELDS)] : []),
          ];
          for (const { text } of answers) assert.doesNotMatch(text, SHOWN, path);
        }
    });

    test('nor by a tool; whoever runs the server is', async () => {
      const { apiKey } = await sold.parts.billing.keys.create({ credits: 1_000, label: null });
      for (const tools of ['', '?tools=query-docs,resolve-library-id']) {
        const client = await connect(sold.address, { query: tools, headers: { 'x-api-key': apiKey } });
        for (const { name } of (await client.listTools()).tools) {
          if (/auto_reload|crawl|map|deep_research/.test(name)) continue;
          const answer = await client.callTool({ name, arguments: { ...FIELDS, library: '@we/core' } });
          assert.doesNotMatch(textOf(answer), SHOWN, name);
        }
        await client.close();
      }
      const client = await connect(own.address);
      const given = { question: WORDS, library: '@we/core' };
      const answer = await client.callTool({ name: 'service_search_docs', arguments: given });
      assert.match(textOf(answer), SHOWN);
      await client.close();
    });
  });

  describe('private libraries of one key', () => {
    const NEST = '/home/bea/nest';
    type Customer = Awaited<ReturnType<RealServed['owner']>>;
    let reader: Customer;
    let other: Customer;
    before(async () => {
      [reader, other] = [await sold.owner(), await sold.owner()];
      await writeLibraries(sold, [
        {
          name: '@bea/nest',
          version: '1.0.0',
          isPrivate: true,
          keyIds: [reader.keyId],
          pages: { 'docs/eggs.md': '# Eggs\n\nA nest of ours holds four speckled eggs.\n' },
        },
        {
          name: '@bea/reed',
          version: '2.0.0',
          isPrivate: true,
          pages: { 'docs/reed.md': '# Reed\n\nSpeckled reed hides the nest.\n' },
        },
      ]);
      await writeProject(sold, NEST, [{ name: '@bea/reed', version: '2.0.0' }], [reader.keyId]);
    });
    const SECRET = /four speckled|Speckled reed|@bea|bea\/nest/;
    const WORDS = 'speckled nest';
    const CALLS: [
      what: string,
      call: (customer: Pick<Customer, 'get' | 'post'>) => Promise<{ text: string }>,
    ][] = [
      ['the list', ({ get }) => get('/v1/libraries')],
      ['a name', ({ get }) => get('/v1/libraries?query=reed')],
      ['a search by library', ({ post }) => post('/v1/search', { query: WORDS, library: 'nest' })],
      ['a search by kind', ({ post }) => post('/v1/search', { query: WORDS, kind: 'guide' })],
      ['a search by project', ({ post }) => post('/v1/search', { query: WORDS, project: 'nest' })],
      ['passages', ({ post }) => post('/v1/libraries/search', { question: WORDS })],
      ['a slip of spelling', ({ post }) => post('/v1/libraries/search', { question: WORDS, library: 'bea' })],
      ['the page', ({ get }) => get('/libraries')],
      ['the page with a question', ({ get }) => get('/libraries?q=speckled+nest')],
      ['the part for its script', ({ get }) => get('/libraries?q=speckled+nest&part')],
    ];
    for (const [what, call] of CALLS)
      test(`${what}: shown to that key, also after it asked, to no other`, async () => {
        assert.match((await call(reader)).text, SECRET);
        assert.doesNotMatch((await call(other)).text, SECRET);
        assert.doesNotMatch((await call(sold)).text, SECRET);
      });

    test('no search without a library finds them, for the key neither', async () => {
      const { text } = await reader.post('/v1/search', { query: 'four speckled eggs of a nest' });
      assert.doesNotMatch(text, SECRET);
    });

    test('the tools of both names and the resource', async () => {
      const ask = async (apiKey: string): Promise<string[]> => {
        const headers = { 'x-api-key': apiKey };
        const client = await connect(sold.address, { headers });
        const foreign = await connect(sold.address, {
          headers,
          query: '?tools=query-docs,resolve-library-id',
        });
        const call = async (of: typeof client, name: string, args: object): Promise<string> =>
          textOf(await of.callTool({ name, arguments: { ...args } }));
        const prefix = (await client.listTools()).tools[0]?.name.split('_')[0];
        const texts = [
          await call(client, `${prefix}_find_library`, { query: '@bea/nest' }),
          await call(client, `${prefix}_search_docs`, { question: WORDS, library: '@bea/nest' }),
          await call(foreign, 'resolve-library-id', { libraryName: 'nest' }),
          await call(foreign, 'query-docs', { libraryId: '/npm/@bea/nest', query: WORDS }),
          JSON.stringify(
            await client
              .readResource({ uri: 'docs://npm%3A%40bea%2Fnest?question=speckled' })
              .catch((error: Error) => error.message),
          ),
        ];
        await client.close();
        await foreign.close();
        return texts;
      };
      const SHOWN = /four speckled|versions 1\.0\.0/;
      for (const text of await ask(reader.apiKey)) assert.match(text, SHOWN);
      for (const text of await ask(other.apiKey)) assert.doesNotMatch(text, SHOWN);
    });
  });

  describe('GET /v1/libraries', () => {
    test('finds a library by a name with a slip', async () => {
      const { json } = await own.get('/v1/libraries?query=waader');
      const [{ id, versions, match, pages, licence }] = json.libraries;
      assert.deepEqual(
        [id, versions, match, pages, licence],
        ['/npm/wader', ['5.0.1', '4.2.0'], 'spelling', 3, 'MIT'],
      );
    });

    test('lists all', async () => {
      const { json } = await own.get('/v1/libraries');
      assert.equal(json.total, 4);
    });
  });

  describe('POST /v1/libraries/search', () => {
    test('returns passages with whole code, each with its source and version', async () => {
      const { json, text } = await own.post('/v1/libraries/search', {
        question: 'which hook runs before each request?',
        library: 'wader@5',
        tokens: 2000,
      });
      const [best] = json.passages;
      assert.equal(best.url, 'https://code.example.org/wader/blob/v5.0.1/docs/hooks.md', text);
      assert.ok(best.markdown.includes(code("wader.hook('onRequest', five);")));
      assert.deepEqual([best.library, best.version, best.kind], ['npm:wader', '5.0.1', 'guide']);
      assert.ok(!text.includes('version four'));
    });

    test('keeps within its budget', async () => {
      const { json } = await own.post('/v1/libraries/search', {
        question: 'hooks and plugins before each request',
        tokens: 300,
      });
      const chars = json.passages.reduce(
        (sum: number, one: { markdown: string }) => sum + one.markdown.length,
        0,
      );
      assert.ok(chars <= 1_200 && json.passages.length > 0, String(chars));
      for (const { markdown } of json.passages) assert.equal((markdown.match(/```/g) ?? []).length % 2, 0);
    });
  });
});
