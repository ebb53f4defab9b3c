/**
 * Capacity and cost by arithmetic from measured times (bench/scale/measured.json), and a simulation of searches over many shards with
 * these times: routing, copies, second tries, and the loss of a node. Takes seconds; no server is started.
 *
 *   npm run bench:scale
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { capacityOf, capacityTable, diskOf, type Measured } from './scale/capacity.ts';
import { type Scene, simulate } from './scale/simulation.ts';

type File = Measured & { searchMsOfShard: number[] };
const measured = JSON.parse(readFileSync(join(import.meta.dirname, 'scale/measured.json'), 'utf8')) as File;
console.log(capacityTable(capacityOf(measured)));

for (const pages of [1e6, 1e8, 1e9]) {
  const { gigabytes, usdPerMonth } = diskOf(pages, 2, measured);
  console.log(
    `${pages.toLocaleString('en')} pages, 2 copies: ${gigabytes.toFixed(0)} GB, ${usdPerMonth.toFixed(0)} USD a month`,
  );
}

const SEARCHES = 20_000;
const base: Scene = {
  shards: 40,
  copies: 2,
  nodes: 40,
  serversPerNode: 8,
  shardsAsked: 40,
  perSecond: 255,
  searches: SEARCHES,
  serviceMs: measured.searchMsOfShard,
  hedgeAfterMs: null,
  lost: null,
  seed: 1,
};
const lost = { node: 3, atMs: 20_000, noticedMs: 4_000 };
const SCENES: Record<string, Partial<Scene>> = {
  'all 40 shards': {},
  'second try after 60 ms': { hedgeAfterMs: 60 },
  'a fifth of the shards (routed)': { shardsAsked: 8 },
  'a node lost, noticed after 4 s': { lost },
  'the same, second try after 60 ms': { lost, hedgeAfterMs: 60 },
  'one process: 2 readers, one queue': {
    shards: 1,
    copies: 1,
    nodes: 1,
    serversPerNode: 2,
    shardsAsked: 1,
    perSecond: 54,
  },
  'one queue for each of 2 readers': {
    shards: 1,
    copies: 2,
    nodes: 2,
    serversPerNode: 1,
    shardsAsked: 1,
    perSecond: 54,
  },
  'the same, second try after 60 ms at the other': {
    shards: 1,
    copies: 2,
    nodes: 2,
    serversPerNode: 1,
    shardsAsked: 1,
    perSecond: 54,
    hedgeAfterMs: 60,
  },
};
// One searches all shards 255 times a second (72 % of what 320 servers can do); a single process 54 times (61 % of two readers).
console.log('\nscene | p50 | p95 | p99 | worst ms | second tries | parts lost');
for (const [name, change] of Object.entries(SCENES)) {
  const { p50, p95, p99, worst, extraShare, failed } = simulate({ ...base, ...change });
  const ms = [p50, p95, p99, worst].map((value) => value.toFixed(0)).join(' | ');
  console.log(`${name} | ${ms} | ${(100 * extraShare).toFixed(1)} % | ${failed}`);
}
