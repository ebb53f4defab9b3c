import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { judgeStatements } from './judge-statements.ts';
import { readCitedText } from './read-cited-text.ts';

const PAGE = {
  title: 'Corvane Light',
  markdown:
    '# Corvane Light\n\nThe lighthouse was designed by **Ada Merrick**. It was opened on 3 May 1871 and is 54 m tall.\n\nIt is not open to visitors. Terns nest on the rocks around it every summer.\n',
};

describe('judgeStatements', () => {
  const cases: [statement: string, verdict: string, quote: string | null][] = [
    [
      'The lighthouse was designed by Ada Merrick.',
      'supported',
      'The lighthouse was designed by **Ada Merrick**.',
    ],
    [
      'It was opened in May 1871 and is 177 feet tall.',
      'supported',
      'It was opened on 3 May 1871 and is 54 m tall.',
    ],
    [
      'It was opened on 3 May 1872 and is 54 m tall.',
      'contradicted',
      'It was opened on 3 May 1871 and is 54 m tall.',
    ],
    [
      'The lighthouse was designed by John Tolm.',
      'contradicted',
      'The lighthouse was designed by **Ada Merrick**.',
    ],
    ['It is open to visitors.', 'contradicted', 'It is not open to visitors.'],
    ['The keeper earned forty pounds a year.', 'not_found', null],
  ];
  for (const [statement, verdict, quote] of cases)
    test(statement, () => {
      const [judged] = judgeStatements([statement], PAGE);
      assert.equal(judged?.verdict, verdict);
      assert.equal(judged?.quote, quote);
      if (judged?.verdict === 'supported')
        assert.equal(PAGE.markdown.slice(judged.start, judged.end).trim(), quote);
    });
});

describe('readCitedText', () => {
  const a = 'https://example.org/a';
  const b = 'https://example.org/b_(c)';
  const cases: [what: string, text: string, statements: { text: string; urls: string[] }[]][] = [
    [
      'links',
      `The light is [54 m tall](${a}). It [opened](${b}) in 1871.`,
      [
        { text: 'The light is 54 m tall.', urls: [a] },
        { text: 'It opened in 1871.', urls: [b] },
      ],
    ],
    [
      'footnotes',
      `The light is tall.[^1] Terns nest there.[^x]\n\n[^1]: The light, ${a}\n[^x]: ${b}`,
      [
        { text: 'The light is tall.', urls: [a] },
        { text: 'Terns nest there.', urls: [b] },
      ],
    ],
    [
      'numbers behind the full stop',
      `The light is tall. [1][2] Terns nest there [2].\n\n## Sources\n\n1. Light: ${a}\n2. ${b}`,
      [
        { text: 'The light is tall.', urls: [a, b] },
        { text: 'Terns nest there.', urls: [b] },
      ],
    ],
    [
      'lists of numbers',
      `The light is tall [1, 2].\n\n[1] ${a}\n[2] ${b}`,
      [{ text: 'The light is tall.', urls: [a, b] }],
    ],
    ['bare addresses', `The light is tall (${a}).`, [{ text: 'The light is tall.', urls: [a] }]],
    ['none', 'The light is tall.', [{ text: 'The light is tall.', urls: [] }]],
    [
      'headings and rules',
      `# The light of Corvane\n\n---\n\n- The light is tall [x](${a}).`,
      [{ text: 'The light is tall x.', urls: [a] }],
    ],
  ];
  for (const [what, text, statements] of cases)
    test(what, () => assert.deepEqual(readCitedText(text), statements));

  test('takes any text in little time', () => {
    readCitedText(
      `${'['.repeat(50_000)}\n${'[1]'.repeat(20_000)}\n${'[a]('.repeat(20_000)}\n${'https://'.repeat(10_000)}`,
    );
  });
});
