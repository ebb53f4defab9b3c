import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { JsonSchema } from './json-schema.ts';
import { nameObjects, type Schemas } from './named-schemas.ts';

const object = (properties: Record<string, JsonSchema>, others: JsonSchema = {}): JsonSchema => ({
  type: 'object',
  properties,
  ...others,
});
const text: JsonSchema = { type: 'string' };
const reference = (name: string): JsonSchema => ({ $ref: `#/components/schemas/${name}` });

function named(schemas: Schemas): Schemas {
  nameObjects(schemas);
  return schemas;
}

test('objects are called after what holds them', () => {
  const { SearchAnswer, ...others } = named({
    SearchAnswer: object({
      results: {
        type: 'array',
        items: object({ url: text, proofs: { type: 'array', items: object({ start: text }) } }),
      },
      statuses: { type: 'array', items: object({ tag: text }) },
      data: { type: 'array', items: object({ id: text }) },
      sources: { type: 'object', additionalProperties: object({ ms: text }) },
      answer_proof: { anyOf: [object({ end: text }), { type: 'null' }] },
    }),
  });
  assert.deepEqual(SearchAnswer?.properties, {
    results: { type: 'array', items: reference('SearchResult') },
    statuses: { type: 'array', items: reference('SearchStatus') },
    data: { type: 'array', items: reference('SearchDataItem') },
    sources: { type: 'object', additionalProperties: reference('SearchSource') },
    answer_proof: { anyOf: [reference('SearchAnswerProof'), { type: 'null' }] },
  });
  assert.deepEqual(Object.keys(others).sort(), [
    ...[
      'SearchAnswerProof',
      'SearchDataItem',
      'SearchResult',
      'SearchResultProof',
      'SearchSource',
      'SearchStatus',
    ],
  ]);
});

test('a title is the name, and equal schemas of one title are one; a description stays where it was', () => {
  const cost = (): JsonSchema => object({ total: text }, { title: 'Cost', description: 'What it cost.' });
  const schemas = named({ A: object({ cost: cost() }), B: object({ cost: cost() }) });
  const shown = { ...reference('Cost'), description: 'What it cost.' };
  assert.deepEqual([schemas.A?.properties?.cost, schemas.B?.properties?.cost], [shown, shown]);
  assert.deepEqual(schemas.Cost, object({ total: text }, { title: 'Cost' }));
});

test('two schemas of one name are refused', () => {
  const both = { anyOf: [object({ a: text }), object({ b: text })] };
  assert.throws(() => named({ A: object({ part: both }) }), /two schemas are called APart/);
});
