import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { hashOf, packWords } from '../text/scoring/packed-words.ts';
import { pageTerms } from '../text/scoring/page-words.ts';
import { rankPages } from './index-ranking.ts';

type Page = { title: string; body: string };

function rank(pages: Page[], query: string[]): number[] {
  const packed = pages.map(({ title, body }) =>
    packWords(pageTerms({ title, headings: [], address: '', body, language: 'en' })),
  );
  const terms = query.map((text, place) => ({ hashes: [hashOf(text)], weight: 1, place }));
  const meanLengths = { title: 2, headings: 1, address: 1, body: 6 };
  const read = {
    present: [],
    scoring: { terms, meanLengths, topicWords: terms.length },
    snippetTerms: [],
  };
  return rankPages([...pages.keys()], read, {
    words: (id) => packed[id] ?? null,
    opening: (id) => ({ title: pages[id]?.title ?? '', text: pages[id]?.body ?? '', language: 'en' }),
    frequencyOf: () => 5,
    pages: 100,
    meaningOf: () => null,
    meant: null,
  }).map(({ id }) => id);
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

  test('a page that covers next to nothing of the query is left out', () => {
    assert.deepEqual(rank([{ title: '', body: 'ledger invoice' }, about('')], SUBJECT), [1]);
  });
});
