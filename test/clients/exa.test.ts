import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ExaError } from 'exa-js';
import { type ClientOf, describeExa, fixture, page, partsOf, QUERY, type Version } from './exa-fixture.ts';

describeExa((client, version) => {
  searches(client, version);
  findsSimilar(client);
  takesAddressesAndKeys(client);
  tellsFailures(client, version);
});

function searches(client: ClientOf, { isCurrent }: Version): void {
  test('a search has text of at most 10,000 characters by default, and tells its cost', async () => {
    const exa = await client();
    const found = await (isCurrent
      ? exa.search(QUERY)
      : exa.searchAndContents(QUERY, { text: { maxCharacters: 10_000 } }));
    assert.ok(found.results.length > 0);
    for (const result of found.results) {
      const { text } = partsOf(result);
      assert.ok(typeof text === 'string' && text.length > 0 && text.length <= 10_000);
      assert.equal(result.id, result.url);
    }
    assert.equal(found.costDollars?.total, 0.001);
    assert.match(found.requestId, /^req_/);
  });

  test('without contents no part of a page is there', async () => {
    const { results } = await (await client()).search(QUERY, (isCurrent ? { contents: false } : {}) as never);
    assert.ok(results.length > 0);
    for (const result of results)
      for (const part of ['text', 'highlights', 'highlightScores', 'prunedContext'])
        assert.equal(part in result, false, part);
  });

  test('every option that the client knows at once', async () => {
    const { results } = await (await client()).search(QUERY, EVERY_OPTION as never);
    assert.equal(results.length, 1);
    assert.ok((partsOf(results[0]).text?.length ?? 0) <= 100);
  });

  test('highlights have a score each, and no text', async () => {
    const { results } = await (await client()).search(QUERY, { contents: { highlights: true } } as never);
    assert.ok(results.length > 0);
    for (const result of results) {
      const { highlights = [], highlightScores = [] } = partsOf(result);
      assert.ok(highlights.length > 0 && highlights.every((one) => typeof one === 'string'));
      assert.equal(highlights.length, highlightScores.length);
      assert.equal('text' in result, false);
    }
  });

  test('a pruned context in both spellings', async () => {
    for (const contents of [{ pruned_context: true }, { prunedContext: true }]) {
      const { results } = await (await client()).search(QUERY, { contents } as never);
      for (const result of results) assert.equal(typeof partsOf(result).prunedContext, 'string');
    }
  });

  if (isCurrent)
    test('the tool for language models shows titles and highlights', async () => {
      const shown = await (await client()).tools.webSearch().run({ query: QUERY } as never);
      assert.match(String(shown), /Title: ?Sanderling/);
      assert.match(String(shown), /Highlights:/);
    });
}

const EVERY_OPTION = {
  numResults: 1,
  type: 'auto',
  category: 'news',
  useAutoprompt: true,
  flags: ['x'],
  moderation: true,
  includeDomains: ['127.10.0.1'],
  excludeDomains: [],
  includeText: ['surf'],
  excludeText: ['sea'],
  startPublishedDate: '2024-01-01T00:00:00.000Z',
  endPublishedDate: '2027-01-01',
  startCrawlDate: '2024-01-01',
  endCrawlDate: '2027-01-01',
  userLocation: 'NO',
  additionalQueries: ['x'],
  systemPrompt: 'x',
  outputSchema: {},
  betas: ['dynamic-highlights-2026-08-28'],
  contents: {
    text: { maxCharacters: 100, includeHtmlTags: false, verbosity: 'compact', includeSections: ['body'] },
    highlights: { query: 'surf', maxCharacters: 500, numSentences: 2, highlightsPerUrl: 1, dynamic: true },
    summary: { query: 'x', schema: {} },
    context: { maxCharacters: 10 },
    extras: { links: 1, imageLinks: 1, richLinks: 1, richImageLinks: 1, codeBlocks: 1 },
    subpages: 1,
    subpageTarget: ['a'],
    filterEmptyResults: true,
    snapshotAsOf: null,
    livecrawl: 'preferred',
    livecrawlTimeout: 1_000,
    maxAgeHours: 24,
  },
};

function findsSimilar(client: ClientOf): void {
  test('similar pages come from other domains', async () => {
    const options = { excludeSourceDomain: true, numResults: 3, contents: { highlights: true } };
    const { results } = await (await client()).findSimilar(page, options as never);
    assert.ok(results.length > 0);
    for (const { url } of results) assert.ok(!url.startsWith(fixture.site.origin), url);
  });
}

function takesAddressesAndKeys(client: ClientOf): void {
  for (const path of ['/', '/v1', '/v1/', '/shapeA', '/shapeA//'])
    test(`base address with ${path} at its end`, async () => {
      const exa = await client(path);
      assert.ok((await exa.search(QUERY, { numResults: 1 })).results.length > 0);
      assert.equal((await exa.getContents(page)).results.length, 1);
      assert.ok(Array.isArray((await exa.findSimilar(page, { numResults: 1 })).results));
    });

  test('the word keyless is the free tier', async () => {
    const { results } = await (await client('', 'Keyless')).search(QUERY, { numResults: 1 });
    assert.equal(results.length, 1);
    const raw = (): Promise<string | null> =>
      fixture.served
        .post('/search', { query: QUERY }, { 'x-api-key': '' })
        .then(({ headers }) => headers.get('x-credits-remaining'));
    const first = Number(await raw());
    assert.equal(await raw(), String(first - 1));
  });
}

function tellsFailures(client: ClientOf, { Failed, isCurrent }: Version): void {
  const errorOf = async (call: Promise<unknown>): Promise<ExaError> => {
    const error = await call.then(
      () => assert.fail('the call succeeded'),
      (reason: unknown) => reason,
    );
    assert.ok(error instanceof Failed, String(error));
    return error;
  };

  test('an unknown key', async () => {
    const error = await errorOf((await client('', 'nobody')).search(QUERY));
    assert.equal(error.statusCode, 401);
    assert.match(error.message, /^invalid_api_key/);
  });

  test('a key without credits: the message has the link', async () => {
    const error = await errorOf((await client('', await fixture.key(0))).search(QUERY));
    assert.equal(error.statusCode, 402);
    assert.match(error.message, /^insufficient_credits\. .*\/buy\/instant/);
  });

  test('a query of 2,001 characters', async () => {
    const error = await errorOf((await client()).search('q'.repeat(2_001)));
    assert.equal(error.statusCode, 422);
    assert.match(error.message, /^validation_error\. query: /);
  });

  test('a page that is not public', async () => {
    const error = await errorOf((await client()).getContents('http://127.0.0.1/'));
    assert.equal(error.statusCode, 400);
    assert.match(error.message, /^url_not_allowed/);
  });

  test('an answer for an unknown key', async () => {
    assert.equal((await errorOf((await client('', 'nobody')).answer(QUERY))).statusCode, 401);
  });

  test('a stream of an answer for a key without credits', async () => {
    const exa = await client('', await fixture.key(0));
    const streamed = async (): Promise<void> => {
      for await (const _ of exa.streamAnswer(QUERY)) assert.fail('nothing is streamed');
    };
    await assert.rejects(streamed, /insufficient_credits.*\/buy\/instant/s);
  });

  test('what is not served fails with a sentence and does not hang', async () => {
    const exa = await client();
    if (!isCurrent) return;
    const streamed = async (): Promise<void> => {
      for await (const _ of exa.streamSearch(QUERY)) assert.fail('nothing is streamed');
    };
    await assert.rejects(streamed, /stream/);
  });
}
