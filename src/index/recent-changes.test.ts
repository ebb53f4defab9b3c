import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { IndexedPage } from './local-index-types.ts';
import { createRecentChanges } from './recent-changes.ts';

const page = (url: string, markdown: string, language: string | null = 'en'): IndexedPage => ({
  url,
  title: 'Page',
  headings: [],
  markdown,
  publishedDay: null,
  language,
  site: null,
  author: null,
  rawChars: markdown.length,
  fetchedAt: 0,
});
const about = (text: string, ...urls: string[]) => ({
  texts: [text],
  urls: new Set(urls),
  read: new Map([['https://read.org/', 5]]),
});
const readAt = (fetchedAt: number): IndexedPage => ({ ...page('https://read.org/', 'wader'), fetchedAt });
const LONG = 'tide '.repeat(20_000);

describe('what happened between two versions', () => {
  const cases: [title: string, pages: IndexedPage[], subject: ReturnType<typeof about>, expected: boolean][] =
    [
      ['a page with other words', [page('https://a.org/', 'About tides.')], about('sanderling nests'), true],
      [
        'a page with one of the words',
        [page('https://a.org/', 'Its nest.')],
        about('sanderling nests'),
        false,
      ],
      ['in another form', [page('https://a.org/', 'It nested.')], about('nesting'), false],
      ['in the stems of its language', [page('https://a.org/', 'Die Nester.', 'de')], about('Nest'), false],
      [
        'a page that shares words without meaning',
        [page('https://a.org/', 'The tide.')],
        about('the wader'),
        true,
      ],
      ['only such words were asked for', [page('https://a.org/', 'It is the.')], about('the'), false],
      ['a page of the answer', [page('https://b.org/', 'Gone.')], about('wader', 'https://b.org/'), false],
      ['one of many', [page('https://a.org/', 'x'), page('https://c.org/', 'wader')], about('wader'), false],
      ['the reading that the answer was made from', [readAt(5)], about('wader', 'https://read.org/'), true],
      ['a later reading of the same page', [readAt(6)], about('wader', 'https://read.org/'), false],
      [
        'such a reading and another page',
        [readAt(5), page('https://a.org/', 'wader')],
        about('wader'),
        false,
      ],
      ['a page too long to look at', [page('https://a.org/', LONG)], about('wader'), false],
    ];
  for (const [title, pages, subject, expected] of cases)
    test(title, () => {
      const recent = createRecentChanges();
      const since = recent.versionOf(7);
      recent.begin(pages)();
      const now = recent.versionOf(7 + pages.length);
      assert.notEqual(now, since);
      assert.equal(recent.isUnaffected(since, now, subject), expected);
    });

  test('a change by another process may be about anything', () => {
    const recent = createRecentChanges();
    const since = recent.versionOf(7);
    assert.equal(recent.isUnaffected(since, recent.versionOf(8), about('wader')), false);
    recent.begin([page('https://a.org/', 'tide')])();
    assert.equal(recent.isUnaffected(since, recent.versionOf(9), about('wader')), false);
    assert.equal(recent.isUnaffected(since, recent.versionOf(8), about('wader')), true);
  });

  test('pages on their way count whether they are in the index yet or not', () => {
    const recent = createRecentChanges();
    const since = recent.versionOf(7);
    const end = recent.begin([page('https://a.org/', 'tide')]);
    for (const counter of [7, 8]) {
      const now = recent.versionOf(counter);
      assert.equal(recent.isUnaffected(since, now, about('wader')), true);
      assert.equal(recent.isUnaffected(since, now, about('tide')), counter === 7);
    }
    const unsettled = recent.versionOf(8);
    end();
    recent.begin([page('https://b.org/', 'tide')])();
    assert.equal(recent.isUnaffected(unsettled, recent.versionOf(9), about('wader')), false);
  });

  test('more pages than are remembered may be about anything, and so may those that were cleared', () => {
    const recent = createRecentChanges();
    const since = recent.versionOf(0);
    const many = Array.from({ length: 129 }, (_, at) => page(`https://a.org/${at}`, 'tide'));
    recent.begin(many)();
    assert.equal(recent.isUnaffected(since, recent.versionOf(129), about('wader')), false);
    const then = recent.versionOf(129);
    recent.begin(many.slice(1))();
    assert.equal(recent.isUnaffected(then, recent.versionOf(257), about('wader')), true);
    recent.clear();
    assert.equal(recent.isUnaffected(then, recent.versionOf(257), about('wader')), false);
  });
});
