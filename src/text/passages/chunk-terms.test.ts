import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import type { Chunk } from '../chunk/chunk-markdown.ts';
import { tokenizeWords } from '../words/words.ts';
import { readChunks } from './chunk-terms.ts';

const chunk = (markdown: string, headingPath: string[] = []): Chunk => ({
  markdown,
  headingPath,
  start: 0,
  end: markdown.length,
});
const termsOf = (markdown: string, language: string | null = 'en'): string[] => {
  const { ids, terms } = readChunks([chunk(markdown)], language);
  return [...ids].map((id) => terms[id] ?? '');
};
const sentencesOf = (markdown: string): number => new Set(readChunks([chunk(markdown)], 'en').sentences).size;

describe('readChunks', () => {
  test('gives the terms that wordsOf gives', () => {
    for (const text of [
      'The waders, e.g. the "knots" (Calidris), fly 1,000 km; os.path.join is `not` one!',
      '| Name | Length |\n| --- | --- |\n| *Knot* | 25 cm |',
      '日本語です。次の文。 Да, это так. हिन्दी है। یہ اردو ہے۔',
      "don't l'homme C++ getHTTPResponse UTF-8",
    ])
      assert.deepEqual(termsOf(text), tokenizeWords(text, 'en'), text);
  });

  test('leaves the addresses of links out', () => {
    assert.deepEqual(termsOf('see [the docs](https://host.example/a_(b) "title") now'), [
      'see',
      'the',
      'doc',
      'now',
    ]);
  });

  test('counts sentences by their marks, by lines that begin a block, and not after abbreviations', () => {
    assert.equal(sentencesOf('One bird walks. Another flies! Does it? Yes'), 4);
    assert.equal(sentencesOf('- first item\n- second item\n\nlast line'), 3);
    assert.equal(sentencesOf('a line that is\nwrapped in two'), 1);
    assert.equal(sentencesOf('Mr. Bean met St. John there'), 1);
    assert.equal(sentencesOf('次の文です。もう一つ。終わり'), 3);
  });

  test('gives each chunk its terms and those of its headings', () => {
    const { ids, from, terms, headings } = readChunks(
      [chunk('grey knot', ['Waders', 'Knots']), chunk('ruff')],
      'en',
    );
    const named = (list: Iterable<number>): string[] => [...list].map((id) => terms[id] ?? '');
    assert.deepEqual(named(ids.subarray(from[0], from[1])), ['grey', 'knot']);
    assert.deepEqual(named(ids.subarray(from[1], from[2])), ['ruff']);
    assert.deepEqual(named(headings[0] ?? []), ['wader', 'knot']);
  });

  test('law: plain words between spaces are what wordsOf makes of them', () => {
    const word = fc.stringMatching(/^[A-Z]?[a-z]{1,12}[.,;:!?)"]?$/);
    fc.assert(
      fc.property(fc.array(word, { maxLength: 400 }), (words) => {
        const text = words.join(' ');
        assert.deepEqual(termsOf(text), tokenizeWords(text, 'en'));
      }),
    );
  });

  test('a run of 200,000 characters without a space takes no longer than its bound', () => {
    assert.ok(termsOf('x'.repeat(200_000)).length <= 1);
    assert.ok(termsOf('鷸'.repeat(200_000)).length <= 4_000);
    assert.ok(termsOf('[](('.repeat(20_000)).length <= 1);
  });

  test('an entry with what is indented below it is a block, a heading with its first paragraph, a row', () => {
    const text =
      '# Knots\n\nThey eat shells.\n\nThey fly far.\n\n- **--all**\n\n  Every bird.\n- **--one**: A bird.\n\nOthers.\n\n| a | b |\n| c | d |';
    const { blocks, ids, terms } = readChunks([chunk(text)], 'en');
    const read: string[][] = [];
    for (const [place, block] of blocks.entries()) {
      if (block !== blocks[place - 1]) read.push([]);
      read.at(-1)?.push(terms[ids[place] ?? 0] ?? '');
    }
    assert.deepEqual(
      read.map((block) => [...new Set(block)].join(' ')),
      [
        'knot they eat shell',
        'they fli far',
        'all --all everi bird',
        'one --one a bird',
        'other',
        'a b',
        'c d',
      ],
    );
  });
});
