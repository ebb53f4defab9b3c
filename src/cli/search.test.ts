import assert from 'node:assert/strict';
import { test } from 'node:test';
import { stripVTControlCharacters } from 'node:util';
import type { SearchAnswer } from '../search/search-types.ts';
import { formatAnswer } from './search.ts';

const ANSWER: SearchAnswer = {
  results: [],
  cache: 'miss',
  timingsMs: { total: 12 },
  tokens: { raw: 0, output: 0 },
  sources: {},
  filters: {},
  incomplete: [],
};

const inWords = (more: Partial<SearchAnswer>, indexed: { pages: number; hosts: number }): string =>
  stripVTControlCharacters(formatAnswer({ ...ANSWER, ...more }, indexed, 3));

test('a result shows its title, address, score, day and best passage', () => {
  const avocet = { url: 'https://birds.example/avocet', title: 'Avocet', score: 0.876 };
  const passages = { highlights: ['# Avocet\n\nIt sweeps its bill.', 'not shown'] };
  const text = inWords(
    {
      results: [
        { ...avocet, ...passages, publishedDay: '2026-01-02' },
        { ...avocet, title: 'Without a passage', publishedDay: null },
      ],
      sources: {
        index: { ok: true, results: 2, ms: 3 },
        github: { ok: false, error: 'rate_limited', ms: 9 },
      },
    },
    { pages: 3, hosts: 1 },
  );
  assert.equal(
    text,
    [
      '1. Avocet',
      '   https://birds.example/avocet  0.88  2026-01-02',
      '   # Avocet',
      '   ',
      '   It sweeps its bill.',
      '',
      '2. Without a passage',
      '   https://birds.example/avocet  0.88',
      '',
      '2 results in 12 ms. Asked: index (3 pages of 1 host); no answer: github (rate limited).',
      '',
    ].join('\n'),
  );
});

test('an empty index without results says how to fill it', () => {
  assert.match(inWords({}, { pages: 0, hosts: 0 }), /^The local index is empty\. Fill it: sanderling crawl/);
  assert.doesNotMatch(inWords({}, { pages: 1, hosts: 1 }), /empty/);
});

test('weak results are marked and counted, and few of them are shown', () => {
  const page = { url: 'https://birds.example/avocet', title: 'Avocet', score: 0.05, publishedDay: null };
  const weak = Array.from({ length: 4 }, () => ({ ...page, isWeak: true as const }));
  const text = inWords({ results: weak }, { pages: 4, hosts: 1 });
  assert.equal(text.match(/0\.05 {2}weak/g)?.length, 3);
  assert.match(text, /^3 results \(3 weak, unlikely to be relevant; 1 more left out, -n shows them\) in/m);
  assert.match(
    inWords({ results: weak.slice(0, 1) }, { pages: 1, hosts: 1 }),
    /^1 result \(1 weak, unlikely to be relevant\) in/m,
  );
});
