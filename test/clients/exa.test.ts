import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { Exa, ExaError } from 'exa-js';
import { Exa as OldExa, ExaError as OldExaError } from 'exa-js-1';
import type { CitedParts } from '../../src/search/cite-parts.ts';
import { type ClientFixture, openClientFixture } from './client-fixture.ts';

/** The published client of the first shape, with only its base address changed; A1 to A19 and A21 of its acceptance tests. */
let fixture: ClientFixture;
let page: string;
before(async () => {
  fixture = await openClientFixture();
  page = `${fixture.site.origin}/sanderling`;
});
after(() => fixture.close());

type Version = { name: string; isCurrent: boolean; Client: typeof Exa; Failed: typeof ExaError };
const VERSIONS: Version[] = [
  { name: 'exa-js 2.23.0', isCurrent: true, Client: Exa, Failed: ExaError },
  // The methods that are called here are the same in both; the newer types know more beside them.
  {
    name: 'exa-js 1.10.2',
    isCurrent: false,
    Client: OldExa as unknown as typeof Exa,
    Failed: OldExaError as unknown as typeof ExaError,
  },
];

const QUERY = 'wading birds of sandy beaches';
const partsOf = (result: unknown): CitedParts => result as CitedParts;

for (const version of VERSIONS) describe(version.name, () => acceptsAll(version));

function acceptsAll(version: Version): void {
  const client = async (path = '', key?: string): Promise<Exa> =>
    new version.Client(key ?? (await fixture.key()), fixture.served.address + path);
  searches(client, version);
  opensPages(client);
  findsSimilar(client);
  answers(client);
  takesAddressesAndKeys(client);
  tellsFailures(client, version);
}

type ClientOf = (path?: string, key?: string) => Promise<Exa>;

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
  ...{ numResults: 1, type: 'auto', category: 'news', useAutoprompt: true, flags: ['x'], moderation: true },
  ...{ includeDomains: ['127.10.0.1'], excludeDomains: [], includeText: ['surf'], excludeText: ['sea'] },
  ...{ startPublishedDate: '2024-01-01T00:00:00.000Z', endPublishedDate: '2027-01-01' },
  ...{ startCrawlDate: '2024-01-01', endCrawlDate: '2027-01-01', userLocation: 'NO' },
  ...{
    additionalQueries: ['x'],
    systemPrompt: 'x',
    outputSchema: {},
    betas: ['dynamic-highlights-2026-08-28'],
  },
  contents: {
    text: { maxCharacters: 100, includeHtmlTags: false, verbosity: 'compact', includeSections: ['body'] },
    highlights: { query: 'surf', maxCharacters: 500, numSentences: 2, highlightsPerUrl: 1, dynamic: true },
    summary: { query: 'x', schema: {} },
    context: { maxCharacters: 10 },
    extras: { links: 1, imageLinks: 1, richLinks: 1, richImageLinks: 1, codeBlocks: 1 },
    ...{ subpages: 1, subpageTarget: ['a'], filterEmptyResults: true, snapshotAsOf: null },
    ...{ livecrawl: 'preferred', livecrawlTimeout: 1_000, maxAgeHours: 24 },
  },
};

function opensPages(client: ClientOf): void {
  test('the text of a page by default, and a status with a source', async () => {
    const { results, statuses } = await (await client()).getContents(page);
    assert.match(partsOf(results[0]).text ?? '', /small wading bird/);
    assert.deepEqual(statuses, [{ id: page, status: 'success', source: 'cached' }]);
  });

  test('live, kept and of a certain age', async () => {
    const exa = await client();
    const sourceOf = async (options: object): Promise<unknown> => {
      const { statuses } = await exa.getContents([`${fixture.site.origin}/docs/ring`], options as never);
      return statuses?.[0];
    };
    const { hits } = fixture.site;
    const asked = hits('/docs/ring');
    assert.partialDeepStrictEqual(await sourceOf({ livecrawl: 'always' }), {
      status: 'success',
      source: 'crawled',
    });
    assert.equal(hits('/docs/ring'), asked + 1);
    assert.partialDeepStrictEqual(await sourceOf({ livecrawl: 'never' }), { source: 'cached' });
    assert.partialDeepStrictEqual(await sourceOf({ maxAgeHours: 24 }), { source: 'cached' });
    assert.equal(hits('/docs/ring'), asked + 1);
    await sourceOf({ maxAgeHours: 0 });
    assert.equal(hits('/docs/ring'), asked + 2);
  });

  test('of a good and a missing page one is billed', async () => {
    const missing = `${fixture.site.origin}/missing`;
    const key = await fixture.key(10);
    const { results, statuses, costDollars } = await (await client('', key)).getContents([page, missing]);
    assert.equal(results.length, 1);
    assert.deepEqual(statuses?.[1], {
      id: missing,
      status: 'error',
      source: 'crawled',
      error: { tag: 'CRAWL_NOT_FOUND', httpStatusCode: 404 },
    });
    assert.equal(costDollars?.total, 0.001);
    assert.equal(await fixture.left(key), 9);
  });

  test('the ids of a search are addresses of pages', async () => {
    const { results } = await (await client()).search(QUERY, {
      numResults: 1,
      contents: { text: true },
    } as never);
    const ids = results.map(({ id }) => id);
    const { post } = await fixture.served.owner();
    const { json } = await post('/contents', { ids, useAutoprompt: true });
    assert.deepEqual(
      json.results.map(({ url }: { url: string }) => url),
      ids,
    );
  });
}

function findsSimilar(client: ClientOf): void {
  test('similar pages come from other domains', async () => {
    const options = { excludeSourceDomain: true, numResults: 3, contents: { highlights: true } };
    const { results } = await (await client()).findSimilar(page, options as never);
    assert.ok(results.length > 0);
    for (const { url } of results) assert.ok(!url.startsWith(fixture.site.origin), url);
  });
}

const QUESTION = 'What does the dunlin feed on?';

function answers(client: ClientOf): void {
  test('an answer is a quotation with the pages that were read', async () => {
    const key = await fixture.key(10);
    const { answer, citations } = await (await client('', key)).answer(QUESTION, { text: true });
    assert.match(String(answer), /worms and sandhoppers/);
    assert.ok(citations.length > 0);
    for (const citation of citations) assert.equal(typeof partsOf(citation).text, 'string');
    assert.ok(partsOf(citations[0]).text?.includes(String(answer)));
    assert.equal(await fixture.left(key), 9);
  });

  test('a streamed answer is the same text', async () => {
    const exa = await client();
    const { answer, citations } = await exa.answer(QUESTION);
    let text = '';
    const urls: string[] = [];
    for await (const chunk of exa.streamAnswer(QUESTION)) {
      text += chunk.content ?? '';
      urls.push(...(chunk.citations ?? []).map(({ url }) => url));
    }
    assert.equal(text, answer);
    assert.deepEqual(
      urls,
      citations.map(({ url }) => url),
    );
  });

  test('summary, extras, context and subpages of pages', async () => {
    const key = await fixture.key(10);
    const options = {
      ...{ text: true, summary: { query: 'flocks' }, extras: { links: 2, imageLinks: 1 }, context: true },
      ...{ subpages: 1, subpageTarget: 'book', livecrawl: 'always' },
    };
    const found = await (await client('', key)).getContents(
      `${fixture.site.origin}/docs/count`,
      options as never,
    );
    const [result] = found.results as unknown as Record<string, unknown>[];
    assert.match(String(result?.summary), /counts wading birds/);
    assert.deepEqual(result?.extras, {
      links: [`${fixture.site.origin}/docs/book`],
      imageLinks: [],
    });
    assert.deepEqual(
      ((result?.subpages ?? []) as { url: string }[]).map(({ url }) => url),
      [`${fixture.site.origin}/docs/book`],
    );
    assert.match(found.context ?? '', /^Title: How to count\n/);
    assert.equal(await fixture.left(key), 8, 'one for the page, one for its subpage');
  });

  test('texts that pages must hold or not', async () => {
    const exa = await client();
    const titlesOf = async (options: object): Promise<(string | null)[]> =>
      (await exa.search(QUERY, { ...options, contents: false } as never)).results.map(({ title }) => title);
    assert.deepEqual(await titlesOf({ includeText: ['picks sandhoppers'] }), ['Sanderling']);
    assert.ok(!(await titlesOf({ excludeText: ['small wading bird'] })).includes('Sanderling'));
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
