import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { checkUrl, opener, prune, signal, wantText } from '../../test/fixtures/unit-tests/given-pages.ts';
import { createFetchFailure, Failure } from '../contract/errors.ts';
import type { Page } from '../pages/article.ts';
import { createSingleFlight } from '../pages/single-flight.ts';
import { createContents } from './contents.ts';

describe('contents', () => {
  const contents = createContents({
    reranker: null,
    checkUrl,
    openPage: opener({
      'https://a.org/': 'Text of a.',
      'https://b.org/': createFetchFailure('http_status', 'gone', { httpStatus: 404 }),
      'https://c.org/': new Failure('url_not_allowed', 'redirect', {
        fetch: { reason: 'not_allowed', httpStatus: null },
      }),
    }),
    prune,
  });

  test('a URL that fails is a status and the others go on, in order', async () => {
    const { results, statuses } = await contents({
      urls: ['https://b.org/', 'https://a.org/'],
      wanted: wantText,
      signal,
    });
    assert.deepEqual(
      results.map(({ id, text }) => [id, text]),
      [['https://a.org/', 'Text of a.']],
    );
    assert.deepEqual(statuses, [
      { ok: false, id: 'https://b.org/', reason: 'http_status', httpStatus: 404, message: 'gone' },
      { ok: true, id: 'https://a.org/', cache: 'miss' },
    ]);
  });

  test('one address that is not public refuses the whole call before anything is fetched', async () => {
    await assert.rejects(
      contents({ urls: ['https://a.org/', 'https://private/'], wanted: wantText, signal }),
      { code: 'url_not_allowed' },
    );
  });

  test('a page that is not open in time has failed, and the others are dressed', async () => {
    const slow = createContents({
      reranker: null,
      checkUrl,
      openPage: (url, options) =>
        url === 'https://a.org/'
          ? opener({ [url]: 'Text of a.' })(url, options)
          : createSingleFlight<Page>(() => true).join(url, options.signal, () => new Promise(() => {})),
      prune,
    });
    const { results, statuses } = await slow({
      urls: ['https://slow.org/', 'https://a.org/'],
      wanted: wantText,
      openMs: 1,
      signal,
    });
    assert.deepEqual(
      results.map(({ text }) => text),
      ['Text of a.'],
    );
    assert.partialDeepStrictEqual(statuses[0], { ok: false, reason: 'aborted' });
  });

  test('a page that is not cut in time has failed, and the others are answered', async () => {
    const late = new AbortController();
    const slow = createContents({
      reranker: null,
      checkUrl,
      openPage: opener({ 'https://a.org/': 'Text of a.', 'https://b.org/': 'Slow text.' }),
      prune: async (pages, task, until) => {
        if (pages[0]?.markdown !== 'Slow text.') return prune(pages, task, until);
        return new Promise((_, reject) => {
          until.addEventListener('abort', () => reject(until.reason));
          late.abort(createFetchFailure('timeout', 'The page took too long.'));
        });
      },
    });
    const urls = ['https://b.org/', 'https://a.org/'];
    const { results, statuses } = await slow({ urls, wanted: wantText, signal: late.signal });
    assert.deepEqual(
      results.map(({ text }) => text),
      ['Text of a.'],
    );
    assert.partialDeepStrictEqual(statuses, [{ ok: false, reason: 'timeout' }, { ok: true }]);
  });

  test('a page that finds no thread has failed, and the others are answered', async () => {
    const full = createContents({
      reranker: null,
      checkUrl,
      openPage: opener({ 'https://a.org/': 'Text of a.', 'https://b.org/': 'Refused.' }),
      prune: async (pages, task, until) => {
        if (pages[0]?.markdown === 'Refused.') throw new Failure('overloaded', 'full');
        return prune(pages, task, until);
      },
    });
    const urls = ['https://b.org/', 'https://a.org/'];
    const { results, statuses } = await full({ urls, wanted: wantText, signal });
    assert.equal(results.length, 1);
    assert.partialDeepStrictEqual(statuses, [{ ok: false, reason: 'overloaded' }, { ok: true }]);
  });

  test('how pages are opened is handed on', async () => {
    const opened: object[] = [];
    const watched = createContents({
      reranker: null,
      checkUrl,
      openPage: (url, { signal: _, ...opening }) => {
        opened.push(opening);
        return opener({ [url]: 'x' })(url, { signal });
      },
      prune,
    });
    const opening = { freshMs: 0, copies: 'never', timeoutMs: 5 } as const;
    await watched({
      urls: ['https://a.org/'],
      wanted: wantText,
      opening,
      signal,
      tenant: 'key 1',
      keep: false,
    });
    assert.deepEqual(opened, [{ ...opening, tenant: 'key 1', keep: false }]);
  });

  test('where each fails alone, one address that is not public is a status among several', async () => {
    const each = { wanted: wantText, eachAlone: true, signal } as const;
    const { results, statuses } = await contents({ ...each, urls: ['https://private/', 'https://a.org/'] });
    assert.partialDeepStrictEqual(statuses[0], { ok: false, reason: 'not_allowed' });
    assert.equal(results.length, 1);
    await assert.rejects(contents({ ...each, urls: ['https://private/'] }), { code: 'url_not_allowed' });
  });

  test('a redirect to a private address refuses a call of one URL and is a status among several', async () => {
    await assert.rejects(contents({ urls: ['https://c.org/'], wanted: wantText, signal }), {
      code: 'url_not_allowed',
    });
    const { statuses } = await contents({
      urls: ['https://a.org/', 'https://c.org/'],
      wanted: wantText,
      signal,
    });
    assert.partialDeepStrictEqual(statuses[1], { ok: false, reason: 'not_allowed' });
  });
});
