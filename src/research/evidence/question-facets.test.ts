import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { extractFacets } from './question-facets.ts';

/** A question and its facets: kind and what is searched for. */
const CASES: [question: string, facets: [kind: string, query: string][]][] = [
  [
    'population of Paris',
    [
      ['question', 'population of Paris'],
      ['name', 'Paris'],
    ],
  ],
  [
    'When was the Eiffel Tower built and who designed it?',
    [
      ['question', 'When was the Eiffel Tower built and who designed it?'],
      ['clause', 'When was the Eiffel Tower built'],
      ['clause', 'Eiffel Tower who designed it'],
      ['name', 'Eiffel Tower'],
    ],
  ],
  [
    'What are the population, area and highest point of France?',
    [
      ['question', 'What are the population, area and highest point of France?'],
      ['clause', 'population of France'],
      ['clause', 'area of France'],
      ['clause', 'highest point of France'],
      ['name', 'France'],
    ],
  ],
  [
    'How do sanderlings find food, and where do they breed?',
    [
      ['question', 'How do sanderlings find food, and where do they breed?'],
      ['clause', 'How do sanderlings find food'],
      ['clause', 'sanderlings where do they breed'],
    ],
  ],
  [
    'PostgreSQL vs MySQL replication performance',
    [
      ['comparison', 'PostgreSQL MySQL replication performance'],
      ['side', 'PostgreSQL replication performance'],
      ['side', 'MySQL replication performance'],
    ],
  ],
  [
    'What is the difference between TCP and UDP?',
    [
      ['comparison', 'TCP UDP'],
      ['side', 'TCP'],
      ['side', 'UDP'],
    ],
  ],
  [
    'How does React compare to Vue?',
    [
      ['comparison', 'React Vue'],
      ['side', 'React'],
      ['side', 'Vue'],
    ],
  ],
  [
    'tabs vs spaces for indentation',
    [
      ['comparison', 'tabs spaces indentation'],
      ['side', 'tabs indentation'],
      ['side', 'spaces indentation'],
    ],
  ],
  [
    'Who is older, Sid Haig or Vic Darchinyan?',
    [
      ['comparison', 'Sid Haig Vic Darchinyan older'],
      ['side', 'Sid Haig older'],
      ['side', 'Vic Darchinyan older'],
    ],
  ],
  [
    'Where was Haymo of Faversham born?',
    [
      ['question', 'Where was Haymo of Faversham born?'],
      ['name', 'Haymo of Faversham'],
    ],
  ],
  [
    'does os.path.join of Python 3.12 follow the "drive letter" rule',
    [
      ['question', 'does os.path.join of Python 3.12 follow the "drive letter" rule'],
      ['name', 'os.path.join'],
      ['name', 'Python 3.12'],
      ['name', 'drive letter'],
    ],
  ],
  [
    'Wann wurde der Kölner Dom gebaut und wer hat ihn entworfen?',
    [
      ['question', 'Wann wurde der Kölner Dom gebaut und wer hat ihn entworfen?'],
      ['clause', 'Wann wurde der Kölner Dom gebaut'],
      ['clause', 'Kölner Dom wer hat ihn entworfen'],
      ['name', 'Kölner Dom'],
    ],
  ],
  [
    '東京タワーの高さは何メートルですか？エッフェル塔との違いは？',
    [
      ['question', '東京タワーの高さは何メートルですか？エッフェル塔との違いは？'],
      ['clause', '東京タワーの高さは何メートルですか'],
      ['clause', 'エッフェル塔との違いは'],
      ['name', '東京タワー'],
      ['name', 'エッフェル塔'],
    ],
  ],
  [
    'In PostgreSQL, how can I see the locks, and how do I end a session?',
    [
      ['question', 'In PostgreSQL, how can I see the locks, and how do I end a session?'],
      ['clause', 'PostgreSQL how can I see the locks'],
      ['clause', 'PostgreSQL how do I end a session'],
      ['name', 'PostgreSQL'],
    ],
  ],
  [
    'How do I copy a database, and how does that compare to VACUUM INTO?',
    [
      ['question', 'How do I copy a database, and how does that compare to VACUUM INTO?'],
      ['clause', 'How do I copy a database'],
      ['clause', 'how does that compare to VACUUM INTO'],
    ],
  ],
  ['salt and pepper in the kitchen', [['question', 'salt and pepper in the kitchen']]],
  ['WHAT IS THE HEIGHT OF BIG BEN', [['question', 'WHAT IS THE HEIGHT OF BIG BEN']]],
];

describe('extractFacets', () => {
  for (const [question, expected] of CASES)
    test(question, () => {
      const facets = extractFacets(question).map(({ kind, query }) => [kind, query]);
      assert.deepEqual(facets, expected);
    });

  test('each line of a list is a question', () => {
    const clauses = extractFacets('About Oslo:\n1. How many people live there?\n2. Who is its mayor?')
      .filter(({ kind }) => kind === 'clause')
      .map(({ facet }) => facet);
    assert.deepEqual(clauses, ['About Oslo', 'How many people live there', 'Who is its mayor']);
  });

  test('any text has a few facets, each with words of its own, always the same', () => {
    const word = fc.constantFrom(
      ...[
        'and',
        'vs',
        'what',
        'the',
        'Ada',
        'of',
        'or',
        ',',
        '?',
        '"',
        '(',
        '東京',
        'タワー',
        'a.b::c',
        '3.1',
        '\n',
        '；',
      ],
    );
    const text = fc.oneof(
      fc.array(word, { minLength: 1, maxLength: 300 }).map((words) => words.join(' ')),
      fc.string({ unit: 'binary', minLength: 1, maxLength: 2_000 }),
    );
    fc.assert(
      fc.property(text, (question) => {
        const facets = extractFacets(question);
        assert.ok(facets.length >= 1 && facets.length <= 12, String(facets.length));
        assert.equal(new Set(facets.map(({ query }) => query)).size, facets.length);
        assert.ok(['question', 'comparison'].includes(facets[0]?.kind ?? ''));
        assert.deepEqual(extractFacets(question), facets);
      }),
      { numRuns: 300 },
    );
  });
});
