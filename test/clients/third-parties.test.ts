import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { ExaClient } from '@agentic/exa';
import { TavilyClient } from '@agentic/tavily';
import { ExaFindSimilarResults, ExaRetriever, ExaSearchResults } from '@langchain/exa';
import { TavilyExtract, TavilySearch } from '@langchain/tavily';
import { tavilyExtract, tavilySearch } from '@tavily/ai-sdk';
import { Exa } from 'exa-js-1';
import { type ClientFixture, openClientFixture } from './client-fixture.ts';

/** What others have built over the two shapes, with only the base address changed; A20, B18, B19 and B21 of the acceptance tests. */
let fixture: ClientFixture;
let page: string;
before(async () => {
  fixture = await openClientFixture();
  page = `${fixture.site.origin}/sanderling`;
});
after(() => fixture.close());

const QUERY = 'wading birds of sandy beaches';

describe('@langchain/exa 1.0.2', () => {
  const client = async (): Promise<never> => new Exa(await fixture.key(), fixture.served.address) as never;

  test('the retriever gives documents', async () => {
    for (const searchArgs of [undefined, { highlights: true }, { text: true, highlights: true }]) {
      const retriever = new ExaRetriever({
        client: await client(),
        ...(searchArgs && { searchArgs }),
      } as never);
      const documents = await retriever.invoke(QUERY);
      assert.ok(documents.length > 0);
      for (const { pageContent, metadata } of documents) {
        assert.match(pageContent, /wading bird/);
        assert.ok(URL.canParse(metadata.url as string));
      }
    }
  });

  test('both tools give the results as text', async () => {
    const searched = await new ExaSearchResults({ client: await client() }).invoke(QUERY);
    assert.match(searched, /wading bird/);
    const similar = await new ExaFindSimilarResults({ client: await client() }).invoke(page);
    assert.match(similar, /muddy shores/);
  });
});

describe('@agentic/exa 7.6.9', () => {
  test('search, similar pages, contents by id, and an unknown key', async () => {
    const settings = { apiKey: await fixture.key(), apiBaseUrl: fixture.served.address };
    const exa = new ExaClient(settings);
    const { results } = await exa.search({ query: QUERY, contents: { text: true, highlights: true } });
    assert.match(results[0]?.text ?? '', /wading bird/);
    const similar = await exa.findSimilar({ url: page, excludeSourceDomain: true });
    assert.ok(similar.results.every(({ url }) => !url.startsWith(fixture.site.origin)));
    const contents = await exa.getContents({ ids: results.map(({ id }) => id), text: true });
    assert.equal(contents.results.length, results.length);
    await assert.rejects(new ExaClient({ ...settings, apiKey: 'nobody' }).search(QUERY), /401/);
  });
});

describe('@agentic/tavily 7.6.9', () => {
  const client = (apiKey: string): TavilyClient =>
    new TavilyClient({ apiKey, apiBaseUrl: fixture.secondShape, throttle: false });

  test('the key stands in the body alone: a good one, an unknown one, and the word keyless', async () => {
    const key = await fixture.key(5);
    const { results } = await client(key).search({ query: QUERY, include_answer: true, max_results: 2 });
    assert.ok(results.length > 0 && results.length <= 2);
    assert.match(results[0]?.content ?? '', /wading bird/);
    assert.equal(await fixture.left(key), 4);
    await assert.rejects(client('nobody').search(QUERY), /401/);
    assert.ok((await client('keyless').search(QUERY)).results.length > 0);
  });
});

describe('@langchain/tavily 1.2.0', () => {
  type Searched = { results: { url: string; content: string; raw_content: string | null }[]; error?: string };

  test('search gives an object, and an empty one a hint', async () => {
    const tool = new TavilySearch({
      tavilyApiKey: await fixture.key(),
      apiBaseUrl: fixture.secondShape,
      maxResults: 3,
      includeRawContent: 'text',
      includeAnswer: true,
      chunksPerSource: 2,
      country: 'norway',
    });
    const found: Searched = await tool.invoke({ query: QUERY });
    assert.ok(found.results.length > 0);
    assert.match(found.results[0]?.content ?? '', /wading bird/);
    assert.equal(typeof found.results[0]?.raw_content, 'string');
    const nothing: Searched = await tool.invoke({ query: QUERY, includeDomains: ['nowhere.example.org'] });
    assert.match(nothing.error ?? '', /No search results found/);
  });

  test('extract gives an object', async () => {
    const tool = new TavilyExtract({ tavilyApiKey: await fixture.key(), apiBaseUrl: fixture.secondShape });
    const found: Searched = await tool.invoke({ urls: [page] });
    assert.match(found.results[0]?.raw_content ?? '', /wading bird/);
  });

  test('without credits the tools tell where to pay', async (t) => {
    // The search tool writes the whole answer to the console.
    t.mock.method(console, 'log', () => {});
    const settings = { tavilyApiKey: await fixture.key(0), apiBaseUrl: fixture.secondShape };
    const answers: Searched[] = [
      await new TavilySearch(settings).invoke({ query: QUERY }),
      await new TavilyExtract(settings).invoke({ urls: [page] }),
    ];
    for (const { error } of answers)
      assert.match(error ?? '', /^Error 432: insufficient_credits: .*\/buy\/instant/);
  });
});

describe('@tavily/ai-sdk 0.5.0', () => {
  /** As a model's tool call is carried out. */
  const call = (
    tool: unknown,
    input: object,
  ): Promise<{ results: { rawContent: string; content: string }[] }> =>
    (tool as { execute(input: object, options: object): Promise<never> }).execute(input, {
      toolCallId: 'one',
      messages: [],
    });

  test('the key comes a second time in the body, and stands in no line of the log', async () => {
    const apiKey = await fixture.key();
    const settings = { apiKey, apiBaseURL: fixture.secondShape };
    const found = await call(tavilySearch({ ...settings, includeAnswer: true }), { query: QUERY });
    assert.match(found.results[0]?.content ?? '', /wading bird/);
    const extracted = await call(tavilyExtract(settings), { urls: [page], query: 'waves' });
    assert.match(extracted.results[0]?.rawContent ?? '', /wave/);
    const secret = 'sdl_unknown_but_secret';
    await assert.rejects(
      call(tavilySearch({ ...settings, apiKey: secret }), { query: QUERY }),
      /invalid_api_key/,
    );
    // A line is written when its answer has been sent.
    await fixture.served.post('/shapeB/search', { query: QUERY, api_key: secret, apiKey: secret });
    const written = (): number => fixture.logged.filter((line) => line.includes('"/shapeB/')).length;
    while (written() < 4) await new Promise((resolve) => setImmediate(resolve));
    for (const line of fixture.logged) assert.ok(!line.includes(apiKey) && !line.includes(secret), line);
  });
});
