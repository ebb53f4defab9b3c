import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { givenIndex, item, request, searchOver, web } from '../../test/fixtures/unit-tests/search-fixture.ts';

describe('search', () => {
  const { index } = givenIndex();

  test('no source can bring a page past the filters', async () => {
    const { results } = await searchOver(index)({ ...request, includeDomains: ['b.org'] });
    assert.deepEqual(
      results.map(({ url }) => url),
      ['https://b.org/'],
    );
  });

  test('filters say what they kept out, and the sources are asked once for what comes next', async () => {
    const pages = [[item('https://other.org/1'), item('https://b.org/1')], [item('https://b.org/2')]];
    const { results, filters, timingsMs } = await searchOver(index, [web(pages)])({
      ...request,
      includeDomains: ['b.org'],
    });
    assert.deepEqual(results.map(({ url }) => url).sort(), [
      'https://b.org/',
      'https://b.org/1',
      'https://b.org/2',
    ]);
    assert.deepEqual(filters, { includeDomains: { removed: 3 } });
    assert.ok('recallAgain' in timingsMs);
  });

  test('pages without a date are opened for one when a date filter leaves too few', async () => {
    const pages = [
      [
        item('https://dated.org/'),
        item('https://late.org/', '2025-01-01'),
        item('https://x.org/', '2024-05-01'),
      ],
    ];
    const { results, filters } = await searchOver(index, [web(pages)])({
      ...request,
      publishedFrom: '2024-05-01',
      publishedTo: '2024-12-31',
    });
    const days = Object.fromEntries(results.map(({ url, publishedDay }) => [url, publishedDay]));
    assert.deepEqual(days, {
      'https://a.org/': '2024-05-06',
      'https://dated.org/': '2024-05-06',
      'https://x.org/': '2024-05-01',
    });
    assert.deepEqual(filters, { publishedDate: { removed: 3, opened: 4 } });
  });
});
