import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { compared, type Said } from '../../../test/fixtures/unit-tests/said-evidence.ts';

describe('no disagreement is reported', () => {
  const cases: [what: string, said: Said[]][] = [
    [
      'between things of different names',
      [
        ['Corvane Light', 'The Corvane Light is 54 metres tall.'],
        ['Towers', 'The Sarn Light, unlike the Corvane Light, is 21 metres tall.'],
      ],
    ],
    [
      'between a thing and its part',
      [
        ['Corvane Light', 'The Corvane Light is 54 metres tall.'],
        ['Corvane Light', 'The lantern room is 4 metres tall.'],
      ],
    ],
    [
      'between a thing and its part, told in another clause',
      [
        ['Corvane Light', 'The Corvane Light is 54 metres tall.'],
        ['Corvane Light', 'The lantern room, which a stair of iron leads to, is 4 metres tall.'],
      ],
    ],
    [
      'between a thing and another that is named after it',
      [
        ['Corvane Light', 'The Corvane Light is 54 metres tall.'],
        ['Corvane Light', 'The Corvane Light museum is 12 metres tall.'],
      ],
    ],
    [
      'between names of which most is the same',
      [
        ['Towers', 'The Great Corvane Light is 54 metres tall.'],
        ['Towers', 'The Great Corvane Chimney is 81 metres tall.'],
      ],
    ],
    [
      'between makers of one family name',
      [
        ['Corvane Light', 'It was designed by Ada Merrick.'],
        ['Guide', 'The Corvane Light was designed by Thomas Merrick.'],
      ],
    ],
    [
      'between properties',
      [
        ['Corvane Light', 'The Corvane Light is 54 metres tall.'],
        ['Towers', 'The Corvane Light is 12 metres wide.'],
      ],
    ],
    [
      'between figures of different years',
      [
        ['Sarn', 'In 2001 Sarn had 4,100 inhabitants.'],
        ['Sarn', 'In 2011 Sarn had 5,200 inhabitants.'],
      ],
    ],
    [
      'between a figure of a year and one of none, where it changes by the year',
      [
        ['Sarn', 'Sarn has 4,100 inhabitants.'],
        ['Sarn', 'In 2011 Sarn had 5,200 inhabitants.'],
      ],
    ],
    [
      'between a figure and a bound',
      [
        ['Corvane Light', 'The Corvane Light is 54 metres tall.'],
        ['Towers', 'The Corvane Light is more than 45 metres tall.'],
      ],
    ],
    [
      'between a figure and about as much',
      [
        ['Corvane Light', 'The Corvane Light is 54 metres tall.'],
        ['Towers', 'The Corvane Light is about 55 metres tall.'],
      ],
    ],
    [
      'between a figure and one rounded to tens',
      [
        ['Corvane Light', 'The Corvane Light is 54 metres tall.'],
        ['Towers', 'The Corvane Light is 50 metres tall.'],
      ],
    ],
    [
      'between an average and a maximum',
      [
        ['Sarn Lake', 'Sarn Lake has an average depth of 12 metres.'],
        ['Lakes', 'Sarn Lake has a maximum depth of 41 metres.'],
      ],
    ],
    [
      'with what is denied or doubted',
      [
        ['Corvane Light', 'The Corvane Light is 54 metres tall.'],
        ['Towers', 'The Corvane Light is not 61 metres tall.'],
        ['Towers', 'Is the Corvane Light 71 metres tall?'],
        ['Towers', 'The Corvane Light would be 81 metres tall if it had been finished.'],
      ],
    ],
    [
      'between events',
      [
        ['Corvane Light', 'The Corvane Light opened in 1871.'],
        ['Towers', 'The Corvane Light was completed in 1870.'],
      ],
    ],
    [
      'between a thing and what opened in it',
      [
        ['Corvane Light', 'The Corvane Light opened in 1871.'],
        ['Corvane Light', 'The museum opened in 1982.'],
      ],
    ],
    [
      'with spans of years and ranges',
      [
        ['Corvane Light', 'The Corvane Light was built in 1871.'],
        ['Towers', 'The Corvane Light was built in 1867–1871 and is 50–60 metres tall.'],
        ['Guide', 'The Corvane Light is 71 metres tall.'],
      ],
    ],
    [
      'between several makers and one of them',
      [
        ['Corvane Light', 'It was designed by Ada Merrick and John Tolm.'],
        ['Guide', 'The Corvane Light was designed by John Tolm.'],
      ],
    ],
    [
      'between spellings of a maker',
      [
        ['Corvane Light', 'It was designed by Ada Merrick.'],
        ['Guide', 'The Corvane Light was designed by Merrick & Sons.'],
      ],
    ],
    [
      'between things that their titles tell apart',
      [
        ['Sarn Songs (Volume 3)', 'Sarn Songs is an album. It was released in April 2004.'],
        ['Sarn Songs (Volume 4)', 'Sarn Songs was released in August 2005.'],
        ['Sarn Songs', 'It was first released in 1999.'],
      ],
    ],
    [
      'between things of which only the name of a third is known',
      [
        ['Votes', 'The Sarn council race was won by Tolm, who was elected in 1964.'],
        ['Votes', 'The Sarn mayor race was won by Orr, who was elected in 1968.'],
      ],
    ],
    [
      'between things whose sentences begin with somebody who took part',
      [
        ['The Lens', 'Starring Ada Merrick, the music was composed by John Tolm.'],
        ['The Reef', 'Starring Ada Merrick, the music was composed by Bela Orr.'],
      ],
    ],
    [
      'with a page that itself gives several values',
      [
        ['Sarn Path', 'The Sarn Path is 12 km long. The Sarn Path is 15 km long.'],
        ['Walks', 'The Sarn Path is 18 km long.'],
      ],
    ],
    [
      'from tables and headings',
      [
        ['Corvane Light', '# It is 61 metres tall'],
        ['Corvane Light', '| It is 71 metres tall |\n| --- |\n| It is 71 metres tall |'],
      ],
    ],
  ];
  for (const [what, said] of cases) test(what, () => assert.deepEqual(compared(...said).disagreements, []));
});
