import { parseArgs } from 'node:util';
import { simulateMonitors } from './simulate-monitors.ts';

/**
 * A month of 2,000 monitors on 100 hosts under a driven clock, with 40 deaths of the process, on SQLite. Prints its counts beside a poller
 * that asks for every page at every interval.
 *
 *   npm run simulate:monitors [-- --monitors 2000 --hosts 100 --days 30 --deaths 40 --seed 1]
 */
const { values } = parseArgs({
  options: {
    monitors: { type: 'string', default: '2000' },
    hosts: { type: 'string', default: '100' },
    days: { type: 'string', default: '30' },
    deaths: { type: 'string', default: '40' },
    seed: { type: 'string', default: '1' },
  },
});
const counts = await simulateMonitors(null, {
  monitors: Number(values.monitors),
  hosts: Number(values.hosts),
  days: Number(values.days),
  deaths: Number(values.deaths),
  seed: Number(values.seed),
});
console.table(counts);
