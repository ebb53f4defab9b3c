import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { createFetchFailure, Failure } from '../contract/errors.ts';
import type { Article } from '../pages/article.ts';
import { computeContentHash } from '../pages/content-hash.ts';
import type { OpenPage } from '../pages/open-page-types.ts';
import { quoteAnswer } from '../text/answer/quote-answer.ts';
import { buildPageParts } from '../text/prune/page-parts.ts';
import { addContents } from './add-contents.ts';
import type { Choice } from './choosing/choose-results.ts';
import { createLateness, listLateParts } from './late-parts.ts';
import { ANSWER_PAGES } from './quote-from-results.ts';
import type { QuoteWorker } from './quote-worker.ts';
import type { SearchRequest } from './search-types.ts';
import { startStopwatch } from './stopwatch.ts';

const SAYS = 'The sanderling breeds in the high Arctic tundra of Greenland and Siberia.';

const article = (url: string): Article => ({
  url: `${url}?moved`,
  canonicalUrl: url,
  kind: 'html',
  title: 'Sanderling',
  author: null,
  site: null,
  language: 'en',
  published: null,
  description: null,
  headings: [],
  links: [],
  markdown: SAYS,
  robots: { index: true, follow: true },
  rawChars: 400,
});

const choices = Array.from({ length: 7 }, (_, place): Choice => {
  const url = `https://p${place}.example/`;
  return { url, title: 'Sanderling', snippet: 'A snippet.', publishedDay: null, score: 1 - place / 10 };
});

function fixture(quote: QuoteWorker = async ({ query, pages }) => quoteAnswer(query, pages)) {
  const opened: string[] = [];
  const failing = new Set<string>();
  const openPage: OpenPage = async (url) => {
    opened.push(url);
    if (failing.has(url)) throw createFetchFailure('timeout', 'too late');
    return { article: article(url), fetchedAt: 0, cache: 'miss', privacy: null };
  };
  const dress = (
    parts: Partial<SearchRequest>,
    lateness = createLateness(),
  ): ReturnType<typeof addContents> =>
    addContents(
      {
        openPage,
        quote,
        reranker: null,
        prune: async (pages, task) => pages.map((page) => buildPageParts(page, task.wanted, task.query)),
      },
      {
        query: 'Where does the sanderling breed?',
        numResults: 7,
        includeDomains: [],
        excludeDomains: [],
        publishedFrom: null,
        publishedTo: null,
        contents: null,
        answer: true,
        signal: new AbortController().signal,
        ...parts,
      },
      { chosen: choices, reorder: null, watch: startStopwatch(), lateness },
    );
  return { dress, opened, failing };
}

describe('the answer of a search', () => {
  test('is absent and costs nothing when it is not wanted', async () => {
    const { dress, opened } = fixture(() => assert.fail('nothing is quoted'));
    assert.ok(!('answer' in (await dress({ answer: false }))));
    assert.deepEqual(opened, []);
  });

  test('comes from the pages of the best results, opened though no contents are wanted', async () => {
    const { dress, opened } = fixture();
    const { answer, results, tokens } = await dress({});
    assert.equal(answer?.contentHash, computeContentHash(SAYS));
    assert.match(answer?.link ?? '', /^https:\/\/p0\.example\/#:~:text=The%20sanderling%20breeds/);
    assert.partialDeepStrictEqual(answer, {
      text: SAYS,
      url: 'https://p0.example/',
      title: 'Sanderling',
      start: 0,
    });
    assert.deepEqual(
      opened,
      choices.slice(0, ANSWER_PAGES).map(({ url }) => url),
    );
    assert.equal(results.length, choices.length);
    assert.ok(results.every((result) => !('text' in result)));
    assert.deepEqual(tokens, { raw: 500, output: Math.ceil(SAYS.length / 4) });
  });

  test('opens no page twice when contents are wanted too', async () => {
    const { dress, opened } = fixture();
    const wanted = { text: { charsMax: null }, highlights: null, pruned: null };
    const { answer, results } = await dress({ contents: wanted });
    assert.equal(answer?.text, SAYS);
    assert.equal(opened.length, choices.length);
    assert.ok(results.every(({ text }) => text === SAYS));
  });

  test('a page that is not in by then does not count', async () => {
    const { dress, failing } = fixture();
    failing.add('https://p0.example/');
    assert.equal((await dress({})).answer?.url, 'https://p1.example/');
    for (const { url } of choices) failing.add(url);
    const lateness = createLateness();
    assert.equal((await dress({}, lateness)).answer, null);
    assert.deepEqual(listLateParts(lateness), ['answer', 'pages']);
  });

  test('is null when nothing found answers, which is complete, and when nobody has time to look, which is not', async () => {
    const lateness = createLateness();
    assert.equal((await fixture().dress({ query: 'Who composed Rigoletto?' }, lateness)).answer, null);
    assert.deepEqual(listLateParts(lateness), []);
    const busy = fixture(() => Promise.reject(new Failure('overloaded', 'too many wait')));
    assert.equal((await busy.dress({}, lateness)).answer, null);
    assert.deepEqual(listLateParts(lateness), ['answer']);
  });

  test('fails with what went wrong otherwise, and when the caller hangs up', async () => {
    const broken = fixture(() => Promise.reject(new TypeError('broken')));
    await assert.rejects(broken.dress({}), TypeError);
    const caller = new AbortController();
    const left = fixture(async () => {
      caller.abort(new Error('hung up'));
      throw new Failure('overloaded', 'too many wait');
    });
    await assert.rejects(left.dress({ signal: caller.signal }), /hung up/);
  });
});
