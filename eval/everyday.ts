/**
 * Questions that are asked over HTTP at default settings, and the answers quoted: npm run eval:everyday, npm run eval:technical -- --docs <docs>,
 * both with [--part fitting] [--misses] [--all]. Everyday pages are short prose written for this; each has three questions that it
 * answers, mostly in other words, and three that it does not, about the same subject. Technical questions are asked of the whole manual
 * that they are about, a folder below `<docs>`; the manuals for judging are others than those for fitting. Only the part `fitting` may
 * be looked at while rules change.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { recordClaim } from './evaluated-claims.ts';
import { type EverydayQuestion, readEverydayPages, readTechnicalManuals } from './everyday/everyday-pages.ts';
import { findFolder, readManual } from './ranking/question-sets.ts';
import { importPages, type PageRecord, post, serveIndex } from './ranking/served-index.ts';

const { values } = parseArgs({
  options: {
    set: { type: 'string', default: 'everyday' },
    part: { type: 'string', default: 'judging' },
    docs: { type: 'string', multiple: true, default: ['/usr/share/doc'] },
    misses: { type: 'boolean', default: false },
    all: { type: 'boolean', default: false },
  },
});
type Row = EverydayQuestion & { answer: string | null; isRight: boolean };
type AskedPages = { pages: PageRecord[]; questions: EverydayQuestion[] };

const rows: Row[] = [];
for (const asked of values.set === 'technical' ? readManuals() : readEveryday())
  rows.push(...(await ask(asked)));
print(rows);

function readEveryday(): AskedPages[] {
  const pages = readEverydayPages(values.part);
  return [{ pages, questions: pages.flatMap(({ questions }) => questions) }];
}

function readManuals(): AskedPages[] {
  return readTechnicalManuals(values.part).map(({ folder, questions }) => ({
    pages: readManual(findFolder(values.docs, folder), folder.split('/')[0] ?? ''),
    questions,
  }));
}

/** Imports the pages into an index of their own and asks it. */
async function ask({ pages, questions }: AskedPages): Promise<Row[]> {
  const dataDir = mkdtempSync(join(tmpdir(), 'sanderling-everyday-'));
  try {
    await importPages(dataDir, pages);
    const { address, close } = await serveIndex(dataDir);
    const asked: Row[] = [];
    for (const one of questions) {
      const { answer } = await post<{ answer: string | null }>(`${address}/v1/answer`, {
        query: one.question,
      });
      asked.push({ ...one, answer, isRight: one.golds.some((gold) => answer?.includes(gold)) });
    }
    await close();
    return asked;
  } finally {
    rmSync(dataDir, { recursive: true, force: true });
  }
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
    `${values.set}, ${values.part}: answered ${given.length} of ${answerable.length}, right ${right.length} of ${given.length}, ` +
      `unanswerable answered ${wronglyGiven.length} of ${near.length}, median ${lengths[Math.floor(lengths.length / 2)]} characters`,
  );
  const record = (claim: string, some: readonly Row[], isGood: (row: Row) => boolean): void =>
    recordClaim({
      claim,
      set: `${values.set}, ${values.part}`,
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
