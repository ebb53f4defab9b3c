import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { createFetchFailure, Failure } from '../../contract/errors.ts';
import type { OpenPage } from '../../pages/open-page-types.ts';
import type { RecallAll, RecallResult } from '../../recall/recall.ts';
import { NO_FILTERS } from '../../text/query/filters.ts';
import { readQuery } from '../../text/query/read-query.ts';
import { createLateness } from '../late-parts.ts';
import { addAdditionalQueries, passTextFilter } from '../search.ts';
import type { SearchRequest } from '../search-types.ts';
import { startStopwatch } from '../stopwatch.ts';
import { type Choice, type ChosenResults, preferDomains } from './choose-results.ts';

const signal = new AbortController().signal;
const choice = (url: string, score: number, snippet = ''): Choice => ({
  url,
  title: `Title of ${url}`,
  snippet,
  publishedDay: null,
  score,
});
const chosenOf = (...passing: Choice[]): ChosenResults => ({ passing, undated: [], filters: {} });
const request = (parts: Partial<SearchRequest>): SearchRequest => ({
  query: 'godwit',
  numResults: 10,
  ...NO_FILTERS,
  contents: null,
  signal,
  ...parts,
});
const urlsOf = ({ passing }: ChosenResults): string[] => passing.map(({ url }) => url);

describe('the text filter', () => {
  const PAGES: Record<string, string> = {
    'https://a.org/': 'The **Bar-tailed\n[Godwit](https://x.org/)** flies far.',
    'https://b.org/': 'The dunlin stays.',
  };
  const opened: string[] = [];
  const openPage: OpenPage = async (url) => {
    opened.push(url);
    const markdown = PAGES[url];
    if (markdown === undefined) throw createFetchFailure('dns', 'no such host');
    const article = { url, canonicalUrl: url, title: '', markdown } as never;
    return { article, fetchedAt: 0, cache: 'miss', privacy: null };
  };
  const filtered = (pageText: SearchRequest['pageText'], chosen: ChosenResults): Promise<ChosenResults> =>
    passTextFilter(openPage, request(pageText === undefined ? {} : { pageText }), {
      chosen,
      watch: startStopwatch(),
      lateness: createLateness(),
    });
  const all = chosenOf(
    choice('https://a.org/', 0.9),
    choice('https://b.org/', 0.8),
    choice('https://gone.org/', 0.7, 'A bar-tailed godwit.'),
  );

  test('matches the visible text of the page, without regard to case and line ends', async () => {
    const left = await filtered({ include: ['bar-tailed  GODWIT flies'], exclude: [] }, all);
    assert.deepEqual(urlsOf(left), ['https://a.org/']);
    assert.deepEqual(left.filters, { includeText: { removed: 2, opened: 2 } });
  });

  test('a page that does not open is judged by its snippet', async () => {
    const left = await filtered({ include: ['bar-tailed godwit'], exclude: [] }, all);
    assert.deepEqual(urlsOf(left), ['https://a.org/', 'https://gone.org/']);
  });

  test('drops pages that hold an excluded text', async () => {
    const left = await filtered({ include: [], exclude: ['dunlin'] }, all);
    assert.deepEqual(urlsOf(left), ['https://a.org/', 'https://gone.org/']);
    assert.deepEqual(left.filters, { excludeText: { removed: 1, opened: 2 } });
  });

  test('opens nothing unless requested', async () => {
    opened.length = 0;
    assert.equal(await filtered(undefined, all), all);
    assert.deepEqual(opened, []);
  });
});

describe('additional queries', () => {
  const answer = (...urls: string[]): RecallResult => ({
    lists: [
      {
        source: 'web',
        weight: 1,
        items: urls.map((url) => ({ url, title: `Knot ${url}`, snippet: 'The knot.', publishedDay: null })),
      },
    ],
    reports: {},
    cache: 'miss',
    mayBeKept: true,
    isIndexLate: false,
  });
  const widened = (recall: RecallAll, additionalQueries: string[]) => {
    const asked = request({ additionalQueries });
    return addAdditionalQueries(recall, asked, {
      found: { chosen: chosenOf(choice('https://a.org/', 0.99)), mayBeKept: true },
      today: '2026-01-01',
      recallQuery: { query: readQuery('godwit'), limit: 20, ...NO_FILTERS, signal },
      lateness: createLateness(),
    });
  };

  test('add their results, each page once', async () => {
    const asked: string[] = [];
    const recall: RecallAll = async ({ query }) => {
      asked.push(query.text);
      return answer('https://knot.org/', 'https://a.org/');
    };
    const { chosen, mayBeKept } = await widened(recall, ['knot', 'red knot']);
    assert.deepEqual(asked, ['knot', 'red knot']);
    assert.deepEqual(urlsOf(chosen), ['https://a.org/', 'https://knot.org/']);
    assert.equal(mayBeKept, true);
  });

  test('one that no source answers adds nothing, and the answer is not cached', async () => {
    const recall: RecallAll = async () => {
      throw new Failure('recall_unavailable', 'none');
    };
    const { chosen, mayBeKept } = await widened(recall, ['knot']);
    assert.deepEqual(urlsOf(chosen), ['https://a.org/']);
    assert.equal(mayBeKept, false);
  });
});

describe('preferred domains', () => {
  test('rank higher, and no score leaves its range', () => {
    const ranked = preferDomains(
      [choice('https://a.org/', 0.6), choice('https://b.co.uk/', 0.5), choice('https://c.uk/', 1)],
      ['uk'],
    );
    assert.deepEqual(
      ranked.map(({ url, score }) => [url, score]),
      [
        ['https://c.uk/', 1],
        ['https://b.co.uk/', 0.625],
        ['https://a.org/', 0.6],
      ],
    );
  });
});
