import assert from 'node:assert/strict';
import type { Answered } from '../harness.ts';
import { type Case, each, posting, sending, served } from './spec-case.ts';
import { SITE_PAGES } from './spec-site.ts';

const contents = posting('/v1/contents');
const send = sending();

type Result = { highlights?: string[] };
const resultsOf = ({ json }: Answered): Result[] => json.results;

const html = (path: string): string => String(SITE_PAGES[path]);
const numberOf = ({ headers }: Answered, name: string): number => Number(headers.get(name));
const savings = (raw: number, output: number): number => Math.round(100 * (1 - output / raw));
const highlights = (id: string, holds: string, path: string, check: (chunks: string[]) => void): Case =>
  contents(
    id,
    holds,
    {
      urls: [`{site}${path}`],
      text: false,
      highlights: { query: 'survey of waders, counts', highlightsPerUrl: 20 },
    },
    served(1, { check: (answer) => check(resultsOf(answer)[0]?.highlights ?? assert.fail('no highlights')) }),
  );

/** Highlights, and the figures in the headers of the reader. */
export const FORMULA_CASES: Case[] = [
  ...each(['/birds', '/undated', '/table', '/code', '/docs/one'], (path, n) =>
    highlights(`AH01.${n}`, `every highlight of ${path} has 400 to 700 characters`, path, (chunks) => {
      for (const { length } of chunks) assert.ok(length >= 400 && length <= 700, `${length} characters`);
    }),
  ),
  highlights('AH02', 'a page under 400 characters gives one shorter chunk', '/short', (chunks) => {
    assert.equal(chunks.length, 1);
    assert.ok((chunks[0] ?? '').length < 400);
  }),
  highlights('AH03', 'a table is cut at row ends only', '/table', (chunks) => {
    for (const line of chunks
      .join('\n')
      .split('\n')
      .filter((one) => one.startsWith('|')))
      assert.match(line, /\|$/);
  }),
  highlights('AH04', 'a cut table keeps its header', '/table', (chunks) => {
    for (const chunk of chunks.filter((one) => /Wader number/.test(one)))
      assert.match(chunk, /\| *Bird *\| *Count *\|\n\| *:?-+/);
  }),
  highlights('AH05', 'a fence is always closed', '/code', (chunks) => {
    for (const chunk of chunks) assert.equal((chunk.match(/^```/gm) ?? []).length % 2, 0, chunk);
  }),
  highlights('AH06', 'a code block is cut at line ends only', '/code', (chunks) => {
    for (const line of chunks
      .join('\n')
      .split('\n')
      .filter((one) => one.startsWith('const ')))
      assert.match(line, /\);$/);
  }),
  highlights('AH07', 'no highlight stands twice', '/birds', (chunks) =>
    assert.equal(new Set(chunks).size, chunks.length),
  ),

  ...each(['/birds', '/undated', '/short', '/table', '/code'], (path, n) =>
    send(
      `AF01.${n}`,
      `X-Raw-Tokens of ${path} is ceil(chars of the HTML / 4)`,
      { path: `/r/{site}${path}` },
      served(1, {
        check: (answer) => assert.equal(numberOf(answer, 'x-raw-tokens'), Math.ceil(html(path).length / 4)),
      }),
    ),
  ),
  ...each(['/birds', '/undated', '/short', '/table', '/code'], (path, n) =>
    send(
      `AF02.${n}`,
      `X-Output-Tokens of ${path} is ceil(chars of the body / 4)`,
      { path: `/r/{site}${path}` },
      served(1, {
        check: (answer) =>
          assert.equal(numberOf(answer, 'x-output-tokens'), Math.ceil(answer.text.length / 4)),
      }),
    ),
  ),
  ...each(['/birds', '/undated', '/short', '/table', '/code'], (path, n) =>
    send(
      `AF03.${n}`,
      `X-Token-Savings of ${path} is the percent saved against the HTML`,
      { path: `/r/{site}${path}` },
      served(1, {
        check: (answer) =>
          assert.equal(
            numberOf(answer, 'x-token-savings'),
            Math.max(0, savings(Math.ceil(html(path).length / 4), Math.ceil(answer.text.length / 4))),
          ),
      }),
    ),
  ),
  {
    ...send(
      'AF04',
      'with q the tokens before are those of the whole Markdown',
      { path: '/r/{site}/birds?q=turnstone' },
      served(2, {
        check: (answer, [whole]) =>
          assert.equal(numberOf(answer, 'x-raw-tokens'), Math.ceil((whole?.text.length ?? 0) / 4)),
      }),
    ),
    before: [{ path: '/r/{site}/birds' }],
  },
  {
    ...send(
      'AF05',
      'with q the savings are against the whole Markdown',
      { path: '/r/{site}/birds?q=turnstone' },
      served(2, {
        check: (answer, [whole]) =>
          assert.equal(
            numberOf(answer, 'x-token-savings'),
            savings(Math.ceil((whole?.text.length ?? 0) / 4), Math.ceil(answer.text.length / 4)),
          ),
      }),
    ),
    before: [{ path: '/r/{site}/birds' }],
  },
  send(
    'AF06',
    'with q the tokens returned are those of the body',
    { path: '/r/{site}/birds?q=turnstone' },
    served(1, {
      check: (answer) => assert.equal(numberOf(answer, 'x-output-tokens'), Math.ceil(answer.text.length / 4)),
    }),
  ),
];
