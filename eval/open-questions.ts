/**
 * How often an index finds the pages that answer public factual questions, without a judge: a question counts as found by the
 * place of the first page that is named as its source, and by the first page whose text says the answer.
 *
 *   node eval/open-questions.ts --index <index.db> --questions <file> [--map question=problem,answer=answer,urls=metadata] [--limit 500] [--misses]
 *
 * The file is JSON lines, or a table with a row of names (CSV, TSV); `--map` names its columns. Addresses are taken from wherever they
 * stand in the column of `urls`. The index is the operator's, for example of an imported Wikipedia.
 */
import { parseArgs } from 'node:util';
import { createLocalIndex } from '../src/index/local-index.ts';
import { createLog } from '../src/platform/log.ts';
import { NO_FILTERS } from '../src/text/query/filters.ts';
import { readQuery } from '../src/text/query/read-query.ts';
import { type Found, judgeFound, type OpenQuestion, shareWithin } from './open-questions/judge.ts';
import { readQuestions } from './open-questions/read-questions.ts';

const TOP = 10;
const RANKS = [1, 3, 10];

const { values } = parseArgs({
  options: {
    index: { type: 'string' },
    questions: { type: 'string' },
    map: { type: 'string', default: '' },
    limit: { type: 'string', default: '500' },
    misses: { type: 'boolean', default: false },
  },
});
if (values.index === undefined || values.questions === undefined) {
  console.log('give --index and --questions');
  process.exit(1);
}
const questions = readQuestions(values.questions, values.map).slice(0, Number(values.limit));
const index = await createLocalIndex({ path: values.index, log: createLog('warn') });
try {
  const found: Found[] = [];
  for (const question of questions) found.push(await ask(question));
  report(found);
} finally {
  await index.close();
}

async function ask(question: OpenQuestion): Promise<Found> {
  const results = await index.search({ ...NO_FILTERS, query: readQuery(question.question), limit: TOP });
  const pages: { url: string; text: string }[] = [];
  for (const { url } of results) pages.push({ url, text: (await index.get(url))?.markdown ?? '' });
  return judgeFound(question, pages);
}

function report(found: Found[]): void {
  const percent = (share: number): string => `${(share * 100).toFixed(1)} %`;
  const withSource = found.filter(({ question }) => question.urls.length > 0);
  console.log(`${found.length} questions, ${withSource.length} with the addresses of their sources`);
  for (const rank of RANKS)
    console.log(
      `  in the first ${String(rank).padStart(2)}: a source ${percent(shareWithin(withSource, 'source', rank))}, a page that says the answer ${percent(shareWithin(found, 'answer', rank))}`,
    );
  if (!values.misses) return;
  for (const { question, source, answer } of found)
    if (source === null && answer === null)
      console.log(`  not found: ${question.question} (${question.answer})`);
}
