import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import type { Chunk } from '../chunk/chunk-markdown.ts';
import { readQuery } from '../query/read-query.ts';
import { countTermChunks, rankTexts, scorePassages } from './score-passages.ts';

const page = (texts: string[], headingPath: string[] = []): Chunk[] =>
  texts.map((markdown, place) => ({ markdown, headingPath, start: place * 1_000, end: place * 1_000 + 900 }));
const best = (texts: string[], query: string, language: string | null = 'en'): number => {
  const scores = scorePassages(page(texts), readQuery(query), language).map(({ score }) => score);
  return scores.indexOf(Math.max(...scores));
};
const filler = [
  'The harbour was rebuilt after the war.',
  'Trains leave from the central station every hour.',
];

test('countTermChunks counts each chunk once, and leaves out what no chunk holds', () => {
  const chunks = page(['Gulls and gulls nest.', 'A gull.', 'Terns.']);
  assert.deepEqual(
    [...countTermChunks(chunks, 'en', new Set(['gull', 'tern', 'knot']))],
    [
      ['gull', 2],
      ['tern', 1],
    ],
  );
});

describe('scorePassages', () => {
  test('what was read for one question changes no score of the next', () => {
    const texts = [...filler, 'Sanderlings breed in the high Arctic tundra.', 'A physician healed the gull.'];
    const asked = page(texts);
    const scores = (chunks: Chunk[], query: string) => scorePassages(chunks, readQuery(query), 'en');
    for (const query of ['where do sanderlings breed', 'doctor for a sick bird', 'trains', 'harbour war'])
      assert.deepEqual(scores(asked, query), scores(page(texts), query));
  });

  test('the chunk with more of the query comes first', () => {
    assert.equal(
      best([...filler, 'Sanderlings breed in the high Arctic tundra.'], 'where do sanderlings breed'),
      2,
    );
  });

  test('words together in one sentence count more than words apart', () => {
    const apart =
      'The knot is grey. It was a long day in spring. Nobody saw a nest of any kind in the dunes.';
    const together =
      'The grey knot builds its nest in June. It was a long day in the dunes. Nobody saw any kind.';
    assert.equal(best([...filler, apart, together], 'grey knot nest'), 3);
  });

  test('a phrase of function words is found', () => {
    const texts = ['He let the dog be, and it ran.', 'The band recorded Let It Be in 1969.', ...filler];
    assert.equal(best(texts, 'let it be'), 1);
  });

  test('a question for a date prefers the chunk with one', () => {
    const texts = ['Fire ants were introduced by ship.', 'Fire ants were introduced in 1931.', ...filler];
    assert.equal(best(texts, 'when were fire ants introduced'), 1);
  });

  test('words of near meaning count where the words themselves are missing', () => {
    const texts = [
      ...filler,
      'The physician treated him at the clinic.',
      'The painter sold the canvas to a museum.',
    ];
    assert.equal(best(texts, 'doctor at the hospital of the town'), 2);
  });

  test('an entry that says it comes before a synopsis with the same words', () => {
    const synopsis = '```\nperch lock [--reason <text>] [--nest <path>] <bird>\n```';
    const entry = '- **--reason**: With `lock`, the reason why the nest of the bird is locked.';
    assert.equal(best([...filler, synopsis, entry], 'give a reason when I lock a nest'), 3);
  });

  test('the word that tells chunks apart counts more in the meaning of a question than the subject of the page', () => {
    const texts = [
      'The harbour of the harbour town is a harbour with a harbour master.',
      'The harbour opens at six.',
      'In the harbour a physician waits.',
      'The harbour has nets.',
    ];
    assert.equal(best(texts, 'harbour doctor'), 2);
  });

  test('a term in the heading above counts', () => {
    const [plain] = page(['Walk along the edge of the water.']);
    const [headed] = page(['Walk along the edge of the shore.'], ['Sanderling']);
    assert.ok(plain !== undefined && headed !== undefined);
    const [without, withHeading] = scorePassages([plain, headed], readQuery('sanderling walk'), 'en');
    assert.ok((withHeading?.score ?? 0) > (without?.score ?? 0));
    assert.ok((withHeading?.coverage ?? 0) > (without?.coverage ?? 0));
  });

  test('a page that has nothing of the query scores 0, one that has little scores near 0', () => {
    for (const { score } of scorePassages(page(filler), readQuery('quantum chromodynamics'), 'en'))
      assert.equal(score, 0);
    for (const { score } of scorePassages(page(filler), readQuery('war of the hadron quark colliders'), 'en'))
      assert.ok(score < 0.1, String(score));
  });

  test('an empty query and an empty page score nothing', () => {
    assert.deepEqual(scorePassages([], readQuery('anything'), 'en'), []);
    for (const { score } of scorePassages(page(filler), readQuery('  ?!'), null)) assert.equal(score, 0);
  });

  test('function words of another language do not draw passages', () => {
    const texts = [
      'Was der Mann in der Stadt war und was er dort in der Zeit war, wusste keiner.',
      'Die Brücke wurde von Ingenieuren gebaut.',
      'Der Zug fährt jede Stunde.',
    ];
    assert.equal(best(texts, 'was war in der Brücke', 'de'), 1);
    assert.equal(best(texts, 'was war in der Brücke', null), 1);
  });

  test('Thai and Chinese questions lose their question words', () => {
    assert.equal(best(['什么是什么是什么', '上海是中国的城市', '列车每小时一班'], '上海是什么', 'zh'), 1);
    assert.equal(best(['อะไรคืออะไร', 'กรุงเทพเป็นเมืองหลวง', 'รถไฟออกทุกชั่วโมง'], 'กรุงเทพคืออะไร', 'th'), 1);
  });

  test('law: scores and coverage lie in 0..1, in the order of the logits, whatever the page', () => {
    fc.assert(
      fc.property(
        fc.array(fc.string({ maxLength: 80, unit: 'grapheme' }), { maxLength: 8 }),
        fc.string({ maxLength: 60, unit: 'grapheme' }),
        fc.constantFrom('en', 'de', 'zh', 'xx', null),
        (texts, query, language) => {
          const scores = scorePassages(page(texts, ['Some heading']), readQuery(query), language);
          assert.equal(scores.length, texts.length);
          for (const { score, coverage } of scores) {
            assert.ok(score >= 0 && score <= 1, `score ${score}`);
            assert.ok(coverage >= 0 && coverage <= 1 + 1e-9, `coverage ${coverage}`);
          }
          for (const one of scores)
            for (const other of scores) if (one.logit > other.logit) assert.ok(one.score >= other.score);
        },
      ),
      { numRuns: 300 },
    );
  });
});

describe('rankTexts', () => {
  const order = (texts: string[], query: string): number[] =>
    rankTexts(query, texts).map(({ index }) => index);
  const scoresOf = (texts: string[], query: string): Map<string | undefined, number> =>
    new Map(rankTexts(query, texts).map(({ index, score }) => [texts[index], score]));

  test('a text gains nothing by its place or by its neighbours', () => {
    const texts = ['The grey knot nests in June.', ...filler, 'Ruffs display on a lek.', 'Waders roost.'];
    const scored = scoresOf(texts, 'grey knot nest');
    for (const [text, score] of scoresOf(texts.toReversed(), 'grey knot nest'))
      assert.equal(score, scored.get(text));
  });

  test('the best is certain by how much of the query it has, and texts without a word of it come after', () => {
    const texts = [...filler, 'Sanderlings breed in the high Arctic.', 'Sanderlings winter on beaches.'];
    const [first, second, third] = rankTexts('where do sanderlings breed', texts);
    assert.deepEqual([first?.index, second?.index], [2, 3]);
    assert.ok((first?.score ?? 0) > 0.9 && (third?.score ?? 1) < (second?.score ?? 0));
  });

  test('words of near meaning count in a list of 200, not in a longer one', () => {
    const meant = 'The physician treated him at the clinic.';
    for (const [others, first] of [
      [199, 199],
      [200, 0],
    ] as const) {
      const texts = [...new Array(others).fill('The painter sold the canvas to a museum.'), meant];
      assert.equal(order(texts, 'doctor of the hospital')[0], first);
    }
  });

  test('texts that match nothing keep their order, as all do for a query without words', () => {
    assert.deepEqual(order(filler, 'platypus'), [0, 1]);
    assert.deepEqual(order(filler, '?!'), [0, 1]);
    assert.deepEqual(order([], 'platypus'), []);
  });

  test('the language is that of many texts, not of the first', () => {
    const texts = ['Nr. 7', 'Die Vögel brüten in der Arktis.', 'Der Zug fährt in die Stadt.', 'Nr. 8'];
    assert.equal(order(texts, 'Wo brütet der Vogel?')[0], 1);
  });

  test('empty texts are ranked last', () => {
    assert.deepEqual(order(['', 'a grey knot', ''], 'grey knot'), [1, 0, 2]);
  });
});
