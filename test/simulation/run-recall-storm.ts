/**
 * Searches while the sources change their moods four times a second; exits with 1 when an answer was not what it should be:
 * node test/simulation/run-recall-storm.ts [--seconds 120] [--seed 1]
 */
import { parseArgs } from 'node:util';
import { recallStorm } from './recall-storm.ts';

const { values } = parseArgs({
  options: { seconds: { type: 'string', default: '120' }, seed: { type: 'string', default: '1' } },
});
const seconds = Number(values.seconds) / 2;
const seed = Number(values.seed);
for (const steady of ['searxng', null] as const) {
  const report = await recallStorm({ seconds, seed, steady });
  console.log(steady === null ? 'no source stays well' : `${steady} stays well`, JSON.stringify(report));
  if (report.faults.length > 0) process.exitCode = 1;
}
