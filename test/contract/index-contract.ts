import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, test } from 'node:test';
import fc from 'fast-check';
import type { IndexedPage, IndexQuery, LocalIndex } from '../../src/index/local-index-types.ts';
import { NO_FILTERS, passFilters } from '../../src/text/query/filters.ts';
import { readQuery } from '../../src/text/query/read-query.ts';

const page = (url: string, parts: Partial<IndexedPage> = {}): IndexedPage => ({
  url,
  title: 'A page',
  headings: [],
  markdown: 'A page about codecs and what they do.',
  publishedDay: null,
  language: 'en',
  site: null,
  author: null,
  rawChars: 100,
  fetchedAt: 1,
  ...parts,
});

/** What every engine of the local index promises. `open` opens an empty index. */
export function indexContract(name: string, open: () => Promise<LocalIndex>): void {
  describe(name, () => {
    let index: LocalIndex;
    beforeEach(async () => {
      index = await open();
    });
    afterEach(async () => {
      assert.deepEqual(await index.problems(), []);
      await index.close();
    });

    async function find(query: string, parts: Partial<IndexQuery> = {}): Promise<string[]> {
      const none = { includeDomains: [], excludeDomains: [], publishedFrom: null, publishedTo: null };
      return (await index.search({ ...none, limit: 10, query: readQuery(query), ...parts })).map(
        ({ url }) => url,
      );
    }

    describe('put, get and remove', () => {
      test('a page is found as soon as put resolves, and get gives it back as it was', async () => {
        const whole = page('https://example.com/a', {
          headings: ['One', 'Two'],
          publishedDay: '2024-02-29',
          site: 'S',
          author: 'B',
        });
        await index.put([whole]);
        assert.deepEqual(await find('codecs'), [whole.url]);
        assert.deepEqual(await index.get(whole.url), whole);
        assert.equal(await index.get('https://example.com/other'), null);
        assert.deepEqual(await index.size(), { pages: 1, hosts: 1 });
      });

      test('a page keeps the corpus that it was imported from until it is read from the web', async () => {
        const origin = { source: 'Encyclopedia of codecs', licence: 'CC-BY-SA-4.0' };
        const imported = page('https://example.com/a', { origin });
        const unlicensed = page('https://example.com/b', {
          markdown: 'Other codecs, and where nobody states a licence for what is written about them.',
          origin: { source: 'Dump', licence: null },
        });
        await index.put([imported, unlicensed]);
        assert.deepEqual(await index.get(imported.url), imported);
        assert.deepEqual((await index.get(unlicensed.url))?.origin, unlicensed.origin);
        const none = { includeDomains: [], excludeDomains: [], publishedFrom: null, publishedTo: null };
        const found = await index.search({ ...none, limit: 10, query: readQuery('codecs') });
        const byUrl = new Map(found.map(({ url, origin }) => [url, origin]));
        assert.deepEqual(byUrl.get(imported.url), origin);
        await index.put([page(imported.url)]);
        assert.deepEqual(await index.get(imported.url), page(imported.url));
      });

      test('a page with a secret in its address is not taken in', async () => {
        await index.put([page('https://example.com/a?token=1'), page('https://example.com/b')]);
        assert.deepEqual(await find('codecs'), ['https://example.com/b']);
        assert.equal(await index.get('https://example.com/a?token=1'), null);
        assert.deepEqual(await index.size(), { pages: 1, hosts: 1 });
      });

      test('a page that is put again replaces itself', async () => {
        await index.put([page('https://example.com/a')]);
        const [before] = (await index.version()).split('/');
        await index.put([page('https://example.com/a', { markdown: 'Now about gardening.' })]);
        assert.notEqual((await index.version()).split('/')[0], before);
        assert.deepEqual(await find('codecs'), []);
        assert.deepEqual(await find('gardening'), ['https://example.com/a']);
        assert.equal((await index.size()).pages, 1);
      });

      test('a removed page is gone, and only what was there counts', async () => {
        await index.put([
          page('https://example.com/a'),
          page('https://example.org/b', { markdown: 'gardening' }),
        ]);
        assert.equal(await index.remove(['https://example.com/a', 'https://example.com/never']), 1);
        assert.deepEqual(await find('codecs'), []);
        assert.deepEqual(await index.size(), { pages: 1, hosts: 1 });
      });

      test('a change that fails takes nothing with it', async () => {
        const bad = index.put([page('https://example.com/a'), page('not an address')]);
        const good = index.put([page('https://example.com/b')]);
        await assert.rejects(bad);
        await good;
        assert.deepEqual(await find('codecs'), ['https://example.com/b']);
      });

      test('many changes at once are all there', async () => {
        const urls = Array.from({ length: 500 }, (_, at) => `https://h${at % 7}.example.com/${at}`);
        await Promise.all(
          urls.map((url, at) => index.put([page(url, { markdown: `Text number${at} here` })])),
        );
        assert.deepEqual(await index.size(), { pages: 500, hosts: 7 });
        assert.deepEqual(await find('number321'), ['https://h6.example.com/321']);
      });
    });

    test('frequencies count pages, leave out terms that no page has, and follow changes', async () => {
      await index.put([
        page('https://example.com/a', { markdown: 'otters' }),
        page('https://example.com/b', { markdown: 'otter and heron' }),
      ]);
      const { pages, frequencies } = await index.frequencies(['otter', 'heron', 'ledger']);
      assert.equal(pages, 2);
      assert.deepEqual(
        [...frequencies],
        [
          ['otter', 2],
          ['heron', 1],
        ],
      );
      await index.remove(['https://example.com/b']);
      assert.deepEqual([...(await index.frequencies(['heron'])).frequencies], []);
    });

    describe('words', () => {
      const scripts: [name: string, language: string, text: string, query: string][] = [
        ['Chinese', 'zh', '北京是中华人民共和国的首都。', '首都'],
        ['Japanese', 'ja', '東京都は日本の都市です。', '日本'],
        ['Japanese in Kana', 'ja', 'コンピュータを使います。', 'コンピュータ'],
        ['Korean', 'ko', '서울에서 만나요', '서울'],
        ['Thai', 'th', 'ประเทศไทยมีอาหารอร่อย', 'อาหาร'],
        ['Lao', 'lo', 'ປະເທດລາວມີອາຫານ', 'ອາຫານ'],
        ['Khmer', 'km', 'ប្រទេសកម្ពុជាមានអាហារ', 'អាហារ'],
        ['Burmese', 'my', 'မြန်မာနိုင်ငံတွင်အစားအစာ', 'အစားအစာ'],
        ['Hindi', 'hi', 'भारत की राजधानी दिल्ली है', 'राजधानी'],
        ['Arabic', 'ar', 'القاهرة عاصمة مصر', 'عاصمة'],
        ['Russian', 'ru', 'Москва является столицей России', 'столица'],
        ['Greek', 'el', 'Η Αθήνα είναι πρωτεύουσα', 'πρωτεύουσα'],
      ];
      test('text of every script is found, and not by other words of it', async () => {
        await index.put(
          scripts.map(([name, language, markdown], at) =>
            page(`https://example.com/${at}`, { title: name, language, markdown }),
          ),
        );
        for (const [at, [name, , , query]] of scripts.entries()) {
          assert.equal((await find(query))[0], `https://example.com/${at}`, name);
        }
        assert.deepEqual(await find('上海'), []);
        const single = await find('京');
        assert.deepEqual(
          single.sort(),
          ['https://example.com/0', 'https://example.com/1'],
          'a single character',
        );
      });

      test('accents, case and endings make no difference', async () => {
        await index.put([page('https://example.com/a', { markdown: 'Two CAFÉS were running.' })]);
        for (const query of ['cafe', 'Café', 'run', 'RUNS']) {
          assert.deepEqual(await find(query), ['https://example.com/a'], query);
        }
      });

      test('an identifier is found whole before its parts', async () => {
        await index.put([
          page('https://example.com/parts', {
            markdown: 'The path is long. Join us. Our os is new. os path join path join.',
          }),
          page('https://example.com/whole', {
            markdown: 'Use os.path.join for that, and nothing else will do as well here.',
          }),
        ]);
        assert.equal((await find('os.path.join'))[0], 'https://example.com/whole');
      });

      test('a query none of whose rare words occurs finds nothing', async () => {
        await index.put(Array.from({ length: 40 }, (_, at) => page(`https://example.com/${at}`)));
        assert.deepEqual(await find('page xylophone quetzal zugzwang'), []);
        assert.deepEqual(await find('?!'), []);
      });

      test('stop words count when there is nothing else', async () => {
        await index.put([page('https://example.com/a', { markdown: 'To be or not to be' })]);
        assert.deepEqual(await find('to be or not to be'), ['https://example.com/a']);
      });

      test('signs of the query language of the engine are only text', async () => {
        await index.put([page('https://example.com/a')]);
        for (const query of [
          '"codecs',
          'codecs OR',
          'NEAR(codecs',
          'codecs*',
          '^codecs',
          '{codecs}:',
          "codecs'--",
          'codecs\u0000',
        ]) {
          assert.deepEqual(await find(query), ['https://example.com/a'], query);
        }
      });
    });

    describe('results', () => {
      test('scores fall from at most 1 to above 0, and the better page is first', async () => {
        await index.put([
          page('https://example.com/weak', {
            markdown: `Codecs once. ${'Other words follow here. '.repeat(50)}`,
          }),
          page('https://example.com/strong', {
            title: 'Codecs',
            headings: ['Codecs'],
            markdown: '# Codecs\n\nCodecs encode; codecs decode.',
          }),
        ]);
        const none = { includeDomains: [], excludeDomains: [], publishedFrom: null, publishedTo: null };
        const found = await index.search({ ...none, query: readQuery('codecs'), limit: 10 });
        assert.deepEqual(
          found.map(({ url }) => url),
          ['https://example.com/strong', 'https://example.com/weak'],
        );
        const [strong, weak] = found.map(({ score }) => score);
        assert.ok(strong !== undefined && weak !== undefined && strong <= 1 && strong > weak && weak > 0);
        assert.ok(weak < 0.5, 'a weak match is not passed off as a good one');
        assert.match(found[0]?.snippet ?? '', /Codecs encode/);
      });

      test('near-duplicates are folded into the best', async () => {
        const text = Array.from(
          { length: 60 },
          (_, at) => `Sentence ${at} says thing${at} of codec${at % 9}.`,
        ).join(' ');
        await index.put([
          page('https://example.com/a', { markdown: text }),
          page('https://mirror.example.org/a', { markdown: `${text} And a footer.` }),
          page('https://example.com/b', { markdown: 'Sentence of something else: thing7 and thing8.' }),
        ]);
        const found = await find('thing7 thing8');
        assert.equal(found.filter((url) => url.endsWith('/a')).length, 1);
        assert.ok(found.includes('https://example.com/b'));
      });
    });

    test('what a page of its site calls a page counts for it, as long as that page is there', async () => {
      const plugin = (name: string, holder: string): IndexedPage =>
        page(`https://docs.example/${name}`, {
          title: name,
          markdown: `The ${name} plugin sets which account a ${holder} has. `.repeat(5),
        });
      const [device, become] = [plugin('device', 'disk'), plugin('become', 'task')];
      const better = async (): Promise<string | undefined> =>
        (await find('account of another user')).find((url) => url === device.url || url === become.url);
      const turns = async (to: string): Promise<void> => {
        // Names may take as long as pages take to be found by other processes.
        for (let look = 0; look < 100 && (await better()) !== to; look += 1)
          await new Promise((resolve) => setTimeout(resolve, 50));
        assert.equal(await better(), to);
      };
      await index.put([device, become]);
      await turns(device.url);
      const linking = page('https://docs.example/tasks', {
        markdown: `To [run a task as another user](${become.url}) is a task.`,
      });
      await index.put([linking]);
      await turns(become.url);
      await index.forget({ url: linking.url });
      await turns(device.url);
    });

    describe('relevance', () => {
      test('pages that are unlikely to bear on the query come last and are marked', async () => {
        await index.put([
          page('https://birds.example/turnstone', {
            title: 'Ruddy turnstone',
            markdown:
              'The turnstone pushes pebbles aside and eats the food it finds beneath, sandhoppers and crabs.',
          }),
          page('https://code.example/find', {
            title: 'Find a package',
            markdown: 'Use find to look for a package. It finds packages by name and prints where they are.',
          }),
          page('https://code.example/food', {
            title: 'Orders',
            markdown:
              'An order has a customer, a day and many rows; one row of the example is food. Rows are kept sorted.',
          }),
        ]);
        const found = await index.search({
          ...NO_FILTERS,
          query: readQuery('how do turnstones find food'),
          limit: 10,
        });
        assert.deepEqual(
          found.filter(({ isRelevant }) => isRelevant).map(({ url }) => url),
          ['https://birds.example/turnstone'],
        );
        assert.ok(
          !found.some(({ url }) => url.endsWith('/find')),
          'a verb of the question alone finds nothing',
        );
        assert.equal(
          found.findIndex(({ isRelevant }) => !isRelevant),
          found.length === 1 ? -1 : 1,
        );
      });

      test('one page in two versions is one result', async () => {
        const words = (from: number): string =>
          Array.from({ length: 300 }, (_, at) => `word${from + at}`).join(' ');
        await index.put([
          page('https://docs.example/15/wal.html', { title: 'Write-ahead log', markdown: `wal ${words(0)}` }),
          page('https://docs.example/16/wal.html', {
            title: 'Write-ahead log',
            markdown: `wal ${words(150)}`,
          }),
        ]);
        const urls = await find('write-ahead log');
        assert.equal(urls.filter((url) => url.endsWith('/wal.html')).length, 1, urls.join(' '));
      });

      test('of several versions the newest released one leads, or the one that is named', async () => {
        const words = Array.from({ length: 300 }, (_, at) => `word${at}`).join(' ');
        const versions = ['3.9', '3.10', '4.0-rc1', 'devel'];
        await index.put(
          versions.map((version) =>
            page(`https://docs.example/${version}/wal.html`, {
              title: 'Write-ahead log',
              // The older, the more often it says the words of the question.
              markdown: `${'wal log '.repeat(version === '3.9' ? 9 : 1)} ${words} of ${version}`,
            }),
          ),
        );
        const leading = async (query: string): Promise<string[]> =>
          (await find(query, { limit: 1 })).map((url) => url.split('/')[3] ?? '');
        assert.deepEqual(await leading('write-ahead log'), ['3.10']);
        assert.deepEqual(await leading('write-ahead log 3.9'), ['3.9']);
        assert.deepEqual(await leading('write-ahead log in devel'), ['devel']);
      });
    });

    describe('filters', () => {
      test('a hundred domains at once', async () => {
        const urls = Array.from({ length: 300 }, (_, at) => `https://www.site${at}.example/page`);
        await index.put(urls.map((url, at) => page(url, { markdown: `codecs and word${at}` })));
        const domains = Array.from({ length: 100 }, (_, at) => `site${at}.example`);
        const included = await find('codecs', { includeDomains: domains, limit: 300 });
        assert.equal(included.length, 100);
        const excluded = await find('codecs', { excludeDomains: domains, limit: 300 });
        assert.equal(excluded.length, 200);
        assert.deepEqual([...included, ...excluded].sort(), urls.sort());
      });

      test('days are inclusive and a page without a day passes no such filter', async () => {
        const days = ['2023-12-31', '2024-01-01', '2024-02-29', '2024-03-01', null];
        await index.put(
          days.map((publishedDay, at) =>
            page(`https://example.com/${publishedDay}`, { publishedDay, markdown: `codecs word${at}` }),
          ),
        );
        const found = async (publishedFrom: string | null, publishedTo: string | null): Promise<string[]> =>
          (await find('codecs', { publishedFrom, publishedTo })).map((url) => url.slice(-10)).sort();
        assert.deepEqual(await found('2024-01-01', '2024-02-29'), ['2024-01-01', '2024-02-29']);
        assert.deepEqual(await found('2024-02-29', null), ['2024-02-29', '2024-03-01']);
        assert.deepEqual(await found(null, '2023-12-31'), ['2023-12-31']);
        assert.deepEqual(await found('2025-01-01', '2024-01-01'), []);
      });

      test('any domain filters let in what a naive reading lets in', async () => {
        const hosts = [
          'example.com',
          'a.example.com',
          'badexample.com',
          'b.a.example.com',
          'example.org',
          'xn--bcher-kva.de',
          '10.0.0.1',
        ];
        const paths = [
          '/',
          '/docs',
          '/docs/',
          '/docs/a',
          '/docs2',
          '/Docs/a',
          '/a/b/c/d/e/f/g/h/i/j',
          '/x%20y/z',
          '/a.b/c_d',
        ];
        const urls = hosts.flatMap((host) => paths.map((path) => `https://${host}${path}`));
        await index.put(urls.map((url, at) => page(url, { markdown: `codecs word${at}` })));
        const filter = fc
          .tuple(
            fc.constantFrom('', 'https://', '*.', 'www.', 'HTTP://www.'),
            fc.constantFrom(...hosts, 'com', 'bücher.de', 'Example.COM', 'ample.com', ''),
            fc.constantFrom('', '/', ...paths, '/a/b/c/d/e/f/g/h/i', '/a/b/c/d/e/f/g/h/X', '/x%20y', '/a.b'),
          )
          .map((parts) => parts.join(''));
        const some = fc.array(filter, { maxLength: 3 });
        await fc.assert(
          fc.asyncProperty(some, some, async (includeDomains, excludeDomains) => {
            const filters = { includeDomains, excludeDomains, publishedFrom: null, publishedTo: null };
            const passes = passFilters(filters);
            const wanted = urls.filter((url) => passes({ url, publishedDay: null }));
            assert.deepEqual((await find('codecs', { ...filters, limit: 1_000 })).sort(), wanted.sort());
          }),
          { numRuns: 60 },
        );
      });
    });
  });
}
