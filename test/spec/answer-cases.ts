import assert from 'node:assert/strict';
import type { Answered } from '../harness.ts';
import {
  aDayOrNull,
  aNumber,
  anInteger,
  anObject,
  type Case,
  posting,
  sending,
  served,
  someText,
} from './spec-case.ts';

const search = posting('/v1/search');
const send = sending();
const query = 'survey';
const numResults = 3;

type Result = { id: string; url: string; highlights?: string[]; highlightScores?: number[] };
const resultsOf = ({ json }: Answered): Result[] => json.results;

/** Fields of search and contents responses. */
export const ANSWER_CASES: Case[] = [
  search('AR01', 'requestId is a text', { query }, served(1, { is: { requestId: someText } })),
  search('AR02', 'costDollars.total is 0.001', { query }, served(1, { is: { 'costDollars.total': 0.001 } })),
  search('AR03', 'searchTimeMs is an integer', { query }, served(1, { is: { searchTimeMs: anInteger } })),
  search(
    'AR04',
    'searchTime is the same number',
    { query },
    served(1, { check: ({ json }) => assert.equal(json.searchTime, json.searchTimeMs) }),
  ),
  search(
    'AR05',
    'service.cache is miss the first time',
    { query: 'survey unheard of' },
    served(1, { is: { 'service.cache': 'miss' } }),
  ),
  send(
    'AR06',
    'service.cache is hit the second time',
    { path: '/v1/search', body: { query: 'survey again' }, times: 2 },
    served(2, { is: { 'service.cache': 'hit' } }),
  ),
  search(
    'AR07',
    'service.timingsMs has a number for each stage and a total',
    { query },
    served(1, {
      is: { 'service.timingsMs.total': aNumber },
      check: ({ json }) => assert.ok(Object.values(json.service.timingsMs).every(Number.isFinite)),
    }),
  ),
  search(
    'AR08',
    'service.tokens has raw and output',
    { query },
    served(1, { is: { 'service.tokens.raw': anInteger, 'service.tokens.output': anInteger } }),
  ),
  search(
    'AR09',
    'service.sources has each source that was asked',
    { query: 'survey sources' },
    served(1, { is: { 'service.sources.searxng': anObject, 'service.sources.index': anObject } }),
  ),
  search(
    'AR10',
    'a source that answered has ok, results and ms',
    { query: 'survey of sources' },
    served(1, {
      is: {
        'service.sources.searxng.ok': true,
        'service.sources.searxng.results': anInteger,
        'service.sources.searxng.ms': aNumber,
      },
    }),
  ),
  search(
    'AR11',
    'tokens are those of the parts that are returned',
    { query, numResults, contents: true },
    served(1, {
      check: ({ json }) => {
        const chars = json.results.reduce(
          (sum: number, { text }: { text: string }) => sum + Math.ceil(text.length / 4),
          0,
        );
        assert.ok(
          Math.abs(json.service.tokens.output - chars) <= json.results.length,
          `${json.service.tokens.output} is not near ${chars}`,
        );
      },
    }),
  ),
  search(
    'AR12',
    'X-Cache says what service.cache says',
    { query: 'survey cached' },
    served(1, { check: ({ json, headers }) => assert.equal(headers.get('x-cache'), json.service.cache) }),
  ),

  search(
    'AS01',
    'id is the URL of the page',
    { query },
    served(1, {
      check: (answer) => {
        for (const { id, url } of resultsOf(answer)) assert.equal(id, url);
      },
    }),
  ),
  search(
    'AS02',
    'url, title and score are on every result',
    { query },
    served(1, { is: { 'results.*.url': /^http/, 'results.*.title': someText, 'results.*.score': aNumber } }),
  ),
  search(
    'AS03',
    'publishedDate is a day or null',
    { query, numResults: 25 },
    served(1, { is: { 'results.*.publishedDate': aDayOrNull } }),
  ),
  search(
    'AS04',
    'a date that is unknown is null, never today',
    { query: 'waders without a date', numResults: 25 },
    served(1, {
      check: ({ text }) => assert.ok(text.includes('"publishedDate":null') && !text.includes('2026-11-2')),
    }),
  ),
  search(
    'AS05',
    'results come best first',
    { query, numResults: 25 },
    served(1, {
      check: ({ json }) => {
        const scores = json.results.map(({ score }: { score: number }) => score);
        assert.deepEqual(
          scores,
          scores.toSorted((a: number, b: number) => b - a),
        );
      },
    }),
  ),
  search(
    'AS06',
    'no result stands twice',
    { query, numResults: 25 },
    served(1, {
      check: (answer) => {
        const urls = resultsOf(answer).map(({ url }) => url);
        assert.equal(new Set(urls).size, urls.length);
      },
    }),
  ),
];
