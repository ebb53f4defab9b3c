import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { ITEMS_MAX, SNIPPET_CHARS_MAX, TITLE_CHARS_MAX } from '../../src/recall/responses/read-json.ts';
import type { SourceAnswer, SourceQuery, SourceResponse, SourceSpec } from '../../src/recall/source.ts';
import { ALL_SOURCES } from '../../src/recall/sources/all-sources.ts';
import { readQuery } from '../../src/text/query/read-query.ts';
import { HOSTILE_URLS, recordedBody, UPSTREAM_NAMES } from '../fixtures/upstream/bodies.ts';

/** Whatever comes, reading gives an answer, and the results of an answer are always ones that may be handed on. */
const RUNS = 200;

const statuses = fc.oneof(
  { weight: 8, arbitrary: fc.constant(200) },
  fc.constantFrom(202, 204, 301, 400, 401, 403, 404, 422, 429, 500, 502, 503),
);
const headers = fc.dictionary(
  fc.constantFrom('retry-after', 'date', 'x-ratelimit-remaining', 'x-ratelimit-reset', 'content-type'),
  fc.oneof(fc.string(), fc.integer().map(String), fc.constant('Thu, 01 Jan 2026 00:00:00 GMT')),
);
const values = fc.oneof(
  fc.jsonValue({ maxDepth: 3 }),
  fc.constantFrom(...HOSTILE_URLS),
  fc.string({ unit: 'binary' }),
  fc.constantFrom('<b>a</b>', '&#x0;', '\ud83e', 'x'.repeat(5_000), '2024-02-30', -0, 1e308),
  fc.constant({ __proto__: null, constructor: 1, toString: 'x', length: -1 }),
);

for (const spec of ALL_SOURCES) {
  const name = UPSTREAM_NAMES.find((one) => one === spec.name);
  assert.ok(name !== undefined);
  const recorded = recordedBody(name);
  describe(spec.name, () => {
    test('any text under any status', () => {
      const bodies = fc.oneof(
        fc.string({ unit: 'binary' }),
        fc.json(),
        fc
          .tuple(fc.nat(recorded.length), fc.string())
          .map(([at, piece]) => recorded.slice(0, at) + piece + recorded.slice(at)),
      );
      fc.assert(
        fc.property(statuses, headers, bodies, (status, told, body) => {
          check(spec, { status, headers: told, body });
        }),
        { numRuns: RUNS },
      );
    });

    if (name !== 'arxiv')
      test('the recorded answer with anything anywhere', () => {
        const root: unknown = JSON.parse(recorded);
        const places = placesOf(root, []);
        fc.assert(
          fc.property(
            fc.array(fc.tuple(fc.nat(places.length - 1), values), { minLength: 1, maxLength: 4 }),
            (changes) => {
              const changed = changes.reduce(
                (tree, [at, value]) => withValue(tree, places[at] ?? [], value),
                root,
              );
              check(spec, { status: 200, headers: {}, body: JSON.stringify(changed) });
            },
          ),
          { numRuns: RUNS },
        );
      });

    test('an answer that breaks off anywhere is never taken for a whole one', () => {
      const whole = recorded.trimEnd();
      for (let at = 0; at < whole.length; at += 7) {
        const answer = check(spec, { status: 200, headers: {}, body: whole.slice(0, at) });
        assert.equal(answer.kind, 'failed', `cut at ${at}`);
      }
    });

    test('any question can be asked', () => {
      const queries: fc.Arbitrary<SourceQuery> = fc.record({
        query: fc.string({ unit: 'binary', maxLength: 500 }).map((text) => readQuery(text.toWellFormed())),
        limit: fc.integer({ min: 1, max: 100 }),
        includeDomains: fc.array(fc.oneof(fc.string(), fc.domain()), { maxLength: 8 }),
        excludeDomains: fc.array(fc.oneof(fc.string(), fc.domain()), { maxLength: 8 }),
        publishedFrom: fc.option(fc.constantFrom('1990-01-01', '2024-02-29')),
        publishedTo: fc.option(fc.constantFrom('2024-02-29', '2026-12-31')),
      });
      fc.assert(
        fc.property(queries, fc.option(fc.string()), (query, key) => {
          const settings = { baseUrl: 'https://base.example.org', key, userAgent: 'T/1', contact: null };
          const { url } = spec.request(query, settings);
          assert.equal(new URL(url).origin, 'https://base.example.org');
        }),
        { numRuns: RUNS },
      );
    });
  });
}

function check(spec: SourceSpec, response: SourceResponse): SourceAnswer {
  const answer = spec.read(response);
  if (answer.kind === 'throttled') assert.ok(answer.retryAfterMs === null || answer.retryAfterMs >= 0);
  if (answer.kind !== 'ok') return answer;
  assert.equal(response.status, 200);
  assert.ok(answer.items.length <= ITEMS_MAX);
  assert.equal(new Set(answer.items.map(({ url }) => url)).size, answer.items.length);
  for (const { url, title, snippet, publishedDay } of answer.items) {
    const { protocol, username, password, hostname } = new URL(url);
    assert.ok(protocol === 'https:' || protocol === 'http:', url);
    assert.ok(username === '' && password === '', url);
    assert.ok(hostname.includes('.') && !/^(?:127\.|10\.|169\.254\.)/.test(hostname), url);
    assert.ok(title !== '' && title.length <= TITLE_CHARS_MAX && title.isWellFormed());
    assert.ok(snippet.length <= SNIPPET_CHARS_MAX && snippet.isWellFormed());
    assert.ok(publishedDay === null || /^\d{4}-\d{2}-\d{2}$/.test(publishedDay), String(publishedDay));
  }
  return answer;
}

type Place = (string | number)[];

function placesOf(value: unknown, place: Place): Place[] {
  if (typeof value !== 'object' || value === null) return [place];
  return [place, ...Object.entries(value).flatMap(([key, inner]) => placesOf(inner, [...place, key]))];
}

function withValue(tree: unknown, [key, ...rest]: Place, value: unknown): unknown {
  if (key === undefined) return value;
  if (Array.isArray(tree))
    return tree.map((inner, at) => (String(at) === String(key) ? withValue(inner, rest, value) : inner));
  if (typeof tree !== 'object' || tree === null) return tree;
  return Object.fromEntries(
    Object.entries(tree).map(([name, inner]) => [name, name === key ? withValue(inner, rest, value) : inner]),
  );
}
