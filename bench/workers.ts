/**
 * One process against several on one port, over PostgreSQL and Redis: requests a second, and CPU of all processes of the server for a request, in
 * alternating rounds:
 * node bench/workers.ts --database postgres://… --cache redis://… [--workers 2] [--rounds 5] [--seconds 4] [--clients 64] [--pages 2000] [--only cached-reader,fresh-search]
 *
 * Clients, PostgreSQL and Redis are on this machine too. Where cores lack, what n processes would do is reckoned from CPU: n times the CPU of a
 * request with one process over that with n.
 */
import { parseArgs } from 'node:util';
import { CASES, type LoadCase } from './load/cases.ts';
import { fire, tryOnce } from './load/fire.ts';
import { type LoadPlace, openPlace } from './load/place.ts';
import { medianOf } from './processes/measured-process.ts';

const { values } = parseArgs({
  options: {
    database: { type: 'string' },
    cache: { type: 'string' },
    workers: { type: 'string', default: '2' },
    rounds: { type: 'string', default: '5' },
    seconds: { type: 'string', default: '4' },
    clients: { type: 'string', default: '64' },
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
        ...{ databaseUrl, pages: Number(values.pages), logLevel: 'error', profile: false },
        workers: { count, cacheUrl },
      }),
    );
  const wanted = values.only.split(',');
  for (const one of CASES.filter(({ name }) => wanted.includes(name))) await compare(one);
} finally {
  for (const place of places) await place.close();
}

/** The first round only warms up. */
async function compare({ name, status, requests }: LoadCase): Promise<void> {
  const seen = places.map(() => ({
    perSecond: [] as number[],
    cpuMs: [] as number[],
    clientMs: [] as number[],
    failed: 0,
  }));
  for (let round = 0; round <= Number(values.rounds); round += 1)
    for (const [at, place] of places.entries()) {
      const next = requests(place);
      if (round === 0) await tryOnce(place.address, next());
      const before = place.cpuMs();
      const clientBefore = process.cpuUsage();
      const fired = await fire({
        ...{ address: place.address, clients: Number(values.clients), seconds: Number(values.seconds) },
        ...{ status, next },
      });
      const client = process.cpuUsage(clientBefore);
      await place.rest();
      const figures = seen[at];
      if (round === 0 || fired.answers === 0 || figures === undefined) continue;
      figures.perSecond.push(fired.perSecond);
      figures.cpuMs.push((place.cpuMs() - before) / fired.answers);
      figures.clientMs.push((client.user + client.system) / 1_000 / fired.answers);
      figures.failed += fired.failed;
    }
  const medians = seen.map(({ perSecond, cpuMs, clientMs, failed }, at) => ({
    ...{ processes: counts[at] ?? 1, perSecond: medianOf(perSecond), cpuMs: medianOf(cpuMs), failed },
    clientMs: medianOf(clientMs),
  }));
  const [one, many] = medians;
  if (one === undefined || many === undefined) return;
  for (const { processes, perSecond, cpuMs, clientMs, failed } of medians)
    console.log(
      `${name.padEnd(18)} ${processes} process${processes === 1 ? '  ' : 'es'} ${perSecond.toFixed(0).padStart(6)} a second, CPU a request: servers ${cpuMs.toFixed(2)} ms, clients ${clientMs.toFixed(2)} ms; ${failed} failed`,
    );
  console.log(
    `${name.padEnd(18)} measured ${(many.perSecond / one.perSecond).toFixed(2)} times, by CPU ${((many.processes * one.cpuMs) / many.cpuMs).toFixed(2)} times`,
  );
}
