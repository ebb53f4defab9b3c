import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { findSwappedRoles } from './roles.ts';

const find = (statement: string, source: string) => findSwappedRoles([statement], [source]);

describe('findSwappedRoles finds', () => {
  const cases: [statement: string, source: string][] = [
    ['Beta bought Acme.', 'Acme bought Beta in 1990.'],
    ['Acme was bought by Beta.', 'Acme bought Beta.'],
    ['Beta bought Acme.', 'Beta was bought by Acme in 1990.'],
    ['Beta was acquired from its owners by Gamma, and Acme purchased Tolm.', 'Tolm bought Acme.'],
    ['The cat chased the dog.', 'In the garden the dog chased the cat.'],
    ['Cats can chase dogs.', 'Dogs can chase cats.'],
    ['Oslo is larger than Bergen.', 'Bergen is larger than Oslo.'],
    ['Ada is the daughter of Byron.', 'Byron is the daughter of Ada.'],
    ['Corvane is the capital of Sarn.', 'The capital of Corvane is Sarn.'],
    ['The ferry runs from Sarn to Tolm.', 'The ferry runs from Tolm to Sarn.'],
    ['The moon orbits the planet.', 'The planet orbits the moon.'],
    [
      'The lighthouse was designed by Merrick after Tolm had built it.',
      'Merrick was designed by a lighthouse.',
    ],
  ];
  for (const [statement, source] of cases)
    test(`${statement} / ${source}`, () => assert.notEqual(find(statement, source), null));
});

describe('findSwappedRoles passes', () => {
  const cases: [statement: string, source: string][] = [
    ['Beta was bought by Acme.', 'Acme bought Beta in 1990.'],
    ['Acme bought Beta.', 'Beta, a maker of clocks, was later acquired by Acme.'],
    ['In 1990, Acme bought Beta.', 'Acme bought Beta in 1990.'],
    ['Bob met Ada.', 'Ada met Bob.'],
    ['Sarn is the capital of Corvane.', 'The capital of Corvane is Sarn.'],
    ['The capital of Corvane is Sarn.', 'Sarn is the capital of Corvane.'],
    ['Acme bought Beta.', 'Beta, which Acme bought, makes clocks.'],
    ['In Sarn, the king received Ada.', 'The king of Corvane received Ada in Sarn.'],
    ['The ferry runs from Sarn to Tolm.', 'The ferry from Sarn runs to Tolm.'],
    ['Oslo is larger than Bergen.', 'Oslo is much larger than Bergen.'],
    ['Ada opened the light.', 'The light was opened by Ada.'],
    ['The light stands in Corvane.', 'In Corvane stands the light.'],
  ];
  for (const [statement, source] of cases)
    test(`${statement} / ${source}`, () => assert.equal(find(statement, source), null));
});

test('another sentence that says it the right way is enough', () =>
  assert.equal(
    findSwappedRoles(['Beta bought Acme.'], ['Acme bought Beta.', 'Then Beta bought Acme.']),
    null,
  ));
