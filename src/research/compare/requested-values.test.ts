import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { extractFacets } from '../evidence/question-facets.ts';
import type { Evidence } from '../evidence/relevance.ts';
import { compareEvidence } from './compare-evidence.ts';

type Said = [title: string, quote: string];

function compared(question: string, said: Said[]): ReturnType<typeof compareEvidence> {
  const evidence = said.map(([title, quote], place): Evidence => {
    const url = `https://site-${place + 1}.example/`;
    return {
      id: `e${place + 1}`,
      url,
      link: url,
      title,
      quote,
      language: 'en',
      publishedDay: null,
      headingPath: [],
      start: 0,
      end: quote.length,
      facets: [0],
      score: 1,
    };
  });
  return compareEvidence(evidence, extractFacets(question));
}

describe('what a question asks for is compared however each page words it', () => {
  const cases: [question: string, said: Said[], agree: string[], differ: string[][]][] = [
    [
      'How tall is the Corvane Light?',
      [
        ['Corvane Light', 'It stands on a rock and reaches 54 m.'],
        ['A walk', 'At 61 metres, the Corvane Light is the tallest tower here.'],
        ['Corvane Light', 'The tower is 54 metres tall and 8 metres wide.'],
      ],
      ['54 m'],
      [['54 m', '61 metres']],
    ],
    [
      'Since which version does Loomdb support triggers?',
      [
        ['Loomdb', 'Loomdb supports triggers since version 3.2.'],
        ['Tips', 'Triggers are supported in Loomdb since version 3.4, so upgrade.'],
      ],
      [],
      [['version 3.2', 'version 3.4']],
    ],
    [
      'Does the Corvane Light have a lift?',
      [
        ['Corvane Light', 'It has no lift.'],
        ['Guide', 'The Corvane Light has a lift for visitors.'],
      ],
      [],
      [['It has no lift.', 'The Corvane Light has a lift for visitors.']],
    ],
    [
      'Who discovered Keth?',
      [
        ['Keth', 'Keth was discovered by Ines Morrow at night.'],
        ['Ines Morrow', 'She discovered Keth on old plates.'],
        ['Moons', 'Keth was discovered by Paul Direk.'],
      ],
      ['Ines Morrow'],
      [['Ines Morrow', 'Paul Direk']],
    ],
    [
      'How many times has Sarn United won the league?',
      [
        ['Sarn United', 'Sarn United has won the league six times.'],
        ['Statistics', 'Sarn United has won the league seven times.'],
      ],
      [],
      [['six times', 'seven times']],
    ],
  ];
  for (const [question, said, agree, differ] of cases)
    test(question, () => {
      const { agreements, disagreements } = compared(question, said);
      assert.deepEqual(
        agreements.map(({ value }) => value),
        agree,
      );
      assert.deepEqual(
        disagreements.map(({ values }) => values.map(({ value }) => value)),
        differ,
      );
    });
});

describe('no disagreement is reported', () => {
  const cases: [what: string, question: string, said: Said[]][] = [
    [
      'between a town and a club named after it',
      'When was Sarn founded?',
      [
        ['Sarn', 'Sarn was founded in 1203.'],
        ['Sarn United', 'Sarn United is a club. The club was founded in 1899.'],
      ],
    ],
    [
      'between editions of one event',
      'Where was the Sarn Cup played?',
      [
        ['Sarn Cup XXXIV', 'The Sarn Cup was played in Tollan.'],
        ['Sarn Cup XXXIX', 'The Sarn Cup was played in Merrow.'],
      ],
    ],
    [
      'about things that nobody asked for',
      'How tall is the Corvane Light?',
      [
        ['Towns', 'Osk has 1,120 inhabitants.'],
        ['More towns', 'Osk has 1,004 inhabitants.'],
      ],
    ],
    [
      'where one page speaks under a condition',
      'Does the Corvane Light have a lift?',
      [
        ['Corvane Light', 'It has no lift.'],
        ['Guide', 'The Corvane Light has a lift if you ask the keeper.'],
      ],
    ],
  ];
  for (const [what, question, said] of cases)
    test(what, () => assert.deepEqual(compared(question, said).disagreements, []));
});
