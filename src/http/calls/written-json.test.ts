import assert from 'node:assert/strict';
import { test } from 'node:test';
import { writeJson } from './written-json.ts';

const text = (bytes: Uint8Array): string => Buffer.from(bytes).toString();
const bytesOf = (value: unknown): Uint8Array => Buffer.from(JSON.stringify(value));

test('a body with kept fields is written as JSON.stringify writes it', () => {
  const results = [{ url: 'https://example.org/', title: 'Ä "quoted" \u2028 title' }, { url: 'b' }];
  const bodies = [
    { requestId: 'req_1', results, searchTimeMs: 3, absent: undefined, service: { ignored: ['a'] } },
    { results },
    { results, last: null },
    { results: [], first: 1 },
    { first: undefined, results },
  ];
  for (const body of bodies) {
    const inParts = writeJson(body, { results: body.results.map(bytesOf) });
    const asOne = writeJson(body, { results: bytesOf(body.results) });
    assert.equal(text(inParts), JSON.stringify(body));
    assert.equal(text(asOne), JSON.stringify(body));
  }
  assert.equal(text(writeJson({ a: 1, b: 'ü' }, {})), '{"a":1,"b":"ü"}');
  assert.equal(text(writeJson({}, {})), '{}');
});
