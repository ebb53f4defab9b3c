import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { readQuery } from '../../../src/text/query/read-query.ts';
import { type GivenIndex, page } from './given-index.ts';

/** What every engine promises of putting, getting, removing and counting pages. */
export function storedPages(given: GivenIndex): void {
  const { find } = given;
  describe('put, get and remove', () => {
    test('a page is found as soon as put resolves, and get gives it back as it was', async () => {
      const whole = page('https://example.com/a', {
        headings: ['One', 'Two'],
        publishedDay: '2024-02-29',
        site: 'S',
        author: 'B',
      });
      await given.index.put([whole]);
      assert.deepEqual(await find('codecs'), [whole.url]);
      assert.deepEqual(await given.index.get(whole.url), whole);
      assert.equal(await given.index.get('https://example.com/other'), null);
      assert.deepEqual(await given.index.size(), { pages: 1, hosts: 1 });
    });

    test('a page keeps the corpus that it was imported from until it is read from the web', async () => {
      const origin = { source: 'Encyclopedia of codecs', licence: 'CC-BY-SA-4.0' };
      const imported = page('https://example.com/a', { origin });
      const unlicensed = page('https://example.com/b', {
        markdown: 'Other codecs, and where nobody states a licence for what is written about them.',
        origin: { source: 'Dump', licence: null },
      });
      await given.index.put([imported, unlicensed]);
      assert.deepEqual(await given.index.get(imported.url), imported);
      assert.deepEqual((await given.index.get(unlicensed.url))?.origin, unlicensed.origin);
      const none = { includeDomains: [], excludeDomains: [], publishedFrom: null, publishedTo: null };
      const found = await given.index.search({ ...none, limit: 10, query: readQuery('codecs') });
      const byUrl = new Map(found.map(({ url, origin }) => [url, origin]));
      assert.deepEqual(byUrl.get(imported.url), origin);
      await given.index.put([page(imported.url)]);
      assert.deepEqual(await given.index.get(imported.url), page(imported.url));
    });

    test('a page with a secret in its address is not taken in', async () => {
      await given.index.put([page('https://example.com/a?token=1'), page('https://example.com/b')]);
      assert.deepEqual(await find('codecs'), ['https://example.com/b']);
      assert.equal(await given.index.get('https://example.com/a?token=1'), null);
      assert.deepEqual(await given.index.size(), { pages: 1, hosts: 1 });
    });

    test('a page that is put again replaces itself', async () => {
      await given.index.put([page('https://example.com/a')]);
      const [before] = (await given.index.version()).split('/');
      await given.index.put([page('https://example.com/a', { markdown: 'Now about gardening.' })]);
      assert.notEqual((await given.index.version()).split('/')[0], before);
      assert.deepEqual(await find('codecs'), []);
      assert.deepEqual(await find('gardening'), ['https://example.com/a']);
      assert.equal((await given.index.size()).pages, 1);
    });

    test('a removed page is gone, and only what was there counts', async () => {
      await given.index.put([
        page('https://example.com/a'),
        page('https://example.org/b', { markdown: 'gardening' }),
      ]);
      assert.equal(await given.index.remove(['https://example.com/a', 'https://example.com/never']), 1);
      assert.deepEqual(await find('codecs'), []);
      assert.deepEqual(await given.index.size(), { pages: 1, hosts: 1 });
    });

    test('a change that fails takes nothing with it', async () => {
      const bad = given.index.put([page('https://example.com/a'), page('not an address')]);
      const good = given.index.put([page('https://example.com/b')]);
      await assert.rejects(bad);
      await good;
      assert.deepEqual(await find('codecs'), ['https://example.com/b']);
    });

    test('many changes at once are all there', async () => {
      const urls = Array.from({ length: 500 }, (_, at) => `https://h${at % 7}.example.com/${at}`);
      await Promise.all(
        urls.map((url, at) => given.index.put([page(url, { markdown: `Text number${at} here` })])),
      );
      assert.deepEqual(await given.index.size(), { pages: 500, hosts: 7 });
      assert.equal((await find('number321'))[0], 'https://h6.example.com/321');
    });
  });

  test('frequencies count pages, leave out terms that no page has, and follow changes', async () => {
    await given.index.put([
      page('https://example.com/a', { markdown: 'otters' }),
      page('https://example.com/b', { markdown: 'otter and heron' }),
    ]);
    const { pages, frequencies } = await given.index.frequencies(['otter', 'heron', 'ledger']);
    assert.equal(pages, 2);
    assert.deepEqual(
      [...frequencies],
      [
        ['otter', 2],
        ['heron', 1],
      ],
    );
    await given.index.remove(['https://example.com/b']);
    assert.deepEqual([...(await given.index.frequencies(['heron'])).frequencies], []);
  });
}
