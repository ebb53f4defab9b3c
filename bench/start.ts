/**
 * Time of a second start: from the start of the process until `/readyz` answers, with a data folder and a compile cache from an
 * earlier start. Baseline in the same run, alternating: Fastify alone. Linux only.
 *
 *   npm run bench:start [-- --runs 9]
 *
 * The bar: at most 800 ms. On a busy machine the clock also counts the time of others; CPU time hardly does.
 */
import { parseArgs } from 'node:util';
import {
  bareFastify,
  createPlace,
  medianOf,
  startArguments,
  startMeasured,
} from './processes/measured-process.ts';

const { values } = parseArgs({ options: { runs: { type: 'string', default: '9' } } });
const SERVERS = [
  { name: 'Fastify alone', args: bareFastify(0) },
  { name: 'Sanderling', args: startArguments() },
];
const samples = new Map<string, { readyMs: number; readyCpuMs: number }[]>();
const place = createPlace();
try {
  for (const { args } of SERVERS) await (await startMeasured(args, place.settings)).stop();
  for (let run = 0; run < Number(values.runs); run += 1)
    for (const { name, args } of SERVERS) {
      const server = await startMeasured(args, place.settings);
      samples.set(name, [...(samples.get(name) ?? []), server]);
      await server.stop();
    }
} finally {
  place.remove();
}
console.log('server             ready after ms   fastest   CPU ms   (medians)');
for (const [name, taken] of samples) {
  const ready = taken.map(({ readyMs }) => readyMs);
  console.log(
    name.padEnd(18),
    medianOf(ready).toFixed(0).padStart(14),
    Math.min(...ready)
      .toFixed(0)
      .padStart(9),
    medianOf(taken.map(({ readyCpuMs }) => readyCpuMs))
      .toFixed(0)
      .padStart(8),
  );
}
