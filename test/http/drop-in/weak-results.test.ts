import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { SearchResult } from '../../../src/search/search-types.ts';
import { type Answered, type Served, searchAnswer, serveScripted } from '../../harness.ts';

const RESULTS: SearchResult[] = [
  { url: 'https://example.org/near', title: 'Near', score: 0.8, publishedDay: null },
  { url: 'https://example.org/far', title: 'Far', score: 0.04, isWeak: true, publishedDay: null },
].map((result) => ({ ...result, highlights: [`About ${result.title}.`] }) as SearchResult);

let app: Served;
before(async () => {
  app = await serveScripted({ search: async () => searchAnswer({ results: RESULTS }) });
});
after(() => app.close());

const SHAPES: [name: string, ask: () => Promise<Answered>][] = [
  ['Brave', () => app.get('/res/v1/web/search?q=q')],
  ["Brave's context", () => app.get('/res/v1/llm/context?q=q')],
  ['SearXNG', () => app.get('/searxng/search?q=q&format=json')],
  ['Perplexity', () => app.post('/pplx/search', { query: 'q' })],
  ['Open WebUI', () => app.post('/openwebui/search', { query: 'q', count: 5 })],
  ['Linkup', () => app.post('/linkup/v1/search', { q: 'q', depth: 'standard', outputType: 'searchResults' })],
  ['Firecrawl', () => app.post('/v2/search', { query: 'q' })],
  ['Jina', () => app.get('/s/q', { accept: 'application/json' })],
];
for (const [name, ask] of SHAPES)
  test(`${name}: weak results come last, without a field that its clients do not know`, async () => {
    const { status, text } = await ask();
    assert.equal(status, 200, text);
    assert.ok(text.indexOf('https://example.org/near') < text.indexOf('https://example.org/far'), text);
    assert.ok(text.includes('https://example.org/near'), text);
    assert.doesNotMatch(text, /"(?:isWeak|weak)"/);
  });

for (const [path, body] of [
  ['/v1/search', { query: 'q' }],
  ['/shapeB/search', { query: 'q' }],
] as const)
  test(`${path} marks weak results`, async () => {
    const { json } = await app.post(path, body);
    assert.deepEqual(
      json.results.map(({ url, weak }: { url: string; weak?: true }) => [url, weak]),
      [
        ['https://example.org/near', undefined],
        ['https://example.org/far', true],
      ],
    );
  });

test("Brave's strict threshold leaves weak results out", async () => {
  const { text } = await app.get('/res/v1/llm/context?q=q&context_threshold_mode=strict');
  assert.ok(text.includes('https://example.org/near') && !text.includes('https://example.org/far'), text);
});
