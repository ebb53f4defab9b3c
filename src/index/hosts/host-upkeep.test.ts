import assert from 'node:assert/strict';
import { test } from 'node:test';
import { skipPauses } from '../../../test/fixtures/skip-pauses.ts';
import type { HostRanking, OutlinesStep, StandingsPart } from './host-ranker.ts';
import { createHostUpkeep } from './host-upkeep.ts';

const HOUR_MS = 3_600_000;

/** An index of so many pages on one host, and the rankings that it was given. */
function indexOf(pages: number, engine: 'sqlite' | 'opensearch' = 'sqlite') {
  const rankings: HostRanking[] = [];
  const held = { pages };
  return {
    held,
    rankings,
    index: {
      place: () => ({ engine, at: 'x' }),
      size: async () => ({ pages: held.pages, hosts: 1 }),
      hostRanking: async () => rankings.at(-1) ?? null,
      async outlines({ after }: { after: string | null }): Promise<OutlinesStep> {
        if (after !== null) return { outlines: [], last: null };
        const page = { host: 'a.example', chars: 900, links: 1, targets: [], print: null };
        return { outlines: Array.from({ length: held.pages }, () => page), last: 'https://a.example/' };
      },
      async putStandings({ ranking }: StandingsPart) {
        if (ranking !== null) rankings.push(ranking);
      },
    },
  };
}

test('hosts are ranked again when a tenth of the pages has come, not before', async (t) => {
  skipPauses(t);
  const { index, held, rankings } = indexOf(1_000);
  const clock = { now: () => now };
  let now = 0;
  const upkeep = createHostUpkeep({ index, clock });
  await upkeep.tick();
  assert.equal(rankings.length, 0, 'a server that starts ranks nothing');
  now = HOUR_MS;
  await upkeep.tick();
  await upkeep.tick();
  assert.deepEqual(
    rankings.map(({ pages }) => pages),
    [1_000],
  );
  held.pages = 1_099;
  await upkeep.tick();
  assert.equal(rankings.length, 1);
  held.pages = 1_101;
  await upkeep.tick();
  assert.equal(rankings.length, 2);
  upkeep.stop();
  held.pages = 5_000;
  await upkeep.tick();
  assert.equal(rankings.length, 2);
});

test('a small index and one in a cluster are left alone', async () => {
  for (const { index, rankings } of [indexOf(999), indexOf(5_000, 'opensearch')]) {
    let now = 0;
    const upkeep = createHostUpkeep({ index, clock: { now: () => now } });
    now = HOUR_MS;
    await upkeep.tick();
    assert.equal(rankings.length, 0);
  }
});
