import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, test } from 'node:test';
import { FACT, FAILING_MODES, type ModelMode, WRONG_MODES } from '../../fixtures/model-server.ts';
import { type Answered, contentsAnswer, type Served, serveScripted } from '../../harness.ts';
import {
  factAnswer,
  factPage,
  factRead,
  factResearch,
  QUOTED,
  SCHEMA,
  startWritten,
  WRITTEN,
  type WrittenFixture,
} from './written-fixture.ts';

let written: WrittenFixture;
let app: Served;

before(async () => {
  written = await startWritten();
  app = await serveScripted({
    writer: written.writer,
    meter: written.meter,
    search: async ({ numResults }) => {
      const found = factAnswer();
      return { ...found, results: found.results.slice(0, numResults) };
    },
    contents: async ({ wanted }) => contentsAnswer({ results: [factPage(wanted.summary !== undefined)] }),
    read: async () => factRead(),
    research: async () => factResearch(),
  });
});
beforeEach(() => {
  written.writer.forget();
  written.model.play('right');
});
after(async () => {
  await app.close();
  await written.close();
});

type WrittenRoute = {
  what: string;
  path: string;
  body: object;
  /** What the answer says, and what it says where nothing is written. */
  read(answer: Answered): unknown;
  right: unknown;
  instead: unknown;
  credits: { right: number; instead: number };
};

const ROUTES: WrittenRoute[] = [
  ...(['basic', 'advanced'] as const).map((depth) => ({
    what: `Tavily, include_answer ${depth}`,
    path: '/shapeB/search',
    body: { query: 'q', include_answer: depth },
    read: ({ json }: Answered) => json.answer,
    right: WRITTEN,
    instead: QUOTED.text,
    credits: { right: 5, instead: 1 },
  })),
  {
    what: 'Linkup, sourcedAnswer',
    path: '/linkup/v1/search',
    body: { q: 'q', depth: 'standard', outputType: 'sourcedAnswer' },
    read: ({ json }) => json.answer,
    right: WRITTEN,
    instead: QUOTED.text,
    credits: { right: 5, instead: 1 },
  },
  {
    what: 'Linkup, structured',
    path: '/linkup/v1/search',
    body: {
      q: 'q',
      depth: 'standard',
      outputType: 'structured',
      structuredOutputSchema: JSON.stringify(SCHEMA),
    },
    read: ({ json }) => json,
    right: { opened: '3 May 1871', metres: 54 },
    instead: { opened: null, metres: null },
    credits: { right: 5, instead: 0 },
  },
  {
    what: 'contents with a summary by a query',
    path: '/v1/contents',
    body: { urls: [QUOTED.url], text: false, summary: { query: 'who opened it?' } },
    read: ({ json }) => json.results[0].summary,
    right: WRITTEN,
    instead: QUOTED.text,
    credits: { right: 3, instead: 1 },
  },
  {
    what: 'contents with a summary by a schema',
    path: '/v1/contents',
    body: { urls: [QUOTED.url], text: false, summary: { schema: SCHEMA } },
    read: ({ json }) => JSON.parse(json.results[0].summary ?? 'null'),
    right: { opened: '3 May 1871', metres: 54 },
    instead: null,
    credits: { right: 3, instead: 1 },
  },
  {
    what: 'search with summaries by a query',
    path: '/v1/search',
    body: { query: 'q', numResults: 2, contents: { summary: { query: 'who opened it?' } } },
    read: ({ json }) => json.results[0].summary,
    right: WRITTEN,
    instead: QUOTED.text,
    credits: { right: 3, instead: 1 },
  },
  {
    what: 'Firecrawl, json by a schema',
    path: '/v2/scrape',
    body: { url: QUOTED.url, formats: [{ type: 'json', schema: SCHEMA, prompt: 'When was it opened?' }] },
    read: ({ json }) => json.data.json,
    right: { opened: '3 May 1871', metres: 54 },
    instead: null,
    credits: { right: 3, instead: 1 },
  },
  {
    what: 'Firecrawl, summary',
    path: '/v2/scrape',
    body: { url: QUOTED.url, formats: ['summary'] },
    read: ({ json }) => json.data.summary,
    right: WRITTEN,
    instead: QUOTED.text,
    credits: { right: 3, instead: 1 },
  },
  {
    what: 'Firecrawl, a search with json of each page',
    path: '/v2/search',
    body: { query: 'q', limit: 1, scrapeOptions: { formats: [{ type: 'json', schema: SCHEMA }] } },
    read: ({ json }) => json.data.web[0].json,
    right: { opened: '3 May 1871', metres: 54 },
    instead: null,
    credits: { right: 4, instead: 2 },
  },
  {
    what: 'Firecrawl, version 1, a search with summaries',
    path: '/firecrawl/v1/search',
    body: { query: 'q', limit: 1, scrapeOptions: { formats: ['summary'] } },
    read: ({ json }) => json.data[0].summary,
    right: WRITTEN,
    instead: QUOTED.text,
    credits: { right: 4, instead: 2 },
  },
  {
    what: 'Tavily, research',
    path: '/shapeB/research',
    body: { input: 'q' },
    read: ({ json }) =>
      json.content.includes(`${WRITTEN} [1]\n\n## Sources\n\n1. Corvane Light: ${QUOTED.url}`),
    right: true,
    instead: false,
    credits: { right: 12, instead: 2 },
  },
  {
    what: 'research with a report',
    path: '/v1/research',
    body: { question: 'q', report: true },
    read: ({ json }) => json.report ?? null,
    right: `# q\n\n${WRITTEN} [1]\n\n## Sources\n\n1. Corvane Light: ${QUOTED.url}\n`,
    instead: null,
    credits: { right: 12, instead: 2 },
  },
  {
    what: 'Perplexity, chat',
    path: '/pplx/chat/completions',
    body: { model: 'sonar', messages: [{ role: 'user', content: 'q' }] },
    read: ({ json }) => json.choices[0].message.content,
    right: `${WRITTEN} [1]`,
    instead: `${QUOTED.text} [1]`,
    credits: { right: 5, instead: 1 },
  },
  {
    what: 'Perplexity, chat in a stream',
    path: '/pplx/chat/completions',
    body: { model: 'sonar', messages: [{ role: 'user', content: 'q' }], stream: true },
    read: ({ text }) => JSON.parse(text.split('\n\n')[0]?.slice(6) ?? '').choices[0].delta.content,
    right: `${WRITTEN} [1]`,
    instead: `${QUOTED.text} [1]`,
    credits: { right: 5, instead: 1 },
  },
];

for (const { what, path, body, read, right, instead, credits } of ROUTES)
  describe(what, () => {
    test('delivers what was proved, for its price', async () => {
      const answer = await app.post(path, body);
      assert.equal(answer.status, 200, answer.text);
      assert.deepEqual(read(answer), right);
      assert.equal(written.used(), credits.right);
    });

    const isValue = typeof right === 'object';
    /** Values have two fields, of which these modes change one. */
    const ofOneField: readonly ModelMode[] = ['swapped-number', 'swapped-date'];
    for (const mode of WRONG_MODES)
      test(`drops what is ${mode}`, async () => {
        written.model.play(mode);
        const answer = await app.post(path, body);
        assert.ok(!JSON.stringify(read(answer)).includes('evil.example'));
        if (isValue && ofOneField.includes(mode)) return;
        assert.deepEqual(read(answer), instead);
        assert.equal(written.used(), credits.instead);
      });

    for (const mode of [...FAILING_MODES, 'empty' as const])
      test(`goes on without the model: ${mode}`, async () => {
        written.model.play(mode);
        const answer = await app.post(path, body);
        assert.equal(answer.status, 200);
        assert.deepEqual(read(answer), instead);
        assert.equal(written.used(), credits.instead);
        assert.equal(answer.headers.get('x-incomplete'), mode === 'empty' ? null : 'writing');
      });
  });

test('pages that a key cannot pay are not read for the sake of their summaries', async (t) => {
  const poor = await startWritten({ credits: 2 });
  const served = await serveScripted({
    writer: poor.writer,
    meter: poor.meter,
    contents: async ({ urls }) => contentsAnswer({ results: urls.map(() => factPage(true)) }),
  });
  t.after(async () => {
    await served.close();
    await poor.close();
  });
  const read = (urls: string[]): Promise<Answered> =>
    served.post('/v1/contents', { urls, text: false, summary: { query: 'who opened it?' } });
  const urls = ['https://a.example/', 'https://b.example/', 'https://c.example/'];
  assert.equal((await read(urls)).status, 402);
  const { status, json } = await read(urls.slice(0, 2));
  assert.equal(status, 200);
  assert.equal(json.results[0].summary, QUOTED.text);
  assert.equal(poor.model.asked().length, 0);
});

describe('Firecrawl, extract', () => {
  const start = { urls: [QUOTED.url], schema: SCHEMA };
  const extract = async (): Promise<Answered> => {
    const { json, text } = await app.post('/v2/extract', start);
    assert.equal(json.success, true, text);
    return app.get(`/v2/extract/${json.id}`);
  };

  test('has the proved value for the client that asks for it', async () => {
    const { json } = await extract();
    assert.equal(json.status, 'completed');
    assert.deepEqual(json.data, { opened: '3 May 1871', metres: 54 });
    assert.equal(written.used(), 5);
    assert.equal((await app.get('/v2/extract/unknown')).status, 404);
  });

  for (const mode of ['invented', 'obeys', ...FAILING_MODES] as const)
    test(`has a value without anything in it for the price of the page: ${mode}`, async () => {
      written.model.play(mode);
      assert.deepEqual((await extract()).json.data, { opened: null, metres: null });
      assert.equal(written.used(), 1);
    });

  test('keeps selectors out of the model', async () => {
    const schema = { type: 'object', properties: { name: { type: 'string', selector: 'h1' } } };
    await app.post('/v2/scrape', { url: QUOTED.url, formats: [{ type: 'json', schema }] });
    assert.equal(written.model.asked().length, 0);
  });
});

describe('Firecrawl', () => {
  for (const [path, body] of [
    ['/v2/crawl', { url: QUOTED.url, scrapeOptions: { formats: [{ type: 'json', schema: SCHEMA }] } }],
    ['/v2/batch/scrape', { urls: [QUOTED.url], formats: [{ type: 'json', prompt: 'the year' }] }],
  ] as const)
    test(`${path} says why it takes no json without selectors`, async () => {
      const { status, json } = await app.post(path, body);
      assert.equal(status, 422);
      assert.match(json.error, /crawls and batches do not ask: use \/v2\/scrape/);
    });
});

test('Linkup names its sources with the quotations', async () => {
  const { json } = await app.post('/linkup/v1/search', {
    q: 'q',
    depth: 'standard',
    outputType: 'structured',
    structuredOutputSchema: SCHEMA,
    includeSources: true,
  });
  assert.deepEqual(json.data, { opened: '3 May 1871', metres: 54 });
  assert.equal(json.sources[0].snippet, FACT);
  assert.equal((await app.post('/linkup/v1/search', { q: 'q', outputType: 'structured' })).status, 400);
});

test('Perplexity takes wishes from the system message, and the question from the last one', async () => {
  const messages = [
    { role: 'system', content: 'Be brief.' },
    { role: 'user', content: 'first' },
    { role: 'assistant', content: 'The moon is made of cheese.' },
    { role: 'user', content: [{ type: 'text', text: 'who opened it?' }] },
  ];
  const response_format = { type: 'json_schema', json_schema: { schema: SCHEMA } };
  const { json } = await app.post('/pplx/chat/completions', { messages, response_format });
  assert.deepEqual(JSON.parse(json.choices[0].message.content), { opened: '3 May 1871', metres: 54 });
  const sent = JSON.stringify(written.model.asked());
  assert.ok(sent.includes('Be brief.') && sent.includes('who opened it?') && !sent.includes('cheese'));
  assert.equal(
    (await app.post('/pplx/chat/completions', { messages: [{ role: 'system', content: 'x' }] })).status,
    422,
  );
});

describe('without a model', () => {
  let plain: Served;
  before(async () => {
    plain = await serveScripted({ search: async () => factAnswer() });
  });
  after(() => plain.close());

  test('calls that need one name the setting', async () => {
    const chat = await plain.post('/pplx/chat/completions', { messages: [{ role: 'user', content: 'q' }] });
    assert.equal(chat.status, 404);
    assert.match(chat.json.error.message, /MODEL_URL/);
    const extract = await plain.post('/v2/extract', { urls: ['https://example.org/'] });
    assert.equal(extract.status, 404);
    assert.match(extract.json.error, /MODEL_URL/);
    const report = await plain.post('/v1/research', { question: 'q', report: true });
    assert.equal(report.status, 422);
    assert.match(report.text, /report.*MODEL_URL/);
    const structured = await plain.post('/linkup/v1/search', {
      q: 'q',
      outputType: 'structured',
      structuredOutputSchema: '{}',
    });
    assert.equal(structured.status, 400);
    assert.match(structured.json.error.message, /MODEL_URL/);
  });

  test('an answer is a quotation, whatever its depth', async () => {
    const { json } = await plain.post('/shapeB/search', { query: 'q', include_answer: 'advanced' });
    assert.equal(json.answer, QUOTED.text);
  });
});
