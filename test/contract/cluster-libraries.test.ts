import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, before, describe, test } from 'node:test';
import { composeLibraries } from '../../src/app/compose-libraries.ts';
import { clusterForTests } from '../fixtures/cluster-for-tests.ts';
import { type WrittenLibrary, writeLibraries } from '../fixtures/written-libraries.ts';
import { type RealServed, serveReal } from '../harness.ts';

const hooks = (version: string, hook: string): WrittenLibrary => ({
  name: 'wader',
  version,
  pages: {
    'docs/hooks.md': `# Hooks\n\nThe hook ${hook} runs before each request of a client.\n`,
    'docs/plugins.md': '# Plugins\n\nRegister plugins before the server listens to clients.\n',
  },
});

const cluster = clusterForTests();
if (cluster !== null)
  describe('libraries in an OpenSearch', () => {
    const name = `test-libraries-${randomUUID()}`;
    let served: RealServed;
    let libraries: ReturnType<typeof composeLibraries>;
    before(async () => {
      served = await serveReal({ METERING: 'off', INDEX_URL: cluster.settings(name).url });
      libraries = composeLibraries(served.services, {
        env: {},
        folder: '/',
        registries: [],
        trustedHosts: [],
        makeReference: null,
        isOffline: true,
      });
    });
    after(async () => {
      await libraries.close();
      await served.close();
      await cluster.remove(name);
    });

    const find = async (question: string, library: string): Promise<string[]> => {
      const { json, text } = await served.post('/v1/libraries/search', { question, library });
      assert.ok(json.passages, text);
      return json.passages.map(({ url }: { url: string }) => url.replace(/^.*\/blob\//, ''));
    };
    const options = { signal: new AbortController().signal, onEvent: () => {} };

    test('are found at their version, also by a text that two versions share', async () => {
      await writeLibraries(served, [hooks('4.2.0', 'onArrival'), hooks('5.0.1', 'onRequest')]);
      await served.services.index.tidy();
      for (const version of ['4.2.0', '5.0.1']) {
        assert.equal(
          (await find('hook before each request', `wader@${version}`))[0],
          `v${version}/docs/hooks.md`,
        );
        assert.equal((await find('register plugins', `wader@${version}`))[0], `v${version}/docs/plugins.md`);
      }
      assert.deepEqual(
        (await libraries.list()).map(({ pages, evicted }) => [pages, evicted]),
        [
          [2, 0],
          [2, 0],
        ],
      );
    });

    test('fetched again, have their new pages; what was evicted is counted; removed, they are gone', async () => {
      await writeLibraries(served, [hooks('5.0.1', 'onQuery')]);
      await served.services.index.tidy();
      const { json } = await served.post('/v1/search', {
        query: 'hook before each request',
        library: 'wader@5',
        contents: { text: true },
      });
      assert.match(json.results[0].text, /The hook onQuery runs/);

      const own = (await libraries.show('wader@5.0.1'))[0]?.pages.map(({ pageUrl }) => pageUrl) ?? [];
      await served.services.index.remove(own.filter((url) => url.endsWith('hooks.md')));
      await served.services.index.tidy();
      assert.equal((await libraries.show('wader@5.0.1'))[0]?.library.evicted, 1);

      await libraries.remove(['wader'], options);
      await served.services.index.tidy();
      assert.deepEqual(await libraries.list(), []);
      assert.equal((await served.services.index.size()).pages, 0);
    });
  });
