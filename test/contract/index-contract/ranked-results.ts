import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { IndexedPage } from '../../../src/index/local-index-types.ts';
import { NO_FILTERS } from '../../../src/text/query/filters.ts';
import { readQuery } from '../../../src/text/query/read-query.ts';
import { type GivenIndex, page } from './given-index.ts';

/** What every engine promises of the order of results and of what is left out. */
export function rankedResults(given: GivenIndex): void {
  const { find } = given;
  describe('results', () => {
    test('scores fall from at most 1 to above 0, and the better page is first', async () => {
      await given.index.put([
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
      const found = await given.index.search({ ...none, query: readQuery('codecs'), limit: 10 });
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
      await given.index.put([
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
    await given.index.put([device, become]);
    await turns(device.url);
    const linking = page('https://docs.example/tasks', {
      markdown: `To [run a task as another user](${become.url}) is a task.`,
    });
    await given.index.put([linking]);
    await turns(become.url);
    await given.index.forget({ url: linking.url });
    await turns(device.url);
  });

  describe('relevance', () => {
    test('pages that are unlikely to bear on the query come last and are marked', async () => {
      await given.index.put([
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
      const found = await given.index.search({
        ...NO_FILTERS,
        query: readQuery('how do turnstones find food'),
        limit: 10,
      });
      assert.deepEqual(
        found.filter(({ isWeak }) => !isWeak).map(({ url }) => url),
        ['https://birds.example/turnstone'],
      );
      assert.ok(
        !found.some(({ url }) => url.endsWith('/find')),
        'a verb of the question alone finds nothing',
      );
      assert.equal(
        found.findIndex(({ isWeak }) => isWeak),
        1,
      );
    });

    test('one page in two versions is one result', async () => {
      const words = (from: number): string =>
        Array.from({ length: 300 }, (_, at) => `word${from + at}`).join(' ');
      await given.index.put([
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
      await given.index.put(
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
}
