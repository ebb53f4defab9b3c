import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type ClientOf, describeExa, fixture, page, partsOf, QUERY } from './exa-fixture.ts';

describeExa((client) => {
  opensPages(client);
  answers(client);
});

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
      text: true,
      summary: { query: 'flocks' },
      extras: { links: 2, imageLinks: 1 },
      context: true,
      subpages: 1,
      subpageTarget: 'book',
      livecrawl: 'always',
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
