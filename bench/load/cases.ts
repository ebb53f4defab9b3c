import type { LoadRequest } from './fire.ts';
import type { LoadPlace } from './place.ts';

/** What is measured: requests that are all answered with one status. */
export type LoadCase = {
  name: string;
  status: number;
  /** A source of requests; called again for each round of measures. */
  requests(place: LoadPlace): () => LoadRequest;
};

const JSON_HEADERS = { 'content-type': 'application/json' };

export const CASES: readonly LoadCase[] = [
  { name: 'cached-search', status: 200, requests: (place) => posted(place, '/v1/search', () => search(1)) },
  { name: 'cached-reader', status: 200, requests: (place) => read(place, () => place.pageUrl(1, 20)) },
  {
    name: 'cached-contents',
    status: 200,
    requests: (place) =>
      posted(place, '/v1/contents', () => ({ urls: [1, 2, 3].map((page) => place.pageUrl(page, 20)) })),
  },
  { name: 'mcp-search', status: 200, requests: toolCalls },
  {
    name: 'refused-402',
    status: 402,
    requests: (place) => posted(place, '/v1/search', () => search(1), place.emptyKey),
  },
  {
    name: 'fresh-search',
    status: 200,
    requests: (place) => posted(place, '/v1/search', () => search(fresh())),
  },
  {
    // The pages of its results come from the site of the bench, unless an earlier search has shown them or all are kept.
    name: 'fresh-highlights',
    status: 200,
    requests: (place) =>
      posted(place, '/v1/search', () => ({
        ...search(fresh()),
        numResults: 3,
        contents: { highlights: true },
      })),
  },
  {
    name: 'fresh-reader-20kb',
    status: 200,
    requests: (place) => read(place, () => place.pageUrl(fresh(), 20)),
  },
  {
    name: 'fresh-reader-200kb',
    status: 200,
    requests: (place) => read(place, () => place.pageUrl(fresh(), 200)),
  },
];

let last = 1_000;
/** A number that no request has had. */
const fresh = (): number => (last += 1);

/** Words of the vocabulary of the pages, another pair for each number. */
const search = (number: number): { query: string; numResults: number } => ({
  query: `${wordAt(number)} ${wordAt(number * 7 + 3)} ${wordAt(Math.floor(number / WORDS) + 11)}`,
  numResults: 10,
});

/** Words in the vocabulary of the pages. */
export const WORDS = 20_000;
const SYLLABLES = [
  'ba',
  'ce',
  'di',
  'fo',
  'gu',
  'la',
  'me',
  'ni',
  'ro',
  'su',
  'ta',
  'ver',
  'win',
  'zor',
  'kal',
  'pen',
];

/** A made-up word. */
export function wordAt(number: number): string {
  const at = number % WORDS;
  return [at % 16, Math.floor(at / 16) % 16, Math.floor(at / 256) % 16, Math.floor(at / 4_096)]
    .map((place) => SYLLABLES[place])
    .join('');
}

function posted(
  place: LoadPlace,
  path: string,
  body: () => object,
  key: string | null = null,
): () => LoadRequest {
  return () => ({
    method: 'POST',
    path,
    headers: { ...JSON_HEADERS, authorization: `Bearer ${key ?? place.nextKey()}` },
    body: JSON.stringify(body()),
  });
}

function read(place: LoadPlace, page: () => string): () => LoadRequest {
  return () => ({
    method: 'GET',
    path: `/r/${page()}`,
    headers: { authorization: `Bearer ${place.nextKey()}` },
  });
}

function toolCalls(place: LoadPlace): () => LoadRequest {
  const call = { name: 'service_search', arguments: { query: search(1).query } };
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: call });
  return () => ({
    method: 'POST',
    path: '/mcp',
    headers: {
      ...JSON_HEADERS,
      accept: 'application/json, text/event-stream',
      authorization: `Bearer ${place.nextKey()}`,
    },
    body,
  });
}
