import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { findQuotes } from './find-quote.ts';

const page = [
  '# Birds',
  'The **red [knot](https://x.org/knot_(bird) "Knot")** isn’t a “sanderling”; it weighs 120–140 g \\[3\\].',
  '## Eggs',
  '- lays *four* eggs\n  - in a `scrape`',
  '| Bird | Eggs |\n| --- | ---: |\n| Café owl | 4 |',
  '> Said of\n> waders.',
  'H<sub>2</sub>O runs<br>down.',
].join('\n\n');

describe('findQuotes', () => {
  const table: [quote: string, found: string, stands: string | null, path?: string[]][] = [
    ['lays *four* eggs', 'exact', 'lays *four* eggs', ['Birds', 'Eggs']],
    ['  lays *four* eggs\n', 'exact', 'lays *four* eggs'],
    ['lays four eggs', 'normalized', 'lays *four* eggs', ['Birds', 'Eggs']],
    ['lays four\n   eggs in a scrape', 'normalized', 'lays *four* eggs\n  - in a `scrape'],
    ['The red knot isn\'t a "sanderling"; it weighs', 'normalized', null],
    ['120–140 g [3].', 'normalized', '120–140 g \\[3\\].'],
    ['Cafe\u0301 owl 4', 'normalized', 'Café owl | 4'],
    ['Bird Eggs Café owl', 'normalized', null],
    ['Said of waders.', 'normalized', 'Said of\n> waders.'],
    ['H2O runs down.', 'normalized', 'H<sub>2</sub>O runs<br>down.'],
    ['red\u00a0knot', 'normalized', 'red [knot'],
    ['Birds', 'exact', 'Birds', ['Birds']],
    ['## Eggs', 'exact', '## Eggs', ['Birds', 'Eggs']],
    ['lays five eggs', 'no', null],
    ['lays Four eggs', 'no', null],
    ['121–140 g', 'no', null],
    ['https://x.org/other', 'no', null],
    ['  ', 'no', null],
    ['**', 'exact', '**'],
    ['~~ [] ~~', 'no', null],
  ];
  for (const [quote, found, stands, path] of table)
    test(`${JSON.stringify(quote)}: ${found}`, () => {
      const [place] = findQuotes(page, [quote]);
      assert.equal(place?.found, found);
      if (stands !== null && place?.found !== 'no')
        assert.equal(page.slice(place?.start, place?.end), stands);
      if (path !== undefined) assert.deepEqual(place?.headingPath, path);
      if (found === 'no') assert.deepEqual(place, { found: 'no', start: null, end: null, headingPath: null });
    });

  test('several quotations keep their order', () => {
    const found = findQuotes(page, ['nothing', 'Said of', 'nothing']).map((place) => place.found);
    assert.deepEqual(found, ['no', 'exact', 'no']);
  });

  test('any slice of a page is found exactly, and with its white space changed all the same', () => {
    const text = fc.array(fc.constantFrom('tern', 'Knot', '12', '“gull”', 'é', '鳥', '**a**', '[b](c)'), {
      minLength: 1,
      maxLength: 30,
    });
    fc.assert(
      fc.property(text, fc.nat(), fc.nat(), (words, from, length) => {
        const chosen = words.slice(from % words.length, (from % words.length) + 1 + (length % 6));
        const markdown = words.join(' ');
        const [exact, spaced] = findQuotes(markdown, [chosen.join(' '), chosen.join(' \n ')]);
        assert.equal(exact?.found, 'exact');
        assert.notEqual(spaced?.found, 'no');
      }),
    );
  });

  test('never fails, and what it finds lies on the page', () => {
    fc.assert(
      fc.property(
        fc.string({ maxLength: 500, unit: 'binary' }),
        fc.string({ maxLength: 20 }),
        (markdown, quote) => {
          const [place] = findQuotes(markdown, [quote]);
          if (place === undefined || place.found === 'no') return;
          assert.ok(place.start >= 0 && place.start < place.end && place.end <= markdown.length);
        },
      ),
    );
  });

  test('a page made to be slow is read once', () => {
    const slow = `${'-'.repeat(60_000)}x\n${' '.repeat(60_000)}y\n${'['.repeat(60_000)}\n${'](('.repeat(20_000)}\n${'<b '.repeat(20_000)}`;
    assert.equal(findQuotes(slow, ['nowhere at all'])[0]?.found, 'no');
  });
});
