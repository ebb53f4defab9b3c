import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { cleanWrittenText, proveStatements } from './prove-statements.ts';

const PASSAGES = [
  {
    url: 'https://example.org/knot',
    title: 'Red knot',
    text: 'The **red knot** weighs 120 g. It breeds in the [Arctic](https://example.org/arctic).',
  },
  { url: 'https://example.org/tern', title: 'Tern', text: 'Terns do not dive from the ground.' },
];

const prove = (text: string, passage: number, quote: string) =>
  proveStatements([{ text, support: [{ passage, quote }] }], PASSAGES)[0];

describe('proveStatements', () => {
  test('finds a quotation in its passage, apart from markup', () => {
    const proved = prove('The red knot weighs 120 grams.', 1, 'The red knot weighs 120 g.');
    assert.deepEqual(proved?.problems, []);
    assert.deepEqual(proved?.quotes, [
      { passage: 0, quote: 'The red knot weighs 120 g.', start: 0, end: 30 },
    ]);
  });

  const refused: [what: string, text: string, passage: number, quote: string][] = [
    ['an invented quotation', 'The red knot weighs 120 g.', 1, 'The red knot weighs 120 g on average.'],
    ['a quotation of another passage', 'The red knot weighs 120 g.', 2, 'The red knot weighs 120 g.'],
    ['a passage that does not exist', 'The red knot weighs 120 g.', 9, 'The red knot weighs 120 g.'],
    ['no quotation', 'The red knot weighs 120 g.', 1, ''],
  ];
  for (const [what, text, passage, quote] of refused)
    test(`refuses ${what}`, () => assert.equal(prove(text, passage, quote)?.problems[0]?.kind, 'quotation'));

  test('a statement that is too long, and those beyond the bound, are unproved and not cut', () => {
    const long = `The red knot weighs 120 g${', as it does'.repeat(100)}.`;
    const proved = prove(long, 1, 'The red knot weighs 120 g.');
    assert.equal(proved?.text, long);
    assert.equal(proved?.problems[0]?.kind, 'quotation');
    const one = { text: 'The red knot weighs 120 g.', support: [{ passage: 1, quote: 'weighs 120 g' }] };
    const many = proveStatements(
      Array.from({ length: 61 }, () => one),
      PASSAGES,
    );
    assert.equal(many.length, 61);
    assert.deepEqual([many[59]?.problems.length, many[60]?.problems.length], [0, 1]);
  });

  test('reads the whole sentence around a quotation', () => {
    assert.equal(
      prove('Terns dive from the ground.', 2, 'dive from the ground')?.problems[0]?.kind,
      'negation',
    );
  });
});

describe('cleanWrittenText', () => {
  const sources = 'https://example.org/knot\nSee https://example.org/arctic for more.';
  const cases: [what: string, written: string, clean: string][] = [
    ['a link to elsewhere', 'See [here](https://evil.example/x).', 'See here.'],
    ['a picture', 'A bird ![x](https://evil.example/x.png) flies.', 'A bird x flies.'],
    ['an address that is in no source', 'Go to https://evil.example/x now.', 'Go to now.'],
    ['an address of a source', 'See https://example.org/arctic.', 'See https://example.org/arctic.'],
    ['a script', 'javascript:alert(1) hello', 'hello'],
    ['tags and emphasis', '<b onclick=x>Red</b> **knot**', 'Red knot'],
    ['marks of citations', 'It flies [1][2, 3].', 'It flies .'],
    ['marks that are not seen', 're\u202ed kn\u200bot', 'red knot'],
  ];
  for (const [what, written, clean] of cases)
    test(`removes ${what}`, () => assert.equal(cleanWrittenText(written, sources), clean));

  test('takes any text in little time', () => {
    fc.assert(
      fc.property(
        fc.string({ maxLength: 400, unit: 'binary' }),
        (written) => !cleanWrittenText(written, '').includes('\u202e'),
      ),
    );
    cleanWrittenText('['.repeat(50_000) + '<b '.repeat(20_000) + 'http://'.repeat(20_000), '');
  });
});
