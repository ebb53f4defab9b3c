import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { compared, evidence, type Said } from '../../../test/fixtures/unit-tests/said-evidence.ts';
import { compareEvidence } from './compare-evidence.ts';

/** What agrees: value -> sources. */
const agreed = (...said: Said[]): [value: string, sources: string][] =>
  compared(...said).agreements.map(({ value, sources }) => [value, sources.join(' ')]);

/** What disagrees: the values of each. */
const disagreed = (...said: Said[]): string[][] =>
  compared(...said).disagreements.map(({ values }) => values.map(({ value }) => value));

describe('agreements', () => {
  const cases: [what: string, said: Said[], agreements: [string, string][]][] = [
    [
      'one length in two units',
      [
        ['Corvane Light', 'The Corvane Light is 330 metres tall.'],
        ['Towers', 'The Corvane Light is 1,083 ft tall.'],
      ],
      [['1,083 ft', 'e1 e2']],
    ],
    [
      'grouped digits by language',
      [
        ['Sarn', 'Sarn has 1,234,567 inhabitants.'],
        ['Sarn', 'Sarn hat 1.234.567 Einwohner.', 'de'],
      ],
      [['1,234,567 inhabitants', 'e1 e2']],
    ],
    [
      'the decimal mark by language',
      [
        ['Sarn Path', 'The Sarn Path is 12.345 km long.'],
        ['Sarn Path', 'Der Sarn Path ist 12,345 km lang.', 'de'],
      ],
      [['12.345 km', 'e1 e2']],
    ],
    [
      'a rounded number and the exact one',
      [
        ['Sarn', 'Sarn has a population of 1.2 million people.'],
        ['Sarn', 'Sarn has a population of 1,213,400 people.'],
      ],
      [['1,213,400 people', 'e1 e2']],
    ],
    [
      'a date and its year',
      [
        ['Corvane Light', 'The Corvane Light opened on 3 May 1871.'],
        ['Towers', 'The Corvane Light was opened in 1871.'],
      ],
      [['3 May 1871', 'e1 e2']],
    ],
    [
      'a maker with and without the first name',
      [
        ['Corvane Light', 'It was designed by Ada Merrick.'],
        ['Towers', 'The Corvane Light was designed by A. Merrick and built in four years.'],
      ],
      [['Ada Merrick', 'e1 e2']],
    ],
    [
      'money',
      [
        ['Sarn Bridge', 'The Sarn Bridge cost $12.5 million.'],
        ['Bridges', 'The Sarn Bridge cost US$12.5 million to build.'],
      ],
      [['$12.5 million', 'e1 e2']],
    ],
  ];
  for (const [what, said, expected] of cases)
    test(what, () => {
      assert.deepEqual(agreed(...said), expected);
      assert.deepEqual(disagreed(...said), []);
    });

  test('a site that says the same twice is one source', () => {
    const one = evidence(0, { title: 'Sarn', quote: 'Sarn has 5,000 inhabitants.', language: 'en' });
    const { agreements } = compareEvidence([one, { ...one, id: 'e2', url: `${one.url}other` }]);
    assert.deepEqual(agreements, []);
  });
});

describe('disagreements', () => {
  const cases: [what: string, said: Said[], values: string[][]][] = [
    [
      'heights',
      [
        ['Corvane Light', 'The Corvane Light is 54 metres tall.'],
        ['Guide', 'The Corvane Light has a height of 61 m.'],
        ['Towers', 'The Corvane Light stands 54 m high.'],
      ],
      [['54 metres', '61 m']],
    ],
    [
      'opening dates',
      [
        ['Corvane Light', 'The Corvane Light opened on 3 May 1871.'],
        ['Guide', 'The Corvane Light opened in 1873.'],
      ],
      [['3 May 1871', '1873']],
    ],
    [
      'makers',
      [
        ['Corvane Light', 'It was designed by Ada Merrick.'],
        ['Guide', 'The Corvane Light was designed by John Tolm.'],
      ],
      [['Ada Merrick', 'John Tolm']],
    ],
  ];
  for (const [what, said, expected] of cases)
    test(what, () => assert.deepEqual(disagreed(...said), expected));
});
