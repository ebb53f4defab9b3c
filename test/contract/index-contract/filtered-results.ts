import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { createPageFilter } from '../../../src/text/query/filters.ts';
import { type GivenIndex, page } from './given-index.ts';

/** What every engine promises of filters by domain and day. */
export function filteredResults(given: GivenIndex): void {
  const { find } = given;
  describe('filters', () => {
    test('a hundred domains at once', async () => {
      const urls = Array.from({ length: 300 }, (_, at) => `https://www.site${at}.example/page`);
      await given.index.put(urls.map((url, at) => page(url, { markdown: `codecs and word${at}` })));
      const domains = Array.from({ length: 100 }, (_, at) => `site${at}.example`);
      const included = await find('codecs', { includeDomains: domains, limit: 300 });
      assert.equal(included.length, 100);
      const excluded = await find('codecs', { excludeDomains: domains, limit: 300 });
      assert.equal(excluded.length, 200);
      assert.deepEqual([...included, ...excluded].sort(), urls.sort());
    });

    test('that let in few pages have all of them ranked', async () => {
      const filler = (number: number): string =>
        Array.from({ length: 40 }, (_, at) => `word${number}x${at}`).join(' ');
      const far = Array.from(
        { length: 60 },
        (_, at) => `Quiet ${filler(at)} and ${filler(at + 500)} harbour.`,
      );
      const rest = Array.from({ length: 12 }, (_, at) => filler(at + 900)).join(' ');
      const close = `The quiet harbour is described here. ${rest} A quiet harbour.`;
      await given.index.put(
        [...far, close].map((markdown, at) => page(`https://docs.example/${at}`, { markdown })),
      );
      const [best] = await find('quiet harbour', { includeDomains: ['docs.example'] });
      assert.equal(best, 'https://docs.example/60');
      // Without a filter it is not among those that are ranked: each of its words tells less of so long a page.
      assert.ok(!(await find('quiet harbour')).includes('https://docs.example/60'));
    });

    test('a word is as rare as it is in the domains that are named', async () => {
      const said = (host: string, count: number, markdown: string) =>
        Array.from({ length: count }, (_, at) =>
          page(`https://${host}/${at}`, {
            title: `Page ${host} ${at}`,
            markdown: `${markdown} Number${at}.`,
          }),
        );
      await given.index.put([
        ...said('docs.example', 60, 'A zorvik is set here.'),
        page('https://docs.example/quandle', { title: 'Page', markdown: 'A quandle is set here. Number60.' }),
        ...said('other.example', 600, 'A quandle is kept here.'),
      ]);
      const [best] = await find('zorvik quandle', { includeDomains: ['docs.example'] });
      assert.equal(best, 'https://docs.example/quandle', 'it alone has one of the words there');
      const [anywhere] = await find('zorvik quandle');
      assert.match(anywhere ?? '', /docs\.example\/\d/, 'which most pages of the index have');
    });

    test('days are inclusive and a page without a day passes no such filter', async () => {
      const days = ['2023-12-31', '2024-01-01', '2024-02-29', '2024-03-01', null];
      await given.index.put(
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

    test('a library, a version and a kind', async () => {
      const of = (versions: string[], kind = 'guide', isPrivate = false) => ({
        library: { versions, kind, isPrivate },
      });
      const held = {
        old: of(['npm:wader@1.0.0']),
        both: of(['npm:wader@1.0.0', 'npm:wader@2.0.0']),
        changes: of(['npm:wader@2.0.0'], 'changelog'),
        other: of(['pypi:wader@2.0.0']),
        secret: of(['npm:@we/tern@1.0.0'], 'guide', true),
        plain: {},
      };
      await given.index.put(
        Object.entries(held).map(([name, parts], at) =>
          page(`https://docs.example/${name}`, { markdown: `codecs word${at}`, ...parts }),
        ),
      );
      const found = async (versions: string[], kinds: string[] = []): Promise<string[]> =>
        (await find('codecs', { library: { versions, kinds } })).map((url) => url.slice(21)).sort();
      assert.deepEqual(await found(['npm:wader@2.0.0']), ['both', 'changes']);
      assert.deepEqual(await found(['npm:wader@2.0.0'], ['guide', 'api']), ['both']);
      assert.deepEqual(await found(['npm:wader@1.0.0', 'pypi:wader@2.0.0']), ['both', 'old', 'other']);
      assert.deepEqual(await found(['npm:@we/tern@1.0.0']), ['secret']);
      assert.deepEqual(await found(['npm:wader@3.0.0']), []);
      const anywhere = (await find('codecs')).map((url) => url.slice(21)).sort();
      assert.deepEqual(
        anywhere,
        ['both', 'changes', 'old', 'other', 'plain'],
        'without a library no private page',
      );
      assert.deepEqual((await given.index.get('https://docs.example/both'))?.library, held.both.library);
      await given.index.put([page('https://docs.example/both', { markdown: 'codecs word1', ...held.old })]);
      assert.deepEqual(await found(['npm:wader@2.0.0']), ['changes'], 'a page that left a version');
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
      await given.index.put(urls.map((url, at) => page(url, { markdown: `codecs word${at}` })));
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
          const passes = createPageFilter(filters);
          const wanted = urls.filter((url) => passes({ url, publishedDay: null }));
          assert.deepEqual((await find('codecs', { ...filters, limit: 1_000 })).sort(), wanted.sort());
        }),
        { numRuns: 60 },
      );
    });
  });
}
