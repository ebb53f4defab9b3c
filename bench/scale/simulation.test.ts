import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Scene, simulate } from './simulation.ts';

const ONE: Scene = {
  shards: 1,
  copies: 1,
  nodes: 1,
  serversPerNode: 1,
  shardsAsked: 1,
  perSecond: 1,
  searches: 2_000,
  serviceMs: [10],
  hedgeAfterMs: null,
  lost: null,
  seed: 1,
};

test('an idle server takes as long as its work', () => {
  assert.equal(Math.round(simulate(ONE).p50), 10);
});

test('one server at a load of half waits on average as theory says (M/D/1: half of its work)', () => {
  const { p50, p95 } = simulate({ ...ONE, perSecond: 50, searches: 50_000 });
  // Half of the calls find it idle, so the median is just above the work; the mean wait of 5 ms is in the tail.
  assert.ok(p50 >= 10 && p50 < 13, String(p50));
  assert.ok(p95 > 25 && p95 < 36, String(p95));
});

test('the same scene has the same outcome, another seed another', () => {
  const scene = { ...ONE, perSecond: 80, serviceMs: [5, 10, 20] };
  assert.deepEqual(simulate(scene), simulate(scene));
  assert.notDeepEqual(simulate(scene), simulate({ ...scene, seed: 2 }));
});

test('a lost node costs searches only where it has the only copy', () => {
  const cluster = { ...ONE, shards: 6, nodes: 3, shardsAsked: 6, perSecond: 5, searches: 500 };
  const lost = { node: 1, atMs: 20_000, noticedMs: 1_000 };
  assert.ok(simulate({ ...cluster, copies: 1, lost }).failed > 0);
  const kept = simulate({ ...cluster, copies: 2, lost });
  assert.equal(kept.failed, 0);
  assert.ok(kept.p50 < 100);
});

test('second tries stay within 5 %, and save searches that a lost node would hold up', () => {
  const cluster = { ...ONE, shards: 6, copies: 2, nodes: 6, shardsAsked: 1, perSecond: 40, searches: 4_000 };
  const lost = { node: 1, atMs: 10_000, noticedMs: 4_000 };
  const plain = simulate({ ...cluster, lost });
  const hedged = simulate({ ...cluster, lost, hedgeAfterMs: 100 });
  assert.ok(hedged.extraShare > 0 && hedged.extraShare <= 0.05);
  assert.ok(plain.worst > 3_000 && hedged.worst < plain.worst / 2, `${plain.worst} became ${hedged.worst}`);
});

test('a second try that finds no other copy loses nothing: the first one goes on', () => {
  const cluster = { ...ONE, shards: 6, copies: 2, nodes: 6, shardsAsked: 1, perSecond: 20, searches: 2_000 };
  const lost = { node: 1, atMs: 1_000, noticedMs: 1_000 };
  assert.equal(simulate({ ...cluster, serviceMs: [10, 10, 150], lost, hedgeAfterMs: 100 }).failed, 0);
});
