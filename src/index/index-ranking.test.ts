import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { openWords, packWords } from '../text/scoring/packed-words.ts';
import { readPageTerms } from '../text/scoring/page-terms.ts';
import { hashTerm } from '../text/words/hashed/hash-terms.ts';
import type { Standing } from './hosts/standing.ts';
import { rankPages } from './index-ranking.ts';

type Page = {
  title: string;
  body: string;
  meaning?: number;
  named?: number;
  isSide?: boolean;
  standing?: Standing;
};

const LIGHT = new Set(['find', 'use']);
const meaning = (best: number | undefined) => (best === undefined ? null : { best, whole: best });

const rank = (pages: Page[], query: string[]): number[] => ranked(pages, query).map(({ id }) => id);

function ranked(pages: Page[], query: string[], found: { meant?: number; namesDomains?: boolean } = {}) {
  const packed = pages.map(({ title, body }) =>
    openWords(packWords(readPageTerms({ title, headings: [], address: '', body, language: 'en' }))),
  );
  const terms = query.map((text, place) => ({
    hashes: [hashTerm(text)],
    near: [],
    said: text,
    weight: 1,
    place,
    tells: !LIGHT.has(text),
  }));
  const meanLengths = { title: 2, headings: 1, address: 1, body: 6 };
  const read = {
    present: [],
    scoring: { terms, meanLengths, topicWords: terms.length, telling: terms.length, namesIdentifier: false },
    snippetTerms: [],
    asksForSidePage: false,
  };
  return rankPages([...pages.keys()], read, {
    words: (id) => packed[id] ?? null,
    opening: (id) => ({ title: pages[id]?.title ?? '', text: pages[id]?.body ?? '', language: 'en' }),
    frequencyOf: () => 5,
    pages: 100,
    meaningOf: (id) => meaning(pages[id]?.meaning),
    nameOf: (id) => {
      const { named, isSide = false } = pages[id] ?? {};
      return named === undefined && !isSide ? null : { closest: named ?? 0, isSide, site: [] };
    },
    standingOf: (id) => pages[id]?.standing ?? null,
    meant: found.meant === undefined ? null : new Set([found.meant]),
    limit: 10,
    namesDomains: found.namesDomains ?? false,
  });
}

const SUBJECT = ['otter', 'river', 'stone', 'reed'];
const about = (extra: string): Page => ({ title: '', body: `otter river stone reed ${extra}` });

describe('rankPages', () => {
  test('of pages that say the same of a long query, the one that shares words with the best comes first', () => {
    const pages = [
      { title: '', body: 'otter river stone reed heron heron' },
      about('heron willow'),
      about('heron willow'),
      about('heron willow'),
      about('heron willow'),
      { title: '', body: 'otter river ledger invoice' },
      { title: '', body: 'otter river heron willow' },
    ];
    const order = rank(pages, SUBJECT);
    assert.ok(order.indexOf(6) < order.indexOf(5), order.join(' '));
  });

  test('a short query is left as it is', () => {
    const pages = Array.from({ length: 7 }, (_, id) => ({
      title: '',
      body: id === 5 ? 'otter ledger' : 'otter heron',
    }));
    assert.deepEqual(rank(pages, ['otter']), [0, 1, 2, 3, 4, 5, 6]);
  });

  test('a page that shares no word with the query is left out', () => {
    assert.deepEqual(rank([{ title: '', body: 'ledger invoice' }, about('')], SUBJECT), [1]);
  });

  test('a page that only shares words which questions of any subject say is left out', () => {
    const pages = [
      { title: 'Find a package', body: 'find and use a package' },
      { title: 'Otter', body: 'otter' },
    ];
    assert.deepEqual(rank(pages, ['find', 'use', 'otter']), [1]);
    assert.deepEqual(rank(pages, ['find', 'use']), [0]);
  });

  test('a page that shares one telling word of many is a weak result, less so in a named domain, and comes last', () => {
    const pages = [
      { title: '', body: `otter ${'heron '.repeat(60)}`, meaning: 0.15 },
      { title: '', body: 'otter river stone reed', meaning: 0.6 },
    ];
    const weak = (found = {}) => ranked(pages, SUBJECT, found).map(({ id, isWeak }) => [id, isWeak]);
    assert.deepEqual(weak(), [
      [1, false],
      [0, true],
    ]);
    const scores = ranked(pages, SUBJECT).map(({ score }) => score);
    assert.ok((scores[0] ?? 0) > (scores[1] ?? 1) && (scores[1] ?? 0) > 0, scores.join());
  });

  test('of two pages that say the same words, the one closer in meaning comes first', () => {
    const pages = [
      { title: '', body: 'otter river', meaning: 0.1 },
      { title: '', body: 'otter river', meaning: 0.7 },
    ];
    assert.deepEqual(rank(pages, ['otter', 'river']), [1, 0]);
  });

  test('of two pages that say the same words, the one that links call so comes first', () => {
    const same = { title: '', body: 'otter river', meaning: 0.4 };
    assert.deepEqual(
      rank(
        [
          { ...same, named: 0.2 },
          { ...same, named: 0.8 },
        ],
        ['otter', 'river'],
      ),
      [1, 0],
    );
  });

  test('release notes come after a page that says the same', () => {
    const same = { title: '', body: 'otter river', meaning: 0.4 };
    assert.deepEqual(rank([{ ...same, isSide: true }, same], ['otter', 'river']), [1, 0]);
  });

  test('of pages that say the same, that of the host with more authority comes first, and that of a damped one last', () => {
    const same = { title: '', body: 'otter river', meaning: 0.4 };
    const order = rank(
      [
        { ...same, standing: { authority: 0, damping: 0.8 } },
        same,
        { ...same, standing: { authority: 0.7, damping: 0 } },
      ],
      ['otter', 'river'],
    );
    assert.deepEqual(order, [2, 1, 0]);
  });

  test('a page that stands before one that is not weak is not weak either', () => {
    const pages = [
      { title: '', body: 'otter river ledger', meaning: 0.05 },
      { title: '', body: 'otter river', meaning: 0.25, standing: { authority: 0, damping: 1 } },
    ];
    for (const namesDomains of [true, false]) {
      const marks = ranked(pages, ['otter', 'river', 'stone'], { namesDomains }).map(({ isWeak }) => isWeak);
      assert.equal(marks[0], marks[1]);
    }
  });

  test('no authority lifts a page that says half of the query over one that says all of it', () => {
    const order = rank(
      [
        { title: '', body: 'otter stone stone stone', standing: { authority: 1, damping: 0 } },
        { title: '', body: 'otter river stone', standing: { authority: 0, damping: 1 } },
      ],
      ['otter', 'river'],
    );
    assert.deepEqual(order, [1, 0]);
  });
});
