/**
 * One process against several on one port, over PostgreSQL and Redis: requests a second, and CPU of all processes of the server for a request, in
 * alternating rounds:
 * node bench/workers.ts --database postgres://… --cache redis://… [--workers 2] [--rounds 5] [--seconds 4] [--clients 32] [--pages 2000] [--warm 1500] [--only cached-reader,fresh-search] [--rate 500]
 *
 * Only right answers count; others are listed by their status. With more clients one process refuses what several take.
 * `--warm`: requests for each process before anything is measured: a new process takes several times the CPU until its code is compiled.
 * Clients, PostgreSQL and Redis are on this machine too. Where cores lack, what n processes would do is reckoned from CPU: n times the CPU of a
 * request with one process over that with n. `--rate`: so many requests a second, the same for both, in place of as many as they answer: what a
 * request costs is then compared at the same load of the machine, whose caches clients, servers and stores share.
 */
import { parseArgs } from 'node:util';
import { CASES, type LoadCase } from './load/cases.ts';
import { type Fired, fire, type LoadRequest, tryOnce } from './load/fire.ts';
import { fireAtRate } from './load/open-loop.ts';
import { type LoadPlace, openPlace } from './load/place.ts';
import { medianOf } from './processes/measured-process.ts';

const { values } = parseArgs({
  options: {
    database: { type: 'string' },
    cache: { type: 'string' },
    workers: { type: 'string', default: '2' },
    rounds: { type: 'string', default: '5' },
    seconds: { type: 'string', default: '4' },
    clients: { type: 'string', default: '32' },
    warm: { type: 'string', default: '1500' },
    rate: { type: 'string' },
    pages: { type: 'string', default: '2000' },
    only: { type: 'string', default: 'cached-reader,cached-search,fresh-search,fresh-reader-20kb' },
  },
});
const { database: databaseUrl, cache: cacheUrl } = values;
if (databaseUrl === undefined || cacheUrl === undefined) {
  console.log('give --database of a PostgreSQL and --cache of a Redis');
  process.exit(1);
}
const counts = [1, Number(values.workers)];
const places: LoadPlace[] = [];
try {
  for (const count of counts)
    places.push(
      await openPlace({
        databaseUrl,
        pages: Number(values.pages),
        logLevel: 'error',
        profile: false,
        workers: { count, cacheUrl },
      }),
    );
  const wanted = values.only.split(',');
  for (const one of CASES.filter(({ name }) => wanted.includes(name))) await compare(one);
} finally {
  for (const place of places) await place.close();
}

/** Lets each process compile its code and fill its caches, however long that takes. */
async function warmUp(
  place: LoadPlace,
  { processes, one }: { processes: number; one: LoadCase },
): Promise<void> {
  const next = one.requests(place);
  await tryOnce(place.address, next());
  for (let answered = 0; answered < processes * Number(values.warm); )
    answered += (await fireAt(place, { one, next })).statuses.get(one.status) ?? 0;
}

type Round = Pick<Fired, 'perSecond' | 'answers' | 'statuses' | 'broken'>;

function fireAt(
  { address }: LoadPlace,
  { one: { status }, next }: { one: LoadCase; next(): LoadRequest },
): Promise<Round> {
  const [clients, seconds] = [Number(values.clients), Number(values.seconds)];
  return fire({ address, clients, seconds, status, next });
}

async function measured(place: LoadPlace, asked: { one: LoadCase; next(): LoadRequest }): Promise<Round> {
  if (values.rate === undefined) return fireAt(place, asked);
  const seconds = Number(values.seconds);
  const [{ address }, { next }] = [place, asked];
  const shots = await fireAtRate({ address, perSecond: Number(values.rate), seconds, next });
  const statuses = new Map<number, number>();
  for (const { status } of shots) statuses.set(status, (statuses.get(status) ?? 0) + 1);
  const broken = statuses.get(0) ?? 0;
  return { perSecond: shots.length / seconds, answers: shots.length, statuses, broken };
}

async function compare(one: LoadCase): Promise<void> {
  const { name, status, requests } = one;
  for (const [at, place] of places.entries()) await warmUp(place, { processes: counts[at] ?? 1, one });
  const seen = places.map(() => ({
    perSecond: [] as number[],
    cpuMs: [] as number[],
    clientMs: [] as number[],
    others: new Map<number, number>(),
    broken: 0,
  }));
  for (let round = 0; round < Number(values.rounds); round += 1)
    for (const [at, place] of places.entries()) {
      const next = requests(place);
      const before = place.cpuMs();
      const clientBefore = process.cpuUsage();
      const fired = await measured(place, { one, next });
      const client = process.cpuUsage(clientBefore);
      await place.rest();
      const figures = seen[at];
      const right = fired.statuses.get(status) ?? 0;
      if (right === 0 || figures === undefined) continue;
      figures.perSecond.push((fired.perSecond * right) / fired.answers);
      figures.cpuMs.push((place.cpuMs() - before) / right);
      figures.clientMs.push((client.user + client.system) / 1_000 / right);
      figures.broken += fired.broken;
      for (const [other, count] of fired.statuses)
        if (other !== status) figures.others.set(other, (figures.others.get(other) ?? 0) + count);
    }
  const medians = seen.map(({ perSecond, cpuMs, clientMs, others, broken }, at) => ({
    processes: counts[at] ?? 1,
    perSecond: medianOf(perSecond),
    cpuMs: medianOf(cpuMs),
    others,
    broken,
    clientMs: medianOf(clientMs),
  }));
  const [single, many] = medians;
  if (single === undefined || many === undefined) return;
  for (const { processes, perSecond, cpuMs, clientMs, others, broken } of medians)
    console.log(
      `${name.padEnd(18)} ${processes} process${processes === 1 ? '  ' : 'es'} ${perSecond.toFixed(0).padStart(6)} a second, CPU a request: servers ${cpuMs.toFixed(2)} ms, clients ${clientMs.toFixed(2)} ms; ${othersInWords(others)}${broken} broken`,
    );
  console.log(
    `${name.padEnd(18)} measured ${(many.perSecond / single.perSecond).toFixed(2)} times, by CPU ${((many.processes * single.cpuMs) / many.cpuMs).toFixed(2)} times`,
  );
}

function othersInWords(others: ReadonlyMap<number, number>): string {
  return [...others].map(([status, count]) => `${count} times ${status}, `).join('');
}
