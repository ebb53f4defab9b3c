/**
 * Everyday questions over short pages of prose that were written for them: npm run eval:everyday [-- --part fitting] [--misses] [--all].
 * Each page has three questions that it answers, mostly in other words, and three that it does not, about the same subject. All
 * pages are in one index, which is asked over HTTP at default settings. Only the part `fitting` may be looked at while rules change.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { recordClaim } from './evaluated-claims.ts';
import { type EverydayQuestion, readEverydayPages } from './everyday/everyday-pages.ts';
import { importPages, post, serveIndex } from './ranking/served-index.ts';

const { values } = parseArgs({
  options: {
    part: { type: 'string', default: 'judging' },
    misses: { type: 'boolean', default: false },
    all: { type: 'boolean', default: false },
  },
});
type Row = EverydayQuestion & { answer: string | null; isRight: boolean };

const dataDir = mkdtempSync(join(tmpdir(), 'sanderling-everyday-'));
try {
  const pages = readEverydayPages(values.part);
  await importPages(dataDir, pages);
  const { address, close } = await serveIndex(dataDir);
  const rows: Row[] = [];
  for (const one of pages.flatMap(({ questions }) => questions)) {
    const { answer } = await post<{ answer: string | null }>(`${address}/v1/answer`, { query: one.question });
    rows.push({ ...one, answer, isRight: one.golds.some((gold) => answer?.includes(gold)) });
  }
  await close();
  print(rows);
} finally {
  rmSync(dataDir, { recursive: true, force: true });
}

function print(rows: readonly Row[]): void {
  const isAnswerable = ({ golds }: Row): boolean => golds.length > 0;
  const answerable = rows.filter(isAnswerable);
  const given = answerable.filter(({ answer }) => answer !== null);
  const right = given.filter(({ isRight }) => isRight);
  const near = rows.filter((row) => !isAnswerable(row));
  const wronglyGiven = near.filter(({ answer }) => answer !== null);
  const lengths = given.map(({ answer }) => answer?.length ?? 0).sort((left, right) => left - right);
  console.log(
    `everyday, ${values.part}: answered ${given.length} of ${answerable.length}, right ${right.length} of ${given.length}, ` +
      `unanswerable answered ${wronglyGiven.length} of ${near.length}, median ${lengths[Math.floor(lengths.length / 2)]} characters`,
  );
  const record = (claim: string, some: readonly Row[], isGood: (row: Row) => boolean): void =>
    recordClaim({
      claim,
      set: `everyday, ${values.part}`,
      fitted: values.part === 'judging' ? 'nothing' : 'weights',
      baseline: null,
      rows: some.map((row) => ({ ours: Number(isGood(row)), baseline: null })),
    });
  record('answered right', answerable, ({ isRight }) => isRight);
  record('answers that are right', given, ({ isRight }) => isRight);
  record('unanswerable left unanswered', near, ({ answer }) => answer === null);
  if (values.misses || values.all)
    for (const row of rows)
      if (values.all || (isAnswerable(row) ? !row.isRight : row.answer !== null))
        console.log(
          `\n${row.question}\n  wanted: ${row.golds[0] ?? 'none'}\n  given: ${JSON.stringify(row.answer)}`,
        );
}
