/**
 * Measures how often the check of written statements drops a false one and keeps a true one, over sentences of pages in EVAL_DATA:
 *
 *   npm run eval:claims [-- --misses]
 *
 * 350 statements of each set: 175 true ones in other words, 175 that differ from a true one in one figure, date, name, unit, denial or
 * thing, or have two things in each other's place. The rules were written while looking at the first set; the second is only counted.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { gunzipSync } from 'node:zlib';
import { proveStatements } from '../src/text/proof/prove-statements.ts';
import { type ClaimPage, FALSE_KINDS, type MadeClaim, makeClaims } from './claims/made-claims.ts';

const PER_KIND = 25;
const SETS = [
  { name: 'squad2_dev_half', about: 'seen' },
  { name: 'qed_train', about: 'unseen' },
];

const { values } = parseArgs({ options: { misses: { type: 'boolean', default: false } } });
const folder = process.env.EVAL_DATA ?? '../shared/data';
for (const { name, about } of SETS) {
  const lines = gunzipSync(readFileSync(join(folder, name, 'pages.jsonl.gz')))
    .toString('utf8')
    .trim()
    .split('\n');
  const claims = makeClaims(
    lines.map((line): ClaimPage => JSON.parse(line)),
    PER_KIND,
  );
  report(`${name} (${about})`, claims);
}

function report(name: string, claims: readonly MadeClaim[]): void {
  const judged = claims.map((claim) => ({ claim, problems: judge(claim) }));
  console.log(`\n${name}: ${claims.length} statements`);
  for (const kind of ['true', ...FALSE_KINDS] as const) {
    const ofKind = judged.filter(({ claim }) => claim.kind === kind);
    const right = ofKind.filter(({ problems }) => (problems.length === 0) === (kind === 'true'));
    console.log(
      `${kind.padEnd(10)} ${kind === 'true' ? 'kept   ' : 'dropped'} ${right.length} of ${ofKind.length}`,
    );
  }
  const wrong = judged.filter(({ claim }) => claim.kind !== 'true');
  const dropped = wrong.filter(({ problems }) => problems.length > 0).length;
  const own = judged.filter(({ claim }) => claim.kind === 'true');
  const kept = own.filter(({ problems }) => problems.length === 0).length;
  console.log(
    `false ones dropped ${toShare(dropped, wrong.length)} %, true ones kept ${toShare(kept, own.length)} %`,
  );
  if (!values.misses || name.includes('unseen')) return;
  for (const { claim, problems } of judged)
    if ((problems.length === 0) !== (claim.kind === 'true'))
      console.log(
        `\n[${claim.kind}] ${claim.text}\n    ${claim.quote}\n    ${problems.map(({ kind, text }) => `${kind}: ${text}`).join('; ')}`,
      );
}

function judge({ text, quote, passage, title }: MadeClaim) {
  const [proved] = proveStatements(
    [{ text, support: [{ passage: 1, quote }] }],
    [{ url: 'https://example.org/', title, text: passage }],
  );
  return proved?.problems ?? [];
}

function toShare(count: number, of: number): string {
  return ((100 * count) / Math.max(1, of)).toFixed(1);
}
