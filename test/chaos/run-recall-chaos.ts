/**
 * Searches while the sources change their behaviour after every third response. Exits with 1 when a response was wrong:
 * node test/chaos/run-recall-chaos.ts [--searches 100] [--seed 1]
 */
import { parseArgs } from 'node:util';
import { FAILING, REFUSING, recallChaos } from './recall-chaos.ts';

const { values } = parseArgs({
  options: { searches: { type: 'string', default: '100' }, seed: { type: 'string', default: '1' } },
});
const RUNS = [
  { name: 'one source stays healthy', steady: 'searxng', moods: REFUSING },
  { name: 'all sources fail and refuse', steady: null, moods: REFUSING },
  { name: 'all sources fail', steady: null, moods: FAILING },
] as const;
const searches = Number(values.searches);
for (const { name, ...chaos } of RUNS) {
  const report = await recallChaos({ searches, seed: Number(values.seed), ...chaos });
  console.log(name, JSON.stringify(report));
  if (report.faults.length > 0) process.exitCode = 1;
}
