/**
 * Requests a second of a metered server, alternating with a bare Fastify route that returns the same body, in the same run.
 *
 *   npm run bench:load [-- --store sqlite|postgres|both] [--only cached-search,...] [--seconds 3] [--rounds 3] [--connections 32,256]
 *                      [--pages 20000] [--log info] [--kept]
 *
 * `--kept`: the server has fresh copies of the pages of its index, so that highlights of them need no fetch. Without it a search by tool call
 * reads its pages from their site, which say something else than the index, so that each call changes what the next one finds.
 * One case takes under a minute with `--only <case> --seconds 2`. PostgreSQL: TEST_DATABASE_URL (default: the one of this machine).
 * The client and both servers share the machine, so only the ratios mean something. Linux only.
 */
import { parseArgs } from 'node:util';
import { createTestDatabase, noServer } from '../test/fixtures/postgres.ts';
import { type BareServer, startBare } from './load/bare-server.ts';
import { CASES, type LoadCase } from './load/cases.ts';
import { type Fired, fire, tryOnce } from './load/fire.ts';
import { type LoadPlace, openPlace } from './load/place.ts';
import { medianOf } from './processes/measured-process.ts';

const { values } = parseArgs({
  options: {
    store: { type: 'string', default: 'sqlite' },
    only: { type: 'string' },
    seconds: { type: 'string', default: '3' },
    rounds: { type: 'string', default: '3' },
    connections: { type: 'string', default: '32,256' },
    pages: { type: 'string', default: '20000' },
    log: { type: 'string', default: 'info' },
    kept: { type: 'boolean', default: false },
  },
});
const seconds = Number(values.seconds);
const rounds = Number(values.rounds);
const connections = values.connections.split(',').map(Number);
const wanted = values.only?.split(',') ?? CASES.map(({ name }) => name);
const unknown = wanted.filter((name) => !CASES.some((one) => one.name === name));
if (unknown.length > 0)
  throw new Error(
    `no such case: ${unknown.join(', ')}; there are ${CASES.map(({ name }) => name).join(', ')}`,
  );

if (values.store !== 'postgres') await measureStore('SQLite', null);
if (values.store !== 'sqlite') {
  const database = await createTestDatabase();
  if (database === null) throw new Error(noServer);
  try {
    await measureStore('PostgreSQL', database.url);
  } finally {
    await database.drop();
  }
}

async function measureStore(store: string, databaseUrl: string | null): Promise<void> {
  const { log: logLevel, kept: areKept } = values;
  const place = await openPlace({ databaseUrl, pages: Number(values.pages), logLevel, areKept });
  const bare = await startBare();
  try {
    console.log(`${store}: requests a second, medians of ${rounds} rounds of ${seconds} s; times in ms`);
    console.log(
      'case                 clients     bare     ours  ratio   p50    p99  p99/p50  CPU ms  bare CPU  failed',
    );
    for (const one of CASES.filter(({ name }) => wanted.includes(name)))
      for (const clients of connections) await measure(one, clients, { place, bare });
  } finally {
    bare.stop();
    await place.close();
  }
}

type Round = Fired & { cpuMs: number };

async function measure(
  one: LoadCase,
  clients: number,
  { place, bare }: { place: LoadPlace; bare: BareServer },
): Promise<void> {
  const requests = one.requests(place);
  // The first answer is made, and its pages enter the index; the next is kept, and the third comes from where it is kept.
  for (let tries = 0; tries < 2; tries += 1) {
    await tryOnce(place.address, requests());
    await place.rest();
  }
  const { status, contentType, body } = await tryOnce(place.address, requests());
  if (status !== one.status) throw new Error(`${one.name} answered ${status}: ${body.slice(0, 300)}`);
  await bare.answerWith({ status, contentType, body });
  const taken: { ours: Round[]; bare: Round[] } = { ours: [], bare: [] };
  // The compiler of V8 must have seen the route.
  const aim = { clients, status, next: requests };
  await fire({ ...aim, address: place.address, seconds: 1 });
  await fire({ ...aim, address: bare.address, seconds: 1 });
  for (let round = 0; round < rounds; round += 1) {
    await place.rest();
    taken.bare.push(await timed(bare.cpuMs, () => fire({ ...aim, address: bare.address, seconds })));
    taken.ours.push(await timed(place.cpuMs, () => fire({ ...aim, address: place.address, seconds })));
  }
  print(one, clients, taken);
}

/** The round, with the CPU milliseconds that the server took for each request. */
async function timed(cpuMs: () => number, run: () => Promise<Fired>): Promise<Round> {
  const before = cpuMs();
  const fired = await run();
  return { ...fired, cpuMs: (cpuMs() - before) / Math.max(1, fired.answers) };
}

function print(one: LoadCase, clients: number, { ours, bare }: { ours: Round[]; bare: Round[] }): void {
  const middle = (taken: Round[], of: (round: Round) => number): number => medianOf(taken.map(of));
  const [mine, theirs] = [
    middle(ours, ({ perSecond }) => perSecond),
    middle(bare, ({ perSecond }) => perSecond),
  ];
  const [p50, p99] = [middle(ours, (round) => round.p50Ms), middle(ours, (round) => round.p99Ms)];
  const failed = [...ours, ...bare].reduce((sum, round) => sum + round.failed, 0);
  console.log(
    one.name.padEnd(20),
    String(clients).padStart(7),
    theirs.toFixed(0).padStart(8),
    mine.toFixed(0).padStart(8),
    `${((100 * mine) / theirs).toFixed(0)} %`.padStart(6),
    p50.toFixed(1).padStart(5),
    p99.toFixed(1).padStart(6),
    (p99 / p50).toFixed(1).padStart(8),
    middle(ours, ({ cpuMs }) => cpuMs)
      .toFixed(2)
      .padStart(7),
    middle(bare, ({ cpuMs }) => cpuMs)
      .toFixed(2)
      .padStart(9),
    String(failed).padStart(7),
  );
}
