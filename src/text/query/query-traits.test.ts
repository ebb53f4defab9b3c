import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { cpuMsOf } from '../../../test/fixtures/cpu-time.ts';
import { detectQueryTraits } from './query-traits.ts';

/** From here on a query counts as of a kind. */
const PLAIN = 0.4;
const KINDS = ['code', 'paper', 'entity', 'news'] as const;

const QUERIES: Record<(typeof KINDS)[number] | 'none', string[]> = {
  code: [
    'how to read a csv file in python',
    "TypeError: Cannot read properties of undefined (reading 'map')",
    'rust borrow checker lifetime error',
    'git rebase vs merge',
    'nginx reverse proxy websocket timeout',
    'std::unique_ptr vs shared_ptr',
    'useEffect runs twice react 18',
    'docker compose restart policy',
    'postgres index not used in query',
    'npm package for parsing dates',
    'java.lang.NullPointerException at Foo.bar()',
    'segfault when calling malloc in C',
    'kubectl logs --previous',
    'SELECT * FROM users WHERE id IN (1,2)',
    'async await error handling javascript',
    'c++ template metaprogramming tutorial',
    'pandas dataframe group by multiple columns',
    'ECONNREFUSED 127.0.0.1:5432',
    'python asyncio cancel task',
  ],
  paper: [
    'attention is all you need transformer paper',
    'arXiv 1706.03762',
    '10.1038/s41586-021-03819-2',
    'systematic review of mindfulness and chronic pain',
    'effects of sleep deprivation on memory consolidation',
    'Smith and Jones (2019) social capital',
    'randomized controlled trial vitamin D COVID-19',
    'quantum error correction surface code threshold',
    'meta-analysis of intermittent fasting',
    'CRISPR off-target effects in human cells',
    'convergence of stochastic gradient descent proof',
    'association between air pollution and asthma cohort study',
  ],
  entity: [
    'who was the first president of Botswana',
    'capital of Mongolia',
    'Marie Curie',
    'what is photosynthesis',
    'Mount Kilimanjaro height',
    'when was the Eiffel Tower built',
    'population of Lagos',
    'Sanderling',
    'Johann Sebastian Bach',
    'history of the Ottoman Empire',
    'definition of entropy',
    '東京 人口',
    'where is Lake Titicaca',
    'The Great Gatsby author',
  ],
  news: [
    'latest news on the election',
    'stock market today',
    'openai announces new model',
    'hurricane florida this week',
    'earthquake in japan yesterday',
    'layoffs at tech companies 2026',
    'apple earnings report',
    'ceasefire talks latest',
    'breaking news',
  ],
  none: [
    'best hiking boots for wide feet',
    'how do I rotate the logs',
    'albert einstein',
    '2026 world cup results',
    'how to make sourdough bread',
    'cheap flights to lisbon',
    'is it safe to eat raw eggs',
    'how to remove coffee stains from carpet',
    'good restaurants near the station',
    'why do cats purr',
    'gift ideas for a ten year old',
    'how to tie a bowline knot',
  ],
};

for (const kind of KINDS) {
  describe(`${kind} stands out`, () => {
    for (const query of QUERIES[kind]) {
      test(query, () => {
        const traits = detectQueryTraits(query);
        assert.ok(traits[kind] >= PLAIN, JSON.stringify(traits));
        for (const other of KINDS) assert.ok(traits[other] <= traits[kind], JSON.stringify(traits));
      });
    }
  });
}

describe('nothing stands out', () => {
  for (const query of QUERIES.none) {
    test(query, () => {
      const traits = detectQueryTraits(query);
      for (const kind of KINDS) assert.ok(traits[kind] < PLAIN, JSON.stringify(traits));
    });
  }
});

test('words are lower case and keep what holds a name together', () => {
  assert.deepEqual(detectQueryTraits('Node.js vs C++ (2026)').words, ['node.js', 'vs', 'c++', '2026']);
});

test('every text has traits from 0 to 1, and none takes long', () => {
  fc.assert(
    fc.property(fc.oneof(fc.string({ unit: 'binary' }), fc.string({ unit: 'grapheme' })), (query) => {
      const { words, ...traits } = detectQueryTraits(query);
      assert.ok(words.length <= 64);
      for (const trait of Object.values(traits)) assert.ok(trait >= 0 && trait <= 1);
    }),
  );
  const ms = cpuMsOf(() => {
    for (const piece of [
      'a',
      'A',
      'Aa',
      'aB',
      '_',
      '-',
      "a'",
      'a.',
      ' a',
      'Aa ',
      '1',
      '10.',
      '<a',
      '(',
      'error',
      '人',
    ])
      detectQueryTraits(piece.repeat(2_000));
  });
  assert.ok(ms < 1_000, `${ms} ms`);
});
