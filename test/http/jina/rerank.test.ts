import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, test } from 'node:test';
import { Failure } from '../../../src/contract/errors.ts';
import type { RerankRequest } from '../../../src/search/rerank.ts';
import { type RealServed, rerankAnswer, type Served, serveReal, serveScripted } from '../../harness.ts';

const QUERY = 'where do sanderlings breed';
const DOCUMENTS = [
  'Sanderlings winter on sandy beaches all over the world.',
  'Sanderlings breed in the high Arctic tundra.',
  'The harbour was rebuilt after the war.',
];

describe('200, ranked by the built-in scorer', () => {
  let app: RealServed;
  let key: string;
  before(async () => {
    app = await serveReal();
    const created = await app.billing.keys.create({ credits: 1_000, label: null });
    key = created.apiKey;
  });
  after(() => app.close());

  const rerank = (body: object, path = '/v1/rerank') =>
    app.post(path, body, { authorization: `Bearer ${key}` });

  for (const path of ['/v1/rerank', '/rerank', '/v2/rerank', '//v1/rerank/'])
    test(`POST ${path}`, async () => {
      const { status, json } = await rerank({ query: QUERY, documents: DOCUMENTS }, path);
      assert.equal(status, 200);
      assert.deepEqual(
        json.results.map(({ index }: { index: number }) => index),
        [1, 0, 2],
      );
      assert.deepEqual(json.results[0].document, { text: DOCUMENTS[1] });
      assert.equal(json.model, 'lexical');
    });

  test('scores fall from best to worst, between 0 and 1', async () => {
    const { json } = await rerank({ query: QUERY, documents: DOCUMENTS });
    const scores: number[] = json.results.map(
      (result: { relevance_score: number }) => result.relevance_score,
    );
    assert.deepEqual(scores, scores.toSorted().toReversed());
    assert.ok(scores.every((score) => score >= 0 && score <= 1) && (scores[0] ?? 0) > 0.9, scores.join());
  });

  test('objects count by their text, and come back as it', async () => {
    const documents = DOCUMENTS.map((text, place) => ({ id: `d${place}`, text, page_content: 'x' }));
    const { json } = await rerank({ query: QUERY, documents, topN: 1 });
    assert.deepEqual(json.results.length, 1);
    assert.deepEqual(json.results[0].document, { text: DOCUMENTS[1] });
  });

  test('rank_fields names what counts in objects, which come back with all fields', async () => {
    const documents = [
      { title: 'Winter', body_text: DOCUMENTS[0], year: 2020 },
      { title: 'Summer', body_text: DOCUMENTS[1], other_text: 'x' },
      DOCUMENTS[2],
    ];
    const { json, headers } = await rerank({ query: QUERY, documents, rank_fields: ['title', 'body_text'] });
    assert.deepEqual(json.results[0].document, {
      ...(documents[1] as object),
      text: `Summer\n${DOCUMENTS[1]}`,
    });
    assert.deepEqual(json.results.at(-1).document, { text: DOCUMENTS[2] });
    assert.equal(headers.get('x-ignored-parameters'), null);
    const titles = await rerank({ query: 'Winter', documents, rank_fields: ['title'] });
    assert.equal(titles.json.results[0].index, 0);
    const without = await rerank({ query: QUERY, documents, rank_fields: ['abstract'] });
    assert.deepEqual([without.status, without.json.details[0].field], [422, 'documents[0]']);
    assert.match(without.json.message, /object with `abstract`/);
    const unnamed = await rerank({ query: QUERY, documents: [{ title: 'Winter' }] });
    assert.match(unnamed.json.message, /documents\[0\]: must be a text or an object with `text`/);
  });

  test('top_n and return_documents; what has no effect is named', async () => {
    const { json, headers } = await rerank({
      model: 'jina-reranker-v3',
      query: QUERY,
      documents: DOCUMENTS,
      max_chunks_per_doc: 10,
      top_n: 2,
      return_documents: false,
    });
    assert.deepEqual(Object.keys(json.results[0]), ['index', 'relevance_score']);
    assert.equal(json.results.length, 2);
    assert.equal(headers.get('x-ignored-parameters'), 'model, max_chunks_per_doc');
  });

  // Fields as the sources of these applications write them.
  const chunks = Array.from({ length: 500 }, (_, place) =>
    `${DOCUMENTS[place % 3]} Note ${place}: seen at the shore on a day of wind. `.repeat(3).slice(0, 150),
  );
  test('LibreChat: 500 chunks of 150 characters', async () => {
    const { json } = await rerank({
      model: 'jina-reranker-v2-base-multilingual',
      query: QUERY,
      top_n: 5,
      documents: chunks,
      return_documents: true,
    });
    assert.equal(json.results.length, 5);
    for (const { index, relevance_score, document } of json.results) {
      assert.equal(document.text, chunks[index]);
      assert.match(document.text, /breed/);
      assert.equal(typeof relevance_score, 'number');
    }
    assert.equal(json.usage.total_tokens, Math.ceil((500 * 150 + QUERY.length) / 4));
  });

  test('Open WebUI: as many results as documents, each with its index', async () => {
    const { json } = await rerank({
      model: 'reranker',
      query: QUERY,
      documents: DOCUMENTS,
      top_n: DOCUMENTS.length,
    });
    const scores = json.results
      .toSorted((one: { index: number }, other: { index: number }) => one.index - other.index)
      .map((result: { relevance_score: number }) => result.relevance_score);
    assert.equal(scores.length, DOCUMENTS.length);
    assert.equal(Math.max(...scores), scores[1]);
  });

  test('credits: one for each 100 documents begun, stated as the clients of Cohere read it', async () => {
    for (const [count, credits] of [
      [1, 1],
      [100, 1],
      [101, 2],
      [1_000, 10],
    ] as const) {
      const left = await app.billing.balanceOf((await app.billing.keys.find(key))?.keyId ?? '');
      const { json, headers } = await rerank({ query: QUERY, documents: new Array(count).fill('a text') });
      assert.equal(json.meta.billed_units.search_units, credits);
      assert.equal(Number(headers.get('x-credits-remaining')), left.credits - credits);
    }
  });
});

describe('failures', () => {
  let app: Served;
  let asked: RerankRequest[] = [];
  let answer: (request: RerankRequest) => ReturnType<typeof rerankAnswer>;
  before(async () => {
    app = await serveScripted({
      rerank: (request) => {
        asked.push(request);
        return answer(request);
      },
    });
  });
  beforeEach(() => {
    asked = [];
    answer = rerankAnswer;
  });
  after(() => app.close());

  const refused: [why: string, body: object, field: string][] = [
    ['no query', { documents: ['a'] }, 'query'],
    ['no documents', { query: 'q' }, 'documents'],
    ['an empty list', { query: 'q', documents: [] }, 'documents'],
    ['1,001 documents', { query: 'q', documents: new Array(1_001).fill('a') }, 'documents'],
    ['a picture', { query: 'q', documents: ['a', { image: 'https://example.org/a.png' }] }, 'documents[1]'],
    ['a top_n of 0', { query: 'q', documents: ['a'], top_n: 0 }, 'top_n'],
  ];
  for (const [why, body, field] of refused)
    test(`422: ${why}`, async () => {
      const { status, json } = await app.post('/v1/rerank', body);
      assert.equal(status, 422);
      assert.equal(json.details[0].field, field);
      assert.deepEqual(asked, []);
    });

  test('503 when too many wait, in the error format of the service on every path', async () => {
    answer = async () => {
      throw new Failure('overloaded', 'Too many wait.');
    };
    for (const path of ['/v1/rerank', '/rerank', '/v2/rerank']) {
      const { status, json } = await app.post(path, { query: 'q', documents: ['a'] });
      assert.deepEqual([status, json.error, json.message], [503, 'overloaded', 'Too many wait.']);
    }
  });

  test('the model is named when it judged', async () => {
    answer = async () => ({ ranked: [{ index: 0, score: 0.5 }], judged: 1 });
    const { json } = await app.post('/v1/rerank', { query: 'q', documents: ['a'] });
    assert.equal(json.model, 'onnx');
  });
});
