import fc from 'fast-check';

/** Markdown pages like those of the web: several scripts, lists, quotes, tables, code and malformed remains. */

const word = fc.oneof(
  {
    weight: 8,
    arbitrary: fc.constantFrom(
      ...'the wader runs along a receding wave and picks small things from wet sand e.g. Dr. 3.14 v2.0 O’Neill'.split(
        ' ',
      ),
    ),
  },
  {
    weight: 1,
    arbitrary: fc.constantFrom(
      '[a link with text](https://example.test/a/b?c=d)',
      '`some code`',
      '**bold words**',
      '![shown](x.png)',
    ),
  },
  {
    weight: 1,
    arbitrary: fc.constantFrom(
      '<span class="x">',
      '</div>',
      '&nbsp;',
      '|',
      '#',
      '>',
      '```',
      '*',
      'a_b',
      '\u00a0',
    ),
  },
);
const sentence = fc
  .tuple(
    fc.array(word, { minLength: 1, maxLength: 40 }),
    fc.constantFrom('. ', '? ', '! ', '… ', ': ', ', ', ' ', '." '),
  )
  .map(([words, end]) => `The ${words.join(' ')}${end}`);
const foreign = fc
  .tuple(
    fc.constantFrom(
      '鷸沿著海浪的邊緣奔跑。',
      '시냇물이 흐른다. ',
      'يجري الطائر على الشاطئ؟ ',
      'นกวิ่งไปตามชายหาด',
      'Der Vogel läuft z. B. weg. ',
      '🐦🏖️',
      'कुत्ता दौड़ता है। ',
    ),
    fc.integer({ min: 1, max: 120 }),
  )
  .map(([text, times]) => text.repeat(times).trim());
const paragraph = fc.array(sentence, { minLength: 1, maxLength: 14 }).map((all) => all.join('').trim());
const wrapped = paragraph.map((text) => text.replace(/(.{50,70}) /g, '$1\n'));
const giant = fc.constantFrom(
  'x'.repeat(3_000),
  'word '.repeat(2_000).trim(),
  '.'.repeat(5_000),
  '['.repeat(4_000),
  '`'.repeat(2_000),
  'https://example.test/'.repeat(200),
);
const heading = fc
  .tuple(
    fc.integer({ min: 1, max: 6 }),
    fc.constantFrom('Waders', 'How to *run*', 'C#', 'A `code` heading #', 'x'.repeat(900), ''),
  )
  .map(([level, text]) => `${'#'.repeat(level)} ${text}`.trimEnd());
const underlined = fc.constantFrom('Title\n=====', 'Part\n---');
const codeLine = fc.constantFrom(
  'call(argument);',
  '',
  '  if (x) {',
  '# no heading',
  '| no | table |',
  '- no list',
  '> no quote',
  `const s = '${'long '.repeat(200)}';`,
  '``',
  '\tindented',
);
const code = fc
  .tuple(
    fc.constantFrom('```', '~~~', '````'),
    fc.constantFrom('', 'js', 'python title="x y"'),
    fc.array(codeLine, { maxLength: 70 }),
  )
  .map(([marks, language, lines]) => [`${marks}${language}`, ...lines, marks].join('\n'));
const table = fc
  .tuple(
    fc.integer({ min: 1, max: 50 }),
    fc.integer({ min: 0, max: 60 }),
    fc.constantFrom('cell', '1', 'a longer cell of words', ''),
  )
  .map(([columns, rows, cell]) => {
    const row = (text: string): string => `| ${Array(columns).fill(text).join(' | ')} |`;
    return [row('Head'), row('---'), ...Array.from({ length: rows }, (_, at) => row(`${cell}${at}`))].join(
      '\n',
    );
  });
const indentBy = (text: string, by: string): string => text.replace(/^(?=.)/gm, by);
const item = fc
  .tuple(
    fc.constantFrom('- ', '* ', '1. '),
    fc.oneof(
      { weight: 6, arbitrary: sentence },
      { weight: 2, arbitrary: paragraph },
      { weight: 1, arbitrary: code },
    ),
  )
  .map(([marker, text]) => `${marker}${indentBy(text.trim(), ' '.repeat(marker.length)).trimStart()}`);
const list = fc
  .array(fc.tuple(item, fc.constantFrom('', '', '  ', '    ')), { minLength: 1, maxLength: 30 })
  .map((items) =>
    items
      .map(([text, by]) => indentBy(text, by))
      .join('\n')
      .trimStart(),
  );
const quote = fc.oneof(paragraph, wrapped, code, list).map((text) => text.replace(/^/gm, '> '));
const links = fc
  .integer({ min: 1, max: 80 })
  .map((count) =>
    Array.from({ length: count }, (_, at) => `- [Page ${at} of the site](https://example.test/${at})`).join(
      '\n',
    ),
  );
const leftover = fc.constantFrom(
  '---',
  '* * *',
  '<details><summary>More</summary>',
  '| a row alone | without header |',
  '    indented code\n    more of it',
  '\\',
  '[…]',
);

/** Any page; one in ten ends with a fence that is never closed. */
export const markdownPage: fc.Arbitrary<string> = fc
  .tuple(
    fc.array(
      fc.oneof(
        { weight: 6, arbitrary: paragraph },
        { weight: 4, arbitrary: heading },
        ...[wrapped, foreign, underlined, code, table, list, quote, links, leftover].map((arbitrary) => ({
          weight: 2,
          arbitrary,
        })),
        { weight: 1, arbitrary: giant },
      ),
      { minLength: 1, maxLength: 25 },
    ),
    fc.constantFrom('\n\n', '\n\n', '\n\n', '\n', '\n\n\n\n'),
    fc.constantFrom('', '', '', '', '', '', '', '', '\n', '\n\n```js\nnever(closed);\n'),
  )
  .map(([blocks, gap, end]) => `${blocks.join(gap)}${end}`);
