import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { ContentsRequest } from '../../../src/search/contents.ts';
import { scriptedContents } from './scripted-contents.ts';

const service = scriptedContents();
const { contents } = service;

const url = 'https://example.org/a';

/** What the operation was asked for, without its signal. */
async function understood(body: unknown): Promise<Omit<ContentsRequest, 'signal'>> {
  const { status, text } = await contents(body);
  assert.equal(status, 200, text);
  const [{ signal: _, tenant: _tenant, keep: _keep, ...request }] = service.asked.splice(0) as [
    ContentsRequest,
  ];
  return request;
}

const onlyText = { text: { charsMax: null }, highlights: null, pruned: null };

describe('200', () => {
  const named: [body: object, urls: string[]][] = [
    [{ urls: [url] }, [url]],
    [{ ids: [url] }, [url]],
    [{ urls: url }, [url]],
    [{ urls: [url], ids: ['https://example.org/b'] }, [url, 'https://example.org/b']],
    [{ urls: null, ids: [` ${url} `] }, [url]],
  ];
  for (const [body, urls] of named)
    test(`${JSON.stringify(body)} names its URLs`, async () =>
      assert.deepEqual((await understood(body)).urls, urls));

  const parts: [options: object, wanted: unknown][] = [
    [{}, onlyText],
    [{ text: true }, onlyText],
    [{ text: {} }, onlyText],
    [{ text: { maxCharacters: 10_000 } }, { ...onlyText, text: { charsMax: 10_000 } }],
    [{ text: { max_characters: 5 } }, { ...onlyText, text: { charsMax: 5 } }],
    [{ text: false }, { ...onlyText, text: null }],
    // The text comes with highlights too, unless it is turned off.
    [{ highlights: true }, { ...onlyText, highlights: { query: null, perUrl: 3, charsMax: null } }],
    [
      { highlights: { max_characters: 2_600 } },
      { ...onlyText, highlights: { query: null, perUrl: 20, charsMax: 2_600 } },
    ],
    [
      { text: false, highlights: { query: 'h', numSentences: 1, highlights_per_url: 1 } },
      { text: null, highlights: { query: 'h', perUrl: 1, charsMax: null }, pruned: null },
    ],
    [
      { text: false, pruned_context: true, highlights: { query: 'h' } },
      { text: null, highlights: { query: 'h', perUrl: 3, charsMax: null }, pruned: { query: 'h' } },
    ],
    [{ prunedContext: { query: 'p' } }, { ...onlyText, pruned: { query: 'p' } }],
    [{ livecrawl: 'always', extras: 5, subpages: [], summary: 1, filterEmptyResults: 1 }, onlyText],
  ];
  for (const [options, wanted] of parts)
    test(`${JSON.stringify(options)}`, async () => {
      assert.deepEqual((await understood({ urls: [url], ...options })).wanted, wanted);
    });
});

describe('how fresh the pages must be', () => {
  const cases: [given: object, opening: object | undefined][] = [
    [{}, undefined],
    [{ livecrawl: 'always' }, { freshMs: 0, copies: 'never' }],
    [{ livecrawl: 'never' }, { copies: 'only' }],
    [{ maxAgeHours: 2 }, { freshMs: 7_200_000 }],
    [{ max_age_hours: 0 }, { freshMs: 0, copies: 'never' }],
  ];
  for (const [given, opening] of cases)
    test(JSON.stringify(given), async () => {
      assert.deepEqual((await understood({ urls: [url], ...given })).opening, opening);
    });
});
