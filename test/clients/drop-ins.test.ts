import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { SearxngSearch } from '@langchain/community/tools/searxng_search';
import Perplexity from '@perplexity-ai/perplexity_ai';
import {
  LinkupAuthenticationError,
  LinkupClient,
  LinkupInvalidRequestError,
  LinkupUnknownError,
} from 'linkup-sdk';
import { type ClientFixture, openClientFixture } from './client-fixture.ts';

/** Published clients of the shapes of other services, with only the base address changed. */
let fixture: ClientFixture;
before(async () => {
  fixture = await openClientFixture();
});
after(() => fixture.close());

const QUERY = 'wading birds of sandy beaches';

describe('@langchain/community 1.1.5, SearxngSearch (also the tool of n8n)', () => {
  const tool = (apiBase: string, params = {}): SearxngSearch =>
    new SearxngSearch({
      apiBase,
      params: { format: 'json', ...params },
      headers: { Accept: 'application/json' },
    });

  test('results, with the key in the address', async () => {
    const key = await fixture.key(5);
    const text: string = await tool(`${fixture.served.address}/searxng/${key}`, {
      numResults: 2,
      pageNumber: 1,
      language: 'en',
      safesearch: 0,
      engines: 'google',
    }).invoke(QUERY);
    const found = JSON.parse(`[${text}]`);
    assert.ok(found.length > 0 && found.length <= 2);
    for (const { link, title, snippet } of found) {
      assert.ok(URL.canParse(link) && title.length > 0);
      assert.match(snippet, /wading bird/);
    }
    assert.equal(await fixture.left(key), 4);
  });

  test('without a key, and without results', async () => {
    const base = `${fixture.served.address}/searxng`;
    assert.match(await tool(base).invoke(QUERY), /wading bird/);
    assert.equal(await tool(base, { pageno: 9 }).invoke(QUERY), 'No good results found.');
  });

  test('without credits the error has the link; an unknown key is an error', async () => {
    const poor = `${fixture.served.address}/searxng/${await fixture.key(0)}`;
    await assert.rejects(tool(poor).invoke(QUERY), /buy credits at http:\S+\/buy\/instant/);
    await assert.rejects(tool(`${fixture.served.address}/searxng/nobody`).invoke(QUERY), /Unauthorized/);
  });
});

describe('@perplexity-ai/perplexity_ai 0.38.5', () => {
  const client = (apiKey: string): Perplexity =>
    new Perplexity({ apiKey, baseURL: `${fixture.served.address}/pplx`, maxRetries: 0 });

  test('search: one query, several, and every option', async () => {
    const key = await fixture.key(10);
    const one = await client(key).search.create({ query: QUERY, max_results: 2 });
    assert.ok(one.results.length > 0 && one.results.length <= 2);
    assert.match(one.results[0]?.snippet ?? '', /wading bird/);
    assert.equal(one.results[0]?.date, '2026-11-02');
    assert.equal(await fixture.left(key), 9);
    const several = await client(key).search.create({
      query: [QUERY, 'how to count a flock'],
      max_results: 5,
      max_tokens: 2_000,
      max_tokens_per_page: 500,
      country: 'NO',
      search_domain_filter: ['-nowhere.example.org'],
      search_recency_filter: null,
      search_after_date_filter: '10/1/2026',
      search_before_date_filter: '12/31/2026',
    });
    assert.ok(several.results.length > 1);
    assert.equal(new Set(several.results.map(({ url }) => url)).size, several.results.length);
    assert.equal(await fixture.left(key), 7);
  });

  test('errors: an unknown key, a wrong field, no credits', async () => {
    const search = { query: QUERY };
    await assert.rejects(client('nobody').search.create(search), Perplexity.AuthenticationError);
    await assert.rejects(
      client(await fixture.key()).search.create({ query: [] }),
      (error) =>
        error instanceof Perplexity.UnprocessableEntityError && /must have 1 to 5/.test(error.message),
    );
    await assert.rejects(
      client(await fixture.key(0)).search.create(search),
      (error) =>
        error instanceof Perplexity.APIError && error.status === 402 && /\/buy\/instant/.test(error.message),
    );
  });
});

describe('linkup-sdk 2.7.0', () => {
  const client = (apiKey: string): LinkupClient =>
    new LinkupClient({ apiKey, baseUrl: `${fixture.served.address}/linkup/v1` });

  test('searchResults with every option', async () => {
    const key = await fixture.key(5);
    const { results } = await client(key).search({
      query: QUERY,
      depth: 'deep',
      outputType: 'searchResults',
      maxResults: 2,
      includeImages: true,
      excludeDomains: ['nowhere.example.org'],
      fromDate: new Date('2026-10-01'),
      toDate: new Date('2026-12-31'),
    });
    const pages = results.filter(({ type }) => type === 'text');
    assert.ok(pages.length > 0 && pages.length <= 2);
    const [first] = results;
    assert.ok(first?.type === 'text');
    assert.match(first.content, /wading bird/);
    assert.ok(results.some(({ type, url }) => type === 'image' && url.endsWith('/flock.jpg')));
    assert.equal(await fixture.left(key), 4);
  });

  test('sourcedAnswer quotes', async () => {
    const { answer, sources } = await client(await fixture.key()).search({
      query: 'what does the sanderling pick out of the wet sand',
      depth: 'standard',
      outputType: 'sourcedAnswer',
    });
    assert.equal(typeof answer, 'string');
    assert.ok(sources.length > 0 && sources.every(({ name, url }) => name !== '' && URL.canParse(url)));
  });

  test('fetch', async () => {
    const url = `${fixture.site.origin}/sanderling`;
    const { markdown } = await client(await fixture.key()).fetch({ url, renderJs: false });
    assert.match(markdown, /small wading bird/);
  });

  test('errors: an unknown key, structured output, no credits', async () => {
    const search = { query: QUERY, depth: 'standard', outputType: 'searchResults' } as const;
    await assert.rejects(client('nobody').search(search), LinkupAuthenticationError);
    await assert.rejects(
      client(await fixture.key()).search({ ...search, outputType: 'structured', structuredOutputSchema: {} }),
      (error) =>
        error instanceof LinkupInvalidRequestError && /structured output needs a model/.test(error.message),
    );
    await assert.rejects(
      client(await fixture.key(0)).search(search),
      (error) => error instanceof LinkupUnknownError && /\/buy\/instant/.test(error.message),
    );
  });
});
