import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { Answered } from '../harness.ts';
import { type ClientFixture, openClientFixture } from './client-fixture.ts';

/**
 * Requests as applications send them, by their sources, and what each reads of the answer: LibreChat agents 3.2.21, Open WebUI 0.12.4,
 * LiteLLM 1.109.1, gpt-researcher 0.15.1, n8n's node over LangChain, Dify's plugin and Vane.
 */

type Row = { url: string; title: string; text: string };
type Recorded = {
  name: string;
  /** GET with parameters, or POST with a body. */
  path: string;
  parameters?: Record<string, string>;
  body?: object | '';
  headers: Record<string, string>;
  /** Where the application puts its key, if its user has set one. */
  key?: (key: string) => Record<string, string>;
  /** As the application reads the answer, and nothing else of it. */
  rows(json: Answered['json']): Row[];
};

const QUERY = 'wading birds of sandy beaches';
const AXIOS = { 'user-agent': 'axios/1.12.2', accept: 'application/json, text/plain, */*' };
const REQUESTS = { 'user-agent': 'python-requests/2.32.4', accept: '*/*' };
const OPEN_WEBUI = 'Open WebUI (https://github.com/open-webui/open-webui)';
const bearer = (key: string) => ({ authorization: `Bearer ${key}` });

// biome-ignore lint/suspicious/noExplicitAny: the applications do not check what they read
type Json = any;
const searxngRows = (json: Json): Row[] =>
  json.results.map(({ url, title, content }: Json) => ({ url, title, text: content }));

const RECORDED: Recorded[] = [
  {
    name: 'LibreChat, SearXNG',
    path: '/searxng/search',
    parameters: {
      q: QUERY,
      format: 'json',
      pageno: '1',
      categories: 'general',
      language: 'all',
      safesearch: '1',
      engines: 'google,bing,duckduckgo',
    },
    headers: { ...AXIOS, 'content-type': 'application/json' },
    key: (key) => ({ 'x-api-key': key }),
    rows: (json) => {
      assert.ok(Array.isArray(json.suggestions));
      return searxngRows({ results: json.results.filter(({ img_src }: Json) => !img_src) });
    },
  },
  {
    name: 'Open WebUI, SearXNG',
    path: '/searxng/search',
    parameters: {
      q: QUERY,
      format: 'json',
      pageno: '1',
      safesearch: '1',
      language: 'all',
      time_range: '',
      categories: '',
      theme: 'simple',
      image_proxy: '0',
    },
    headers: {
      'user-agent': `${OPEN_WEBUI} RAG Bot`,
      accept: 'text/html',
      'accept-encoding': 'gzip, deflate',
      'accept-language': 'en-US,en;q=0.5',
    },
    rows: (json) => {
      const sorted = json.results.toSorted((one: Json, other: Json) => other.score - one.score);
      assert.deepEqual(sorted, json.results, 'the scores keep the order');
      return searxngRows(json);
    },
  },
  {
    name: 'n8n, LangChain',
    path: `/searxng/search?q=${encodeURIComponent(QUERY)}&numResults=10&pageNumber=1&format=json&imageProxy=true&safesearch=0&language=en`,
    body: '',
    headers: { 'content-type': 'application/json', accept: 'application/json' },
    rows: (json) => {
      for (const list of ['answers', 'infoboxes', 'suggestions']) assert.equal(json[list].length, 0);
      return searxngRows(json);
    },
  },
  {
    name: 'Dify, whose user gives the address of the search',
    path: '/searxng',
    parameters: { q: QUERY, time_range: 'year', format: 'json', categories: 'general' },
    headers: REQUESTS,
    rows: searxngRows,
  },
  {
    name: 'gpt-researcher',
    path: '/searxng//search',
    parameters: { q: QUERY, format: 'json' },
    headers: { ...REQUESTS, accept: 'application/json' },
    rows: (json) => json.results.map(({ url, content }: Json) => ({ url, title: '-', text: content })),
  },
  {
    name: 'LiteLLM, SearXNG',
    path: '/searxng/search',
    parameters: { q: QUERY, format: 'json', language: 'de' },
    headers: { 'user-agent': 'litellm/1.109.1', 'content-type': 'application/json' },
    key: bearer,
    rows: (json) => {
      for (const { publishedDate } of json.results) assert.match(publishedDate, /^2026-11-02/);
      return searxngRows(json);
    },
  },
  {
    name: 'Vane',
    path: '/searxng/search',
    parameters: {
      format: 'json',
      q: QUERY,
      engines: 'arxiv,google scholar,pubmed',
      language: 'en',
      pageno: '1',
    },
    headers: { 'user-agent': 'node', accept: '*/*' },
    rows: searxngRows,
  },
  {
    name: 'Open WebUI, external search',
    path: '/openwebui/search',
    body: { query: QUERY, count: 3 },
    headers: { ...REQUESTS, 'user-agent': `${OPEN_WEBUI} RAG Bot`, 'x-openwebui-user-name': 'a%20person' },
    key: bearer,
    rows: (json) => json.map(({ link, title, snippet }: Json) => ({ url: link, title, text: snippet })),
  },
  {
    name: 'Open WebUI, Perplexity search',
    path: '/pplx/search',
    body: { query: QUERY, max_results: 3 },
    headers: { ...REQUESTS, 'x-pplx-integration': 'open-webui/0.12.4' },
    key: bearer,
    rows: (json) => json.results.map(({ url, title, snippet }: Json) => ({ url, title, text: snippet })),
  },
  {
    name: 'Open WebUI, Linkup',
    path: '/linkup/v1/search',
    body: { depth: 'standard', outputType: 'sourcedAnswer', q: QUERY, maxResults: 3 },
    headers: REQUESTS,
    key: bearer,
    rows: (json) => json.sources.map(({ url, name, snippet }: Json) => ({ url, title: name, text: snippet })),
  },
  {
    name: 'LiteLLM, Perplexity',
    path: '/pplx/search',
    body: { query: [QUERY], max_results: 5, max_tokens_per_page: 1_024, country: 'US' },
    headers: { 'user-agent': 'litellm/1.109.1' },
    key: bearer,
    rows: (json) => json.results.map(({ url, title, snippet }: Json) => ({ url, title, text: snippet })),
  },
  {
    name: 'LiteLLM, Linkup',
    path: '/linkup/v1/search',
    body: { q: QUERY, depth: 'standard', outputType: 'searchResults', maxResults: 5 },
    headers: { 'user-agent': 'litellm/1.109.1' },
    key: bearer,
    rows: (json) => {
      for (const { type } of json.results) assert.equal(type, 'text');
      return json.results.map(({ url, name, content }: Json) => ({ url, title: name, text: content }));
    },
  },
  {
    name: 'LiteLLM, Brave',
    path: '/res/v1/web/search',
    parameters: { q: QUERY, include_fetch_metadata: 'True', count: '5' },
    headers: { accept: 'application/json', 'accept-encoding': 'gzip' },
    key: (key) => ({ 'x-subscription-token': key }),
    rows: (json) => {
      const sections = ['web', 'discussions', 'faqs', 'faq', 'news', 'videos'];
      const results: Json[] = sections.flatMap((section) => json[section]?.results ?? []);
      for (const { page_age } of results) assert.match(page_age, /^2026-11-02/);
      return results.map(({ url, title, description }) => ({ url, title, text: description }));
    },
  },
  {
    name: 'Open WebUI, Brave context',
    path: '/res/v1/llm/context',
    parameters: { q: QUERY, count: '3', maximum_number_of_tokens: '8192' },
    headers: { ...REQUESTS, accept: 'application/json', 'accept-encoding': 'gzip' },
    key: (key) => ({ 'x-subscription-token': key }),
    rows: (json) =>
      json.grounding.generic.map(({ url, title, snippets }: Json) => ({
        url,
        title,
        text: snippets.join('\n\n'),
      })),
  },
];

async function send(
  { served }: ClientFixture,
  { path, parameters, body, headers }: Recorded,
  more: Record<string, string> = {},
): Promise<Json> {
  const target = parameters === undefined ? path : `${path}?${new URLSearchParams(parameters)}`;
  const all = { ...headers, ...more };
  const answer = body === undefined ? await served.get(target, all) : await served.post(target, body, all);
  assert.equal(answer.status, 200, answer.text);
  return answer.json;
}

function assertUseful(rows: Row[], origins: string[]): void {
  assert.ok(rows.length > 0);
  for (const { url, title } of rows)
    assert.ok(title.length > 0 && origins.some((origin) => url.startsWith(origin)), url);
  assert.match(rows[0]?.text ?? '', /wading bird/);
}

describe('without a key where none is needed, and with one', () => {
  let fixture: ClientFixture;
  before(async () => {
    fixture = await openClientFixture({ KEYLESS_PER_DAY: '1000' });
  });
  after(() => fixture.close());

  for (const recorded of RECORDED)
    test(recorded.name, async () => {
      const { site, other } = fixture;
      assertUseful(recorded.rows(await send(fixture, recorded)), [site.origin, other.origin]);
      if (recorded.key === undefined) return;
      const key = await fixture.key(1);
      await send(fixture, recorded, recorded.key(key));
      assert.equal(await fixture.left(key), 0);
      // An empty key in its place counts as none.
      await send(fixture, recorded, recorded.key(''));
    });

  test('Open WebUI, external loader', async () => {
    const urls = ['/sanderling', '/dunlin', '/nothing'].map((path) => fixture.site.origin + path);
    const json = await send(fixture, {
      name: 'loader',
      path: '/openwebui/load',
      body: { urls },
      rows: () => [],
      headers: { ...REQUESTS, 'user-agent': `${OPEN_WEBUI} External Web Loader`, authorization: 'Bearer ' },
    });
    assert.deepEqual(
      json.map(({ metadata }: Json) => metadata.source),
      urls.slice(0, 2),
    );
    for (const { page_content } of json) assert.match(page_content, /wading bird/);
  });
});

describe('without a key from an unmetered network of a server that requires one', () => {
  let fixture: ClientFixture;
  before(async () => {
    fixture = await openClientFixture({ KEYLESS_PER_DAY: '0', UNMETERED_NETWORKS: '127.0.0.0/8' });
  });
  after(() => fixture.close());

  for (const recorded of RECORDED)
    test(recorded.name, async () => {
      for (let times = 0; times < 3; times += 1)
        assert.ok(recorded.rows(await send(fixture, recorded)).length > 0);
    });
});
