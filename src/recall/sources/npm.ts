import {
  buildSourceAddress,
  buildSourceHeaders,
  cleanText,
  computeOffset,
  readListAt,
  readTextAt,
} from '../responses/loose-json.ts';
import { readJson, SNIPPET_CHARS_MAX, TITLE_CHARS_MAX } from '../responses/read-json.ts';
import type { SourceSpec } from '../source.ts';

const COUNT_MAX = 25;
const KEYWORDS_MAX = 5;
const PACKAGE_WORDS = new Set(
  `npm node nodejs node.js javascript typescript js ts react vue angular svelte next nextjs next.js express webpack vite
  eslint deno bun package module electron`.split(/\s+/),
);
const FIT = 0.7;

/** https://github.com/npm/registry/blob/main/docs/REGISTRY-API.md. The date of a package is that of its last version. */
export const npm: SourceSpec = {
  name: 'npm',
  about: 'packages of the npm registry',
  scope: 'field',
  hosts: ['npmjs.com'],
  terms: { url: 'https://docs.npmjs.com/policies/open-source-terms', note: 'no load that bothers others' },
  needsConsent: false,
  key: null,
  base: { setting: 'NPM_URL', standard: 'https://registry.npmjs.org' },
  rate: { calls: 30, perMs: 60_000, atOnce: 2 },
  queryMax: { chars: 200, words: 32 },
  mayBeCached: true,
  fit: ({ code, words }) =>
    code > 0 && words.some((word) => PACKAGE_WORDS.has(word)) ? FIT * Math.max(code, 0.5) : 0,
  request: ({ query, limit, page = 0 }, { baseUrl, userAgent }) => ({
    url: buildSourceAddress(baseUrl, '/-/v1/search', {
      text: query.keywords(KEYWORDS_MAX).join(' '),
      size: Math.min(limit, COUNT_MAX),
      from: computeOffset({ page }, Math.min(limit, COUNT_MAX)),
    }),
    headers: buildSourceHeaders(userAgent),
  }),
  read: (response) =>
    readJson(response, {
      entries: (root) => readListAt(root, 'objects'),
      item: (entry) => ({
        url: readTextAt(entry, 'package', 'links', 'npm'),
        title: cleanText(readTextAt(entry, 'package', 'name'), TITLE_CHARS_MAX),
        snippet: cleanText(readTextAt(entry, 'package', 'description'), SNIPPET_CHARS_MAX),
        publishedDay: null,
      }),
    }),
};
