/**
 * Searches while the sources change their behaviour four times a second. Exits with 1 when a response was wrong:
 * node test/chaos/run-recall-chaos.ts [--seconds 120] [--seed 1]
 */
import { parseArgs } from 'node:util';
import { FAILING, REFUSING, recallChaos } from './recall-chaos.ts';

const { values } = parseArgs({
  options: { seconds: { type: 'string', default: '120' }, seed: { type: 'string', default: '1' } },
});
const RUNS = [
  { name: 'one source stays healthy', steady: 'searxng', moods: REFUSING },
  { name: 'all sources fail and refuse', steady: null, moods: REFUSING },
  { name: 'all sources fail', steady: null, moods: FAILING },
] as const;
const seconds = Number(values.seconds) / RUNS.length;
for (const { name, ...chaos } of RUNS) {
  const report = await recallChaos({ seconds, seed: Number(values.seed), ...chaos });
  console.log(name, JSON.stringify(report));
  if (report.faults.length > 0) process.exitCode = 1;
}
