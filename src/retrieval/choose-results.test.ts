import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { chooseResults } from './choose-results.ts';
import type { ListedItem, SourceList } from './recall/fuse.ts';

const TODAY = { today: '2026-11-21' };
const item = (url: string, parts: Partial<ListedItem> = {}): ListedItem => ({
  ...{ url, title: '', snippet: '', publishedDay: null },
  ...parts,
});
const list = (source: string, ...items: ListedItem[]): SourceList => ({ source, weight: 1, items });
const best = (query: string, ...lists: SourceList[]): string | undefined =>
  chooseResults(
    lists,
    {
      ...{ query, numResults: 10, includeDomains: [], excludeDomains: [], publishedFrom: null },
      ...{ publishedTo: null, contents: null, signal: new AbortController().signal },
    },
    TODAY,
  ).passing[0]?.url;

describe('results of several sources', () => {
  test('a title that says the query stands before one that says a part of it', () => {
    const web = list(
      'web',
      item('https://a.org/', { title: 'Migration of birds' }),
      item('https://b.org/', { title: 'Red knot migration' }),
    );
    assert.equal(best('red knot migration', web), 'https://b.org/');
  });

  test('the score of the own index, which read the whole page, stands in for words that the passage lacks', () => {
    const own = list('index', item('https://own.org/', { title: 'Red notes', ownScore: 0.95 }));
    const web = list('web', item('https://w.org/', { title: 'Knot' }));
    assert.equal(best('red knot migration', own, web), 'https://own.org/');
  });

  test('a page that two sources name stands before its equals', () => {
    const page = (name: string): ListedItem => item(`https://${name}.org/`, { title: `Red knot ${name}` });
    assert.equal(
      best('red knot', list('web', page('a'), page('b')), list('wiki', page('b'))),
      'https://b.org/',
    );
  });
});
