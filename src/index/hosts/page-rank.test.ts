import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { computePageRanks, type SiteLinks } from './page-rank.ts';

const linksOf = (pairs: [number, number][]): SiteLinks => {
  const sorted = pairs.toSorted(([one], [other]) => one - other);
  return {
    from: Uint32Array.from(sorted, ([from]) => from),
    to: Uint32Array.from(sorted, ([, to]) => to),
  };
};

const graph = fc.integer({ min: 1, max: 30 }).chain((sites) =>
  fc.record({
    pairs: fc.array(fc.tuple(fc.nat(sites - 1), fc.nat(sites - 1)), { maxLength: 80 }),
    votes: fc.array(fc.double({ min: 0, max: 1, noNaN: true }), { minLength: sites, maxLength: sites }),
  }),
);

test('ranks sum up to 1 and none is negative, whatever links there are and whoever votes', () => {
  fc.assert(
    fc.property(graph, ({ pairs, votes }) => {
      const ranks = computePageRanks(linksOf(pairs), Float64Array.from(votes));
      const sum = ranks.reduce((total, rank) => total + rank, 0);
      assert.ok(Math.abs(sum - 1) < 1e-9, `the sum is ${sum}`);
      assert.ok(ranks.every((rank) => rank >= 0));
    }),
  );
});

test('without links all rank alike; a site without links of its own keeps nobody from ranking', () => {
  assert.deepEqual([...computePageRanks(linksOf([]), new Float64Array(4).fill(1))], [0.25, 0.25, 0.25, 0.25]);
  const [hub = 0, end = 0, other = 0] = computePageRanks(linksOf([[0, 1]]), new Float64Array(3).fill(1));
  assert.ok(end > hub);
  assert.equal(hub, other);
});

test('is PageRank: the known ranks of three sites in a ring with a chord', () => {
  const ranks = computePageRanks(
    linksOf([
      [0, 1],
      [0, 2],
      [1, 2],
      [2, 0],
    ]),
    new Float64Array(3).fill(1),
  );
  // The solution of r = 0.05 + 0.85 * (r2, r0 / 2, r0 / 2 + r1).
  for (const [place, expected] of [0.3878, 0.2148, 0.3974].entries())
    assert.ok(Math.abs((ranks[place] ?? 0) - expected) < 1e-3, `${ranks[place]} is not ${expected}`);
});

test('a site that has no vote lifts nobody', () => {
  const votes = Float64Array.from([0, 1, 1]);
  const [, linked = 0, other = 0] = computePageRanks(linksOf([[0, 1]]), votes);
  assert.equal(linked, other);
});
