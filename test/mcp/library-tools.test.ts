import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { CHARS_PER_TOKEN } from '../../src/contract/limits.ts';
import { writeLibraries, writeProject } from '../fixtures/written-libraries.ts';
import { type RealServed, serveReal } from '../harness.ts';
import { connect, textOf } from './connect.ts';

const CODE = `\`\`\`js\n${Array.from({ length: 20 }, (_, at) => `wader.hook('onRequest', step${at});`).join('\n')}\n\`\`\``;
const hooks = (version: string): string =>
  `# Hooks\n\nThe hook of version ${version} runs before each request:\n\n${CODE}\n\n## Errors\n\n${'What a wader does with errors is told to the shore. '.repeat(30)}`;

describe('the tools for documentation', () => {
  let served: RealServed;
  before(async () => {
    served = await serveReal({ METERING: 'off', BRAND: 'service' });
    await writeLibraries(served, [
      { name: 'wader', version: '4.2.0', pages: { 'docs/hooks.md': hooks('four') } },
      { name: 'wader', version: '5.0.1', pages: { 'docs/hooks.md': hooks('five') } },
    ]);
    await writeProject(served, '/home/ann/shop', [{ name: 'wader', version: '4.2.0' }]);
  });
  after(() => served.close());

  async function call(name: string, args: object, tools = ''): Promise<string> {
    const client = await connect(served.address, { query: tools });
    const answer = await client.callTool({ name, arguments: { ...args } });
    await client.close();
    return textOf(answer);
  }

  test('find_library names ids and versions', async () => {
    const text = await call('service_find_library', { query: 'wadr' });
    assert.match(
      text,
      /^- \/npm\/wader: versions 5\.0\.1, 4\.2\.0; 1 pages; MIT; https:.*; another spelling$/,
    );
    assert.match(
      await call('service_find_library', { query: 'express' }),
      /^No library like "express" is held/,
    );
  });

  test('search_docs answers from the version that is asked for, with its code whole', async () => {
    for (const [args, version] of [
      [{ library: 'wader' }, 'npm:wader@5.0.1'],
      [{ library: 'wader@4' }, 'npm:wader@4.2.0'],
      [{ library: ['wader'], project: 'shop' }, 'npm:wader@4.2.0'],
      [{ library: '/npm/wader@4.2.0' }, 'npm:wader@4.2.0'],
    ] as const) {
      const text = await call('service_search_docs', { question: 'hook before each request', ...args });
      assert.ok(
        text.startsWith(`=== ${version} | guide | Hooks\nhttps://code.example.org/wader/blob/v`),
        text,
      );
      assert.ok(text.includes(CODE), text);
    }
  });

  test('search_docs keeps within its budget', async () => {
    const text = await call('service_search_docs', { question: 'hook before each request', max_tokens: 600 });
    assert.ok(text.length <= 600 * CHARS_PER_TOKEN);
    assert.ok(text.includes(CODE) && !text.includes('cursor'), text);
  });

  test('a library is a resource, with a question or without', async () => {
    const client = await connect(served.address);
    const read = async (uri: string): Promise<string> => {
      const { contents } = await client.readResource({ uri });
      return contents.map((content) => ('text' in content ? content.text : '')).join();
    };
    const { resourceTemplates } = await client.listResourceTemplates();
    assert.deepEqual(
      resourceTemplates.map(({ uriTemplate }) => uriTemplate),
      [`${served.address}/r/{url}`, 'docs://{library}{?question}'],
    );
    const answer = await read('docs://npm%3Awader%404?question=hook%20before%20each%20request');
    assert.ok(answer.startsWith('=== npm:wader@4.2.0') && answer.includes(CODE), answer);
    assert.match(await read('docs://wader'), /^- \/npm\/wader: versions 5\.0\.1, 4\.2\.0/);
    await assert.rejects(read('docs://pypi:wader?question=hook'), /held are npm:wader/);
    await assert.rejects(read('docs://'), /The resources here are .* and docs:\/\//);
    await client.close();
    const docsOnly = await connect(served.address, { query: '?tools=search_docs' });
    assert.equal((await docsOnly.listResourceTemplates()).resourceTemplates.length, 1);
    await docsOnly.close();
  });

  test('an unknown library is told with those that are held', async () => {
    const text = await call('service_search_docs', { question: 'hook', library: 'pypi:wader' });
    assert.match(text, /no library "pypi:wader" is held; held are npm:wader/);
  });

  test('a client of the hosted service changes only the address', async () => {
    const address = '?tools=resolve-library-id,query-docs';
    const client = await connect(served.address, { query: address });
    const { tools } = await client.listTools();
    await client.close();
    assert.deepEqual(
      tools.map(({ name, inputSchema }) => [name, inputSchema.required]),
      [
        ['resolve-library-id', ['libraryName']],
        ['query-docs', ['libraryId']],
      ],
    );
    const found = await call('resolve-library-id', { libraryName: 'Wader', query: 'hooks' }, address);
    assert.match(found, /\/npm\/wader: versions/);
    const answers = [
      await call('query-docs', { libraryId: '/npm/wader', query: 'hook before each request' }, address),
      await call(
        'get-library-docs',
        { context7CompatibleLibraryID: '/shore/wader/v5.0.1', topic: 'hooks', tokens: 10_000 },
        address,
      ),
    ];
    for (const text of answers)
      assert.ok(text.startsWith('=== npm:wader@5.0.1') && text.includes(CODE), text);
  });
});
