import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { DatabaseSync } from 'node:sqlite';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { hashTerm } from '../../text/words/hashed/hash-terms.ts';
import { openIndexFile } from '../index-schema.ts';
import { findPostingProblems } from '../index-writer.ts';
import { findCandidates } from './find-candidates.ts';
import { createFreshSegment } from './fresh-segment.ts';
import { chooseMerge, createMerges } from './merge-segments.ts';
import { openSegments } from './open-segments.ts';

const WORDS = ['tern', 'knot', 'dunlin', 'ruff', 'curlew', 'stint', 'snipe', 'plover'];

type Step =
  | { do: 'put'; pages: { terms: [word: number, level: number][]; day: string | null }[] }
  | { do: 'remove'; which: number }
  | { do: 'merge'; steps: number }
  | { do: 'scrub' }
  | { do: 'reopen' };

const page = fc.record({
  terms: fc.uniqueArray(fc.tuple(fc.nat(WORDS.length - 1), fc.integer({ min: 1, max: 15 })), {
    selector: ([word]) => word,
    maxLength: WORDS.length,
  }),
  day: fc.option(fc.constantFrom('1999-12-31', '2024-02-29', '2025-01-01')),
});
const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({ do: fc.constant('put' as const), pages: fc.array(page, { maxLength: 4 }) }),
  },
  { weight: 3, arbitrary: fc.record({ do: fc.constant('remove' as const), which: fc.nat() }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('merge' as const), steps: fc.nat(4) }) },
  { weight: 1, arbitrary: fc.constant({ do: 'scrub' as const }) },
  { weight: 1, arbitrary: fc.constant({ do: 'reopen' as const }) },
);

let numbered = 0;

/** What the postings must say: every page with its terms. */
type Held = Map<number, Map<string, number>>;

describe('postings', () => {
  test('find what reading every page finds, whatever was put, removed, merged and opened again', () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 40 }), (steps) => {
        const folder = mkdtempSync(join(tmpdir(), 'sanderling-postings-'));
        try {
          follow(join(folder, 'index.db'), steps);
        } finally {
          rmSync(folder, { recursive: true, force: true });
        }
      }),
      { numRuns: 60 },
    );
  });

  test('of more pages than are scored, the best of all segments are found', () => {
    const folder = mkdtempSync(join(tmpdir(), 'sanderling-postings-'));
    const database = openIndexFile(join(folder, 'index.db'));
    const held: Held = new Map();
    const pages = Array.from({ length: 200 }, (_, at) => ({
      terms: [[0, 1 + ((at * 7) % 15)] as [number, number]],
      day: null,
    }));
    for (let batch = 0; batch < 4; batch += 1) put(database, pages, held);
    const segments = openSegments(database);
    const found = findCandidates(
      [{ forms: ['tern'], weight: 1, frequency: 800 }],
      { segments: segments.current(), read: segments.read },
      { admitted: null, limit: 100 },
    );
    const best = [...held].sort(
      ([left, one], [right, other]) => (other.get('tern') ?? 0) - (one.get('tern') ?? 0) || left - right,
    );
    assert.deepEqual(
      found,
      best.slice(0, 200).map(([id]) => id),
    );
    database.close();
    rmSync(folder, { recursive: true, force: true });
  });

  test('pages far behind the best are read only to fill the results', () => {
    const folder = mkdtempSync(join(tmpdir(), 'sanderling-postings-'));
    const database = openIndexFile(join(folder, 'index.db'));
    const levels = [2, 15, 7, 8, 3, 14];
    put(
      database,
      levels.map((level) => ({ terms: [[0, level] as [number, number]], day: null })),
      new Map(),
    );
    const segments = openSegments(database);
    const find = (limit: number) =>
      findCandidates(
        [{ forms: ['tern'], weight: 1, frequency: levels.length }],
        { segments: segments.current(), read: segments.read },
        { admitted: null, limit },
      );
    const [, best, less, half, , second] = find(6).toSorted((left, right) => left - right);
    assert.deepEqual(find(2), [best, second, half]);
    assert.deepEqual(find(4), [best, second, half, less]);
    database.close();
    rmSync(folder, { recursive: true, force: true });
  });

  for (const batch of [1, 200])
    test(`in batches of ${batch}, pages are written a few times each and segments stay few`, () => {
      const counts: number[] = [];
      let written = 0;
      for (let pages = 0; pages < 2_000 * batch; pages += batch) {
        counts.push(batch);
        for (let run = merged(counts); run.length > 0; run = merged(counts)) {
          const count = run.reduce((sum, id) => sum + (counts[id] ?? 0), 0);
          counts.splice(run[0] ?? 0, run.length, count);
          written += count;
        }
        assert.ok(counts.length <= 20, `${counts.length} segments`);
      }
      assert.ok(written <= 5 * 2_000 * batch, `${written / 2_000 / batch} times each`);
    });

  test('a segment waits for others that make it much larger', () => {
    const of = (...counts: number[]) => counts.map((count, id) => ({ id, count }));
    const small = Array.from({ length: 8 }, () => 1);
    assert.deepEqual(chooseMerge(of(...small.slice(1)), null), []);
    assert.deepEqual(chooseMerge(of(...small), null), [0, 1, 2, 3, 4, 5, 6, 7]);
    assert.deepEqual(chooseMerge(of(90_000, ...small), null), [1, 2, 3, 4, 5, 6, 7, 8]);
    assert.deepEqual(chooseMerge(of(940_000, 1_600, ...small), null), [2, 3, 4, 5, 6, 7, 8, 9]);
    assert.deepEqual(chooseMerge(of(940_000, 1_600, ...small.slice(2)), null), []);
    assert.deepEqual(chooseMerge(of(9_000, 3, 9_000), 1), [1]);
  });
});

const merged = (counts: number[]): number[] =>
  chooseMerge(
    counts.map((count, id) => ({ id, count })),
    null,
  );

function follow(path: string, steps: Step[]): void {
  let database = openIndexFile(path);
  let merges = createMerges(database);
  let segments = openSegments(database);
  const held: Held = new Map();
  for (const one of steps) {
    if (one.do === 'put') put(database, one.pages, held);
    if (one.do === 'remove') remove(database, one.which, held);
    if (one.do === 'merge') for (let left = one.steps; left > 0; left -= 1) merges.step();
    if (one.do === 'scrub') {
      merges.scrub();
      while (merges.step());
      const { gone } = database.prepare('select count(*) as gone from gone').get() ?? {};
      assert.equal(gone, 0, 'nothing of a removed page is left');
    }
    if (one.do === 'reopen') {
      database.close();
      database = openIndexFile(path);
      merges = createMerges(database);
      segments = openSegments(database);
    }
    compare(segments, held);
  }
  assert.deepEqual(findPostingProblems(database), []);
  database.close();
}

function put(database: DatabaseSync, pages: Extract<Step, { do: 'put' }>['pages'], held: Held): void {
  const fresh = createFreshSegment(database);
  database.exec('begin');
  for (const { terms, day } of pages) {
    const { lastInsertRowid } = database
      .prepare(
        "insert into page (url, host, title, raw_chars, fetched_at, title_terms, heading_terms, address_terms, body_terms) values (?, '', '', 0, 0, 0, 0, 0, 0)",
      )
      .run(`https://example.org/${numbered++}`);
    const id = Number(lastInsertRowid);
    held.set(id, new Map(terms.map(([word, level]) => [WORDS[word] ?? '', level])));
    fresh.put(id, {
      hashes: Uint32Array.from(terms, ([word]) => hashTerm(WORDS[word] ?? '')),
      levels: Uint8Array.from(terms, ([, level]) => level),
      publishedDay: day,
    });
  }
  fresh.flush();
  database.exec('commit');
}

function remove(database: DatabaseSync, which: number, held: Held): void {
  const ids = [...held.keys()];
  const id = ids[which % Math.max(1, ids.length)];
  if (id === undefined) return;
  createFreshSegment(database).remove(id);
  database.prepare('delete from page where id = ?').run(id);
  held.delete(id);
}

function compare(segments: ReturnType<typeof openSegments>, held: Held): void {
  const current = segments.current();
  for (const word of WORDS) {
    const count = [...held.values()].filter((terms) => terms.has(word)).length;
    assert.equal(segments.frequency(hashTerm(word)), count, word);
  }
  const asked = WORDS.slice(0, 3).map((word, at) => ({
    forms: [word],
    weight: at + 1,
    frequency: 1,
  }));
  const sums = [...held].map(([id, terms]) => ({
    id,
    sum: WORDS.slice(0, 3).reduce((sum, word, at) => sum + (at + 1) * (terms.get(word) ?? 0), 0),
  }));
  const expected = sums
    .filter(({ sum }) => sum > 0)
    .sort((left, right) => right.sum - left.sum || left.id - right.id)
    .map(({ id }) => id);
  const found = findCandidates(
    asked,
    { segments: current, read: segments.read },
    { admitted: null, limit: 100 },
  );
  const sumOf = new Map(sums.map(({ id, sum }) => [id, sum]));
  assert.deepEqual(new Set(found), new Set(expected));
  const order = found.map((id) => sumOf.get(id) ?? 0);
  assert.deepEqual(
    order,
    order.toSorted((left, right) => right - left),
  );
}
