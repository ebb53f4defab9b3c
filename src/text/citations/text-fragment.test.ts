import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { buildTextFragmentLink } from './text-fragment.ts';

const URL = 'https://example.org/a';

/** The link of a quotation that is the whole page. */
const linkOf = (markdown: string, url = URL): string =>
  buildTextFragmentLink(url, markdown, { start: 0, end: markdown.length });

describe('buildTextFragmentLink', () => {
  const table: [what: string, quotation: string, fragment: string][] = [
    ['a short text whole', 'It lays four eggs.', 'It%20lays%20four%20eggs%2E'],
    ['the signs of the syntax encoded', 'salt-marsh, sand & mud', 'salt%2Dmarsh%2C%20sand%20%26%20mud'],
    ['text, not markup', 'the **red** [knot](https://x.org/a_(b)) `Calidris`', 'the%20red%20knot%20Calidris'],
    [
      'a long text by its ends',
      `${'one two three four five six seven '.repeat(8)}and the end of it all.`,
      'one%20two%20three%20four%20five%20six,and%20the%20end%20of%20it%20all%2E',
    ],
    ['a range across paragraphs', 'First one.\n\nLast one.', 'First%20one%2E,Last%20one%2E'],
    ['no heading, when more follows', '## Birds\n\nText below.', 'Text%20below%2E'],
    ['a heading alone', '## Birds', 'Birds'],
    ['items of a list', '- first item\n- second item', 'first%20item,second%20item'],
    ['a row by its cells', '| Bird | Eggs |\n| --- | --- |\n| Knot | 4 |', 'Bird,4'],
    ['lines of code', '```sh\nnpm install\nnpm test\n```', 'npm%20install,npm%20test'],
    ['no tags', 'H<sub>2</sub>O', 'H2O'],
    ['no kind of an alert', '> [!NOTE]\n> Fees are due.\n>\n> At once.', 'Fees%20are%20due%2E,At%20once%2E'],
    ['a bare address', 'See <https://x.org/a> first.', 'See%20https%3A%2F%2Fx%2Eorg%2Fa%20first%2E'],
    ['an entry of a definition list by its meaning', '- **Knot**: a small wader', 'a%20small%20wader'],
    [
      'names in code as they stand',
      'Pass `**kwargs` to `<b>` here.',
      'Pass%20%2A%2Akwargs%20to%20%3Cb%3E%20here%2E',
    ],
    ['code in a quotation', '> ```\n> >>> bird.rest()\n> ```', '%3E%3E%3E%20bird%2Erest%28%29'],
    ['signs in blocks of code', '```\na * b <c> d\n```', 'a%20%2A%20b%20%3Cc%3E%20d'],
    [
      'an entry with its type by its meaning',
      '- `max_size` (`integer`): the most bytes',
      'the%20most%20bytes',
    ],
    ['a list of links', '- [One](/a)\n- [Two](/b)', 'One,Two'],
    ['no pictures', 'A collar.\n\n![Three ruffs](/ruff.png)', 'A%20collar%2E'],
    ['cells of several lines', '| `a` b<br>of it |\n| --- |\n| one<br>two |', 'a%20b,two'],
    ['a line that is broken by hand', 'Office\\\nLamp street', 'Office,Lamp%20street'],
    ['an escaped bracket as it stands', 'of \\<b> here', 'of%20%3Cb%3E%20here'],
    ['no comma at the end', 'one two\n\nthree four,', 'one%20two,three%20four'],
    ['other scripts', '鳥は飛ぶ。', encodeURIComponent('鳥は飛ぶ。')],
  ];
  for (const [what, quotation, fragment] of table)
    test(what, () => assert.equal(linkOf(quotation), `${URL}#:~:text=${fragment}`));

  test('a quotation within code keeps its spaces and signs', () => {
    const page = 'Text.\n\n```sql\nSELECT 1;\nSELECT * FROM  birds;\n```\n';
    const start = page.indexOf('SELECT *');
    assert.equal(
      buildTextFragmentLink(URL, page, { start, end: page.indexOf(';\n`') + 1 }),
      `${URL}#:~:text=SELECT%20%2A%20FROM%20%20birds%3B`,
    );
  });

  test('begins with what occurs nowhere before the quotation', () => {
    const page =
      'For example:\n\nOne bird rests alone.\n\nFor example:\n\nTwo birds rest together.\n\nAnd so on.';
    const start = page.lastIndexOf('For example');
    assert.equal(
      buildTextFragmentLink(URL, page, { start, end: page.length }),
      `${URL}#:~:text=Two%20birds%20rest%20together%2E,And%20so%20on%2E`,
    );
  });

  test('a whole page is named by its ends', () => {
    const page = `# Waders\n\nThe first of it.\n\n${'| x | [y](/z) |\n'.repeat(100_000)}\nThe last of it.`;
    assert.equal(linkOf(page), `${URL}#:~:text=The%20first%20of%20it%2E,The%20last%20of%20it%2E`);
  });

  test('follows an existing fragment of the address, and replaces a directive', () => {
    assert.equal(linkOf('Knot', `${URL}#top`), `${URL}#top:~:text=Knot`);
    assert.equal(linkOf('Knot', `${URL}#:~:text=old`), `${URL}#:~:text=Knot`);
  });

  test('is the address alone where there is no text', () => {
    assert.equal(linkOf('---\n\n***'), URL);
  });

  test('is an address of bounded length whose directive is well formed, whatever is quoted', () => {
    fc.assert(
      fc.property(fc.string({ maxLength: 3_000, unit: 'binary' }), (quotation) => {
        const link = linkOf(quotation);
        assert.ok(link.length < 4_500);
        assert.match(
          link,
          /^https:\/\/example\.org\/a(?:#:~:text=(?:[\w]|%[0-9A-F]{2})+(?:,(?:[\w]|%[0-9A-F]{2})+)?)?$/,
        );
        const [, text = ''] = link.split('#:~:text=');
        for (const part of text.split(',')) decodeURIComponent(part);
      }),
    );
  });
});
