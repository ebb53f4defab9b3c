/**
 * One page of what the service claims: npm run eval [-- --docs <folder>] [--only ranking,answer]. Runs the evaluations that record
 * claims, and prints each claim with its set, what was fitted on it, the number of questions, and the 95 % interval of the
 * difference to the baseline by paired bootstrap: WIN, EQUAL or BEHIND. Without a baseline the interval is that of our own mean.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { readJsonLines } from '../bench/search/read-json-lines.ts';
import { computeInterval, type EvaluatedClaim, judgeDifference } from './evaluated-claims.ts';

const { values } = parseArgs({
  options: {
    docs: { type: 'string', multiple: true, default: ['/usr/share/doc'] },
    only: { type: 'string', default: 'everyday,technical,answer,passages,collections,unseen' },
  },
});
const EVALUATIONS: Record<string, string[]> = {
  everyday: ['everyday.ts'],
  technical: ['everyday.ts', '--set', 'technical', ...values.docs.flatMap((folder) => ['--docs', folder])],
  answer: ['answer.ts', '--every=12', '--served=0'],
  passages: ['passages.ts', '--small', '--served', '0'],
  collections: ['ranking.ts'],
  unseen: ['ranking.ts', '--sets', 'unseen,further', '--docs', values.docs.join()],
};

const folder = mkdtempSync(join(tmpdir(), 'sanderling-eval-'));
const file = join(folder, 'claims.jsonl');
try {
  for (const name of values.only.split(',')) await runEvaluation(name);
  console.log('| claim | set | fitted on it | n | ours | baseline | 95 % interval | |');
  console.log('| --- | --- | --- | --- | --- | --- | --- | --- |');
  for (const claim of existsSync(file) ? readJsonLines<EvaluatedClaim>(file) : [])
    console.log(formatClaim(claim));
} finally {
  rmSync(folder, { recursive: true, force: true });
}

/** An evaluation that fails is said, and the others go on. */
async function runEvaluation(name: string): Promise<void> {
  const [script, ...args] = EVALUATIONS[name] ?? [];
  if (script === undefined) throw new Error(`no evaluation ${name}: ${Object.keys(EVALUATIONS).join(', ')}`);
  const child = spawn(process.execPath, [resolve(import.meta.dirname, script), ...args], {
    env: { ...process.env, EVAL_CLAIMS: file },
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  const [code] = await once(child, 'exit');
  if (code === 0) return;
  console.error(`${name} ended with ${code}`);
  process.exitCode = 1;
}

function formatClaim({ claim, set, fitted, baseline, rows }: EvaluatedClaim): string {
  const ours = computeInterval(rows.map((row) => row.ours));
  const common = [claim, set, fitted, String(rows.length), percent(ours.mean)];
  if (baseline === null)
    return `| ${[...common, '', `${percent(ours.low)} to ${percent(ours.high)}`, ''].join(' | ')} |`;
  const theirs = computeInterval(rows.map((row) => row.baseline ?? 0)).mean;
  const difference = computeInterval(rows.map((row) => row.ours - (row.baseline ?? 0)));
  const interval = `${sign(difference.low)} to ${sign(difference.high)}`;
  return `| ${[...common, `${percent(theirs)} (${baseline})`, interval, judgeDifference(difference)].join(' | ')} |`;
}

function percent(share: number): string {
  return (100 * share).toFixed(1);
}

function sign(share: number): string {
  return `${share < 0 ? '−' : '+'}${percent(Math.abs(share))}`;
}
