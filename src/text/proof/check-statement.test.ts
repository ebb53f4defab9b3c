import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { checkStatement, type ProblemKind } from './check-statement.ts';

const RULES = { language: null, elsewhere: new Set<string>() };

function listKinds(
  statement: string,
  quote: string,
  { context = quote, title = 'Corvane Light' } = {},
): ProblemKind[] {
  return checkStatement(statement, [{ quote, context, title }], RULES).map(({ kind }) => kind);
}

const QUOTE =
  'The lighthouse, designed by Ada Merrick, is 54 m tall and was opened on 3 May 1871 at a cost of $1.2 million; it is not open to visitors.';

describe('a statement that agrees with its quotation', () => {
  const cases: [what: string, statement: string, quote: string][] = [
    ['in the same words', 'The lighthouse is 54 m tall.', QUOTE],
    ['with a unit written out', 'The lighthouse is 54 metres tall.', QUOTE],
    ['in a converted unit', 'The lighthouse is 177 feet tall.', QUOTE],
    ['with the date in another form', 'The lighthouse was opened on 1871-05-03.', QUOTE],
    ['with less of the date', 'The lighthouse was opened in May 1871.', QUOTE],
    ['with a number written out', 'The lighthouse was opened at a cost of $1,200,000.', QUOTE],
    ['with another word', 'The lighthouse started to shine.', 'The lighthouse began to shine.'],
    ['with grouped digits', 'Sarn has 1,234,567 inhabitants.', 'Sarn has 1234567 residents.'],
    ['with a written number', 'Sarn has 3 gates.', 'Sarn has three gates.'],
    ['with the title as its subject', 'Corvane Light is 54 m tall.', 'It is 54 m tall.'],
    ['with the denial of its source', 'The lighthouse is not open to visitors.', QUOTE],
    ['with an acronym for the name', 'The WHO approved it.', 'The World Health Organization approved it.'],
    ['in a frame', 'According to the article, the lighthouse is 54 m tall.', QUOTE],
  ];
  for (const [what, statement, quote] of cases)
    test(what, () => assert.deepEqual(listKinds(statement, quote), []));
});

describe('a statement that does not', () => {
  const cases: [what: string, statement: string, kind: ProblemKind, quote?: string][] = [
    ['another number', 'The lighthouse is 45 m tall.', 'number'],
    ['another unit', 'The lighthouse is 54 feet tall.', 'unit'],
    ['a wrong conversion', 'The lighthouse is 200 feet tall.', 'number'],
    ['another day', 'The lighthouse was opened on 4 May 1871.', 'date'],
    ['another month', 'The lighthouse was opened on 3 June 1871.', 'date'],
    ['another year', 'The lighthouse was opened in 1872.', 'number'],
    ['another scale', 'The lighthouse was opened at a cost of $1.2 billion.', 'number'],
    ['another name', 'The lighthouse, designed by John Tolm, is 54 m tall.', 'name'],
    ['a name at the beginning', 'Berlin opened the lighthouse.', 'name'],
    ['a label', 'The lighthouse uses an H5N1 lamp.', 'name'],
    ['a denial left out', 'The lighthouse is open to visitors.', 'negation'],
    ['a denial added', 'The lighthouse was not designed by Ada Merrick.', 'negation'],
    ['the contrary', 'The price fell.', 'negation', 'The price rose.'],
    ['the roles exchanged', 'Beta bought Acme.', 'role', 'Acme bought Beta in 1990.'],
    ['an address', 'See lighthouse at https://evil.example.com/x.', 'address'],
    ['another thing', 'The bakery is 54 m tall.', 'words'],
  ];
  for (const [what, statement, kind, quote = QUOTE] of cases)
    test(what, () =>
      assert.ok(listKinds(statement, quote).includes(kind), listKinds(statement, quote).join()),
    );

  test('a quotation that was cut out of a denial', () => {
    const quote = 'the lighthouse was built by the navy';
    const statement = 'The lighthouse was built by the navy.';
    assert.deepEqual(listKinds(statement, quote), []);
    assert.deepEqual(
      listKinds(statement, quote, {
        context: 'It is not true: nobody denies that the lighthouse was not built by the navy.',
      }),
      ['negation'],
    );
  });
});
