import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { normalizeName, parseObject, readArguments } from './arguments.ts';
import type { ToolArguments } from './tool.ts';

const FIELDS: ToolArguments = {
  query: { kind: 'text', aliases: ['q'] },
  max_results: { kind: 'count', aliases: ['limit'] },
  usd: { kind: 'number' },
  enabled: { kind: 'flag' },
  domains: { kind: 'list', separator: /[\s,]+/ },
  paths: { kind: 'list' },
};

const cases: [given: unknown, args: Record<string, unknown>][] = [
  [
    { query: 'a', maxResults: 5 },
    { query: 'a', max_results: 5 },
  ],
  [
    { 'max-results': '5', Enabled: 'TRUE' },
    { max_results: 5, enabled: true },
  ],
  [{ limit: ' 1,000 ' }, { max_results: 1000 }],
  [{ limit: 3, max_results: 4 }, { max_results: 4 }],
  [{ max_results: 4, limit: 3 }, { max_results: 4 }],
  [{ usd: '12.5' }, { usd: 12.5 }],
  [
    { max_results: 'many', enabled: 'maybe' },
    { max_results: 'many', enabled: 'maybe' },
  ],
  [{ enabled: 0 }, { enabled: false }],
  [{ domains: 'a.org, b.org\nc.org' }, { domains: ['a.org', 'b.org', 'c.org'] }],
  [{ domains: '["a.org","b.org"]' }, { domains: ['a.org', 'b.org'] }],
  [{ domains: ['a.org', null, '', 7] }, { domains: ['a.org', '7'] }],
  [{ paths: '/a{1,2}/ b' }, { paths: ['/a{1,2}/ b'] }],
  [{ paths: '[a-z]+' }, { paths: ['[a-z]+'] }],
  [{ q: ['only'] }, { query: 'only' }],
  [{ query: 7 }, { query: '7' }],
  [{ query: 'a\ud800' }, { query: 'a\ufffd' }],
  [{ enabled: { toString: 1 } }, { enabled: { toString: 1 } }],
  [{ query: ' ', usd: null, unknown: 1, constructor: 'x', __proto__: { query: 'x' } }, {}],
  ['{"query":"a"}', { query: 'a' }],
  ['{', {}],
  [[{ query: 'a' }], {}],
  [undefined, {}],
];
for (const [given, args] of cases)
  test(JSON.stringify(given) ?? 'nothing', () => assert.deepEqual(readArguments(given, FIELDS), args));

test('camelCase, spaced and snake_case names are equal', () => {
  assert.equal(normalizeName('maxResults'), 'max_results');
  assert.equal(normalizeName('Max Results'), 'max_results');
  assert.equal(normalizeName('start_published_date'), 'start_published_date');
});

test('any input yields only defined names and never throws', () => {
  fc.assert(
    fc.property(
      fc.oneof(fc.anything(), fc.dictionary(fc.constantFrom(...Object.keys(FIELDS)), fc.anything())),
      (given) => {
        const args = readArguments(given, FIELDS);
        for (const name of Object.keys(args)) assert.ok(Object.hasOwn(FIELDS, name));
        assert.equal(typeof parseObject(given), 'object');
      },
    ),
  );
});
