import assert from 'node:assert/strict';
import type { Answered } from '../harness.ts';
import { type Case, charsFrom, each, missing, posting, sending, served, someText } from './spec-case.ts';

const search = posting('/v1/search');
const contents = posting('/v1/contents');
const send = sending();
const query = 'survey';
const numResults = 3;

type Result = { highlights?: string[]; highlightScores?: number[] };
const resultsOf = ({ json }: Answered): Result[] => json.results;

/** Parts of pages in search results, and the fields of contents responses. */
export const PARTS_CASES: Case[] = [
  ...each(
    [
      undefined,
      false,
      {},
      null,
      { text: false, highlights: false, prunedContext: false },
      { text: null, highlights: null, pruned_context: null },
    ],
    (wanted, n) =>
      search(
        `AS07.${n}`,
        `contents ${JSON.stringify(wanted) ?? 'omitted'} gives no parts of pages`,
        { query, contents: wanted },
        served(1, {
          is: {
            'results.*.text': missing,
            'results.*.highlights': missing,
            'results.*.highlightScores': missing,
            'results.*.prunedContext': missing,
          },
        }),
      ),
  ),
  ...each([true, { text: true }, { text: {} }], (wanted, n) =>
    search(
      `AS08.${n}`,
      `contents ${JSON.stringify(wanted)} gives the text alone`,
      { query, numResults, contents: wanted },
      served(1, {
        is: {
          'results.*.text': someText,
          'results.*.highlights': missing,
          'results.*.prunedContext': missing,
        },
      }),
    ),
  ),
  ...each([{ highlights: true }, { highlights: {} }], (wanted, n) =>
    search(
      `AS09.${n}`,
      `contents ${JSON.stringify(wanted)} gives highlights alone`,
      { query, numResults, contents: wanted },
      served(1, {
        is: {
          'results.*.highlights.*': someText,
          'results.*.text': missing,
          'results.*.prunedContext': missing,
        },
      }),
    ),
  ),
  ...each(['prunedContext', 'pruned_context'], (name, n) =>
    search(
      `AS10.${n}`,
      `contents.${name} gives prunedContext alone`,
      { query, numResults, contents: { [name]: true } },
      served(1, {
        is: {
          'results.*.prunedContext': someText,
          'results.*.text': missing,
          'results.*.highlights': missing,
        },
      }),
    ),
  ),
  search(
    'AS11',
    'highlightScores has one score for each highlight',
    { query, numResults, contents: { highlights: true } },
    served(1, {
      check: (answer) => {
        for (const { highlights, highlightScores } of resultsOf(answer))
          assert.equal(highlightScores?.length, highlights?.length);
      },
    }),
  ),
  search(
    'AS12',
    'text is a text on every result, also of a page that does not open',
    { query: 'survey text', numResults: 25, contents: { text: true } },
    served(1, {
      check: ({ json }) => {
        for (const { text } of json.results) assert.equal(typeof text, 'string');
      },
    }),
  ),
  search(
    'AS13',
    'the default call of a client library is served',
    { query, contents: { text: { maxCharacters: 10_000 } } },
    served(1, { is: { 'results.*.text': charsFrom(0, 10_000) } }),
  ),

  contents(
    'AC01',
    'requestId, results, costDollars and statuses are there',
    { urls: ['{site}/birds'] },
    served(1, {
      is: { requestId: someText, 'results.length': 1, 'costDollars.total': 0.001, 'statuses.length': 1 },
    }),
  ),
  contents(
    'AC02',
    'a result has id, url and title',
    { urls: ['{site}/birds'] },
    served(1, {
      is: {
        'results.0.id': '{site}/birds',
        'results.0.url': '{site}/birds',
        'results.0.title': 'Birds of the shore',
      },
    }),
  ),
  contents(
    'AC03',
    'contents results have no score',
    { urls: ['{site}/birds'] },
    served(1, { is: { 'results.0.score': missing } }),
  ),
  contents(
    'AC04',
    'a date that is unknown is missing in contents',
    { urls: ['{site}/undated'] },
    served(1, { is: { 'results.0.publishedDate': missing } }),
  ),
  send(
    'AC05',
    'an id of a search is accepted by contents',
    { path: '/v1/contents', body: { ids: ['{site}/birds'] } },
    served(1, { is: { 'results.0.id': '{site}/birds' } }),
  ),
];
