import assert from 'node:assert/strict';
import { HOST_GAP_MS } from '../../src/monitors/monitor-runner.ts';
import { findMonitor } from '../../src/monitors/rows/monitor-rows.ts';
import { type MonitorFixture, openMonitorFixture } from './monitor-fixture.ts';

/**
 * A month of monitors over a web that changes, fails and answers without a body, checked by processes that die at random steps, under a
 * driven clock. It asserts that nothing is lost: the events of each page form a chain from the first text to the last; that no id stands for
 * two events; that no check is charged twice; and that no host is asked more often than it may be.
 */
export type Simulation = { monitors: number; hosts: number; days: number; deaths: number; seed: number };

type SimulationCounts = {
  checks: number;
  requests: number;
  /** Requests that were answered with a body. */
  bodies: number;
  /** Requests of a poller that asks for each page at each interval, whatever it answered before. */
  naive: number;
  events: number;
  deliveries: number;
  credits: number;
};

const [MINUTE, HOUR, DAY] = [60_000, 3_600_000, 86_400_000];
const INTERVALS = [6 * HOUR, 12 * HOUR, DAY];
const STEPS = ['charge', 'write', 'send'] as const;
const BIRDS = ['curlews', 'knots', 'dunlins', 'godwits', 'plovers', 'avocets', 'ruffs', 'stints'];
const DEEDS = [
  'feed at the shore',
  'rest on the sand',
  'leave for the north',
  'call before dawn',
  'flock at dusk',
];
const PLACES = [
  'near the pier',
  'behind the dunes',
  'below the mill',
  'along the dyke',
  'by the old lighthouse',
];

/** A sentence for each number, in words: bare numbers would count as noise. */
function writeFact(number: number): string {
  const at = (words: readonly string[], place: number): string => words[place % words.length] ?? '';
  const [bird, deed, place] = [
    at(BIRDS, number),
    at(DEEDS, Math.floor(number / BIRDS.length)),
    at(PLACES, Math.floor(number / (BIRDS.length * DEEDS.length))),
  ];
  return `The ${bird} ${deed} ${place}.`;
}

const writePage = (version: number): string =>
  `# Waders\n\nThe sanderling runs along the edge of each wave.\n\n${writeFact(version)}\n\nThe ringed birds are counted in spring.`;

/** Random numbers from 0 to 1 that are the same for the same seed (mulberry32). */
function createRandom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

type SimulatedPage = { id: string; url: string; version: number; intervalMs: number };

export async function simulateMonitors(
  databaseUrl: string | null,
  { monitors, hosts, days, deaths, seed }: Simulation,
): Promise<SimulationCounts> {
  const fixture = await openMonitorFixture(databaseUrl);
  try {
    const random = createRandom(seed);
    const pages: SimulatedPage[] = [];
    for (let place = 0; place < monitors; place += 1) {
      const url = `https://host-${place % hosts}.example/page-${place}`;
      const intervalMs = INTERVALS[place % INTERVALS.length] ?? DAY;
      fixture.web.set(url, writePage(0));
      // Owners may have so many each.
      const id = await watchAs(fixture, `owner-${place % Math.ceil(monitors / 100)}`, { url, intervalMs });
      pages.push({ id, url, version: 0, intervalMs });
    }
    const began = fixture.clock.now();
    const ends = began + days * DAY;
    let process = fixture.startProcess();
    let died = 0;
    // All learn the first texts before anything changes.
    while (fixture.requests.length < monitors) await settle(fixture, process);
    while (fixture.clock.now() < ends) {
      changeSomePages(fixture, pages, random);
      if (died < deaths && random() < (deaths / (days * 24 * 2)) * 1.2) {
        process.dieAt(STEPS[Math.floor(random() * STEPS.length)] ?? 'write');
        died += 1;
      }
      await process.work();
      if (process.hasDied()) process = fixture.startProcess();
      await settle(fixture, process);
      fixture.clock.advance(30 * MINUTE);
    }
    fixture.statuses.clear();
    for (const { url, version } of pages) fixture.web.set(url, writePage(version));
    for (let turn = 0; turn < 4; turn += 1) {
      fixture.clock.advance(2 * DAY);
      await settle(fixture, fixture.startProcess());
    }
    const passedMs = fixture.clock.now() - began;
    const naive = pages.reduce((sum, { intervalMs }) => sum + Math.ceil(passedMs / intervalMs), 0);
    return await judge(fixture, pages, naive);
  } finally {
    await fixture.close();
  }
}

function watchAs(
  fixture: MonitorFixture,
  owner: string,
  { url, intervalMs }: Pick<SimulatedPage, 'url' | 'intervalMs'>,
): Promise<string> {
  return fixture.watch(
    {
      target: { kind: 'page', url },
      schedule: { kind: 'interval', ms: intervalMs },
      channels: [{ kind: 'webhook', url: `https://hooks.example/${owner}`, headers: {} }],
    },
    `key of ${owner}`,
    owner,
  );
}

/** Pages change, fail and recover, and receivers refuse events for a while. */
function changeSomePages(fixture: MonitorFixture, pages: SimulatedPage[], random: () => number): void {
  for (const page of pages) {
    if (random() < 0.01) page.version += 1;
    if (random() < 0.002) fixture.web.set(page.url, [404, 500, 503][Math.floor(random() * 3)] ?? 503);
    else if (typeof fixture.web.get(page.url) === 'string' || random() < 0.05)
      fixture.web.set(page.url, writePage(page.version));
  }
  const receiver = `https://hooks.example/owner-${Math.floor(random() * 20)}`;
  fixture.statuses.clear();
  if (random() < 0.3) fixture.statuses.set(receiver, 500);
}

/** Works until nothing is due at this time of the clock, moving it by the gap that hosts need. */
async function settle(fixture: MonitorFixture, process: { work(): Promise<void> }): Promise<void> {
  for (let before = -1; before !== fixture.requests.length + fixture.received.length; ) {
    before = fixture.requests.length + fixture.received.length;
    await process.work();
    fixture.clock.advance(HOST_GAP_MS);
  }
}

async function judge(
  fixture: MonitorFixture,
  pages: readonly SimulatedPage[],
  naive: number,
): Promise<SimulationCounts> {
  const counts = { checks: 0, events: 0, deliveries: fixture.received.length };
  const bodies = new Map<string, string>();
  for (const { id, json } of fixture.received) {
    const body = JSON.stringify(json);
    assert.equal(bodies.get(id) ?? body, body, `${id} stands for two events`);
    bodies.set(id, body);
  }
  for (const { id, version } of pages) {
    const events = (await fixture.monitors.events(id, { before: null, limit: 1_000 })).toReversed();
    let fact = writeFact(0);
    for (const event of events) {
      assert.ok(bodies.has(event.id), `${event.id} was not delivered`);
      if (event.kind !== 'changed') continue;
      // A sentence with other words is told as changed, or as gone and new.
      const before = event.changes.find((change) => change.before !== null)?.before?.quote;
      assert.equal(before, fact, `${event.id} does not begin where the last event ended`);
      fact = event.changes.findLast((change) => change.after !== null)?.after?.quote ?? '';
    }
    assert.equal(fact, writeFact(version), `${id} has lost its last change`);
    counts.events += events.length;
    counts.checks += (await findMonitor(fixture.store.db, id))?.checks ?? 0;
  }
  assertGaps(fixture);
  return {
    checks: counts.checks,
    requests: fixture.requests.length,
    bodies: fixture.requests.length - fixture.confirmed,
    naive,
    events: counts.events,
    deliveries: counts.deliveries,
    credits: [...fixture.charged.values()].reduce((sum, credits) => sum + credits, 0),
  };
}

function assertGaps({ requests }: MonitorFixture): void {
  const last = new Map<string, number>();
  for (const { at, url } of requests) {
    const { host } = new URL(url);
    const before = last.get(host);
    assert.ok(
      before === undefined || at - before >= HOST_GAP_MS,
      `${host} was asked twice within ${HOST_GAP_MS} ms`,
    );
    last.set(host, at);
  }
}
