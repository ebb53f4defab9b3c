import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Reranker } from '../recall/rerank/reranker.ts';
import type { CitedParts } from './cite-parts.ts';
import { orderHighlights, requestCandidates } from './order-highlights.ts';

const BOUNDS = { query: null, perUrl: 2, charsMax: null };
const WANTED = { text: null, highlights: BOUNDS, pruned: null };

/** A model that likes passages with this word, and keeps what it was given. */
function createModel(liked: string | null): Reranker & { read: string[][] } {
  const read: string[][] = [];
  return {
    read,
    judge: async () => null,
    async compareTokens(_, passages) {
      read.push(passages);
      return liked === null ? null : passages.map((text) => (text.includes(liked) ? 0.9 : 0.5));
    },
    close: async () => {},
  };
}

function buildParts(highlights: string[]): CitedParts {
  return {
    highlights,
    highlightScores: highlights.map((_, place) => [0.8, 0.7, 0.6][place] ?? 0.1),
    highlightProofs: highlights.map((_, place) => ({
      start: place,
      end: place + 1,
      headingPath: ['Birds', 'Waders', `Part ${place}`],
      link: `https://a.org/#${place}`,
    })),
  };
}

const OTHERS = ['stint', 'snipe', 'godwit', 'curlew', 'plover'].map(
  (name) => `The ${name} is a wader of the shore.`,
);
const PARTS = buildParts([
  'The dunlin is a wader of the north.',
  'The **ruff** is a wader with a lek.',
  'The knot is a wader of the coast.',
  ...OTHERS,
]);

describe('the order of highlights', () => {
  test('what the model finds nearest comes first, with its citation; the scores descend as before', async () => {
    const reranker = createModel('lek');
    const ordered = await orderHighlights(PARTS, { highlights: BOUNDS, query: 'a lek', reranker });
    assert.deepEqual(ordered.highlights, [PARTS.highlights?.[1], PARTS.highlights?.[0]]);
    assert.deepEqual(ordered.highlightScores, [0.8, 0.7]);
    assert.deepEqual(
      ordered.highlightProofs?.map(({ link }) => link),
      ['https://a.org/#1', 'https://a.org/#0'],
    );
  });

  test('it reads the text without marks, under its two nearest headings', async () => {
    const reranker = createModel('lek');
    await orderHighlights(PARTS, { highlights: BOUNDS, query: 'a lek', reranker });
    assert.equal(reranker.read[0]?.[1], 'Waders Part 1: The ruff is a wader with a lek.');
  });

  test('a passage that our score puts far behind stays behind', async () => {
    const reranker = createModel('lek');
    const parts = { ...PARTS, highlightScores: [0.8, 0, ...new Array(6).fill(0)] };
    const slightly = { ...reranker, compareTokens: async () => [0.5, 0.6, ...new Array(6).fill(0.5)] };
    const ordered = await orderHighlights(parts, { highlights: BOUNDS, query: 'a lek', reranker: slightly });
    assert.equal(ordered.highlights?.[0], PARTS.highlights?.[0]);
  });

  test('a short text is not read', async () => {
    const reranker = createModel('lek');
    const short = buildParts((PARTS.highlights ?? []).slice(0, 3));
    const ordered = await orderHighlights(short, { highlights: BOUNDS, query: 'a lek', reranker });
    assert.deepEqual([ordered.highlights, reranker.read], [short.highlights?.slice(0, 2), []]);
  });

  test('passages that the model has no time to read follow in our order', async () => {
    const reranker = { ...createModel('lek'), compareTokens: async () => [0.5, 0.9] };
    const highlights = { ...BOUNDS, perUrl: 3 };
    const ordered = await orderHighlights(PARTS, { highlights, query: 'a lek', reranker });
    assert.deepEqual(
      ordered.highlights,
      [1, 0, 2].map((place) => PARTS.highlights?.[place]),
    );
  });

  test('a model that is busy, and a page without a query: our order, cut to the requested number', async () => {
    for (const [query, reranker] of [
      ['a lek', createModel(null)],
      [null, createModel('lek')],
    ] as const) {
      const ordered = await orderHighlights(PARTS, { highlights: BOUNDS, query, reranker });
      assert.deepEqual(ordered.highlights, PARTS.highlights?.slice(0, 2));
      assert.equal(ordered.highlightProofs?.length, 2);
    }
  });

  test('a text in a language that the model does not know is not read', async () => {
    const reranker = createModel('lek');
    for (const texts of [
      new Array(8).fill('Der Ruff ist ein Vogel und nicht der Knutt, das ist auch für die Vögel so.'),
      new Array(8).fill('流苏鹬是一种涉禽，分布在海岸。'),
    ]) {
      const parts = buildParts(texts);
      const ordered = await orderHighlights(parts, { highlights: BOUNDS, query: 'ruff', reranker });
      assert.deepEqual([ordered.highlights, reranker.read], [texts.slice(0, 2), []]);
    }
  });

  test('candidates: as many as the model reads, or as many as were requested; without a model no more', () => {
    assert.equal(requestCandidates(WANTED, createModel('lek')).highlights?.perUrl, 8);
    const many = { ...WANTED, highlights: { ...BOUNDS, perUrl: 20 } };
    assert.equal(requestCandidates(many, createModel('lek')).highlights?.perUrl, 20);
    assert.equal(requestCandidates(WANTED, null), WANTED);
  });
});
