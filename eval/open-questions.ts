/**
 * How often an index finds the pages that answer public factual questions, without a judge: a question counts as found by the
 * place of the first page that is named as its source, and by the first page whose text says the answer.
 *
 *   node eval/open-questions.ts --data <DATA_DIR> --questions <file> [--map question=problem,answer=answer,urls=metadata] [--limit 500] [--misses]
 *
 * The file is JSON lines, or a table with a row of names (CSV, TSV); `--map` names its columns. Addresses are taken from wherever they
 * stand in the column of `urls`. The index is the operator's, for example of an imported Wikipedia; it is asked over HTTP, and beside it inside this process.
 * The run fails if the two differ by more than a point.
 * `--plain`: the same for plain FTS5 over the same pages. `--titles <n>`: also asks for n pages by their titles, where no other page has them.
 */
import { parseArgs } from 'node:util';
import { openPlainIndex } from '../bench/known-item/plain-index.ts';
import { type Found, judgeFound, type OpenQuestion, shareWithin } from './open-questions/judge.ts';
import { readQuestions } from './open-questions/read-questions.ts';
import { compareShares, RESULTS, serveIndex } from './ranking/served-index.ts';

const RANKS = [1, 3, 10];
const TITLE_WORDS_MIN = 3;

const { values } = parseArgs({
  options: {
    data: { type: 'string' },
    questions: { type: 'string' },
    map: { type: 'string', default: '' },
    limit: { type: 'string', default: '500' },
    misses: { type: 'boolean', default: false },
    plain: { type: 'boolean', default: false },
    titles: { type: 'string', default: '0' },
  },
});
if (values.data === undefined || values.questions === undefined) {
  console.log('give --data and --questions');
  process.exit(1);
}
const questions = readQuestions(values.questions, values.map).slice(0, Number(values.limit));
const served = await serveIndex(values.data);
type Page = { url: string; title: string; markdown: string };
type Find = (question: string) => Promise<string[]>;

try {
  const titles = Number(values.titles);
  const pages = values.plain || titles > 0 ? await served.readPages() : [];
  const plain = values.plain ? openPlainIndex(pages) : null;
  const urls = (results: { url: string }[]): string[] => results.map(({ url }) => url);
  const engines: [string, Find][] = [
    ['as served', async (question) => urls(await served.search(question))],
    ['inside', async (question) => urls(await served.searchInside(question))],
  ];
  if (plain !== null) engines.push(['plain FTS5', async (question) => plain.find(question, RESULTS)]);
  const shares: number[][] = [];
  for (const [name, find] of engines) {
    const found = await askAll(questions, find);
    report(`${name}, questions`, found);
    shares.push(RANKS.map((rank) => shareWithin(found, 'answer', rank)));
    if (titles > 0) report(`${name}, titles`, await askAll(byTitle(pages, titles), find));
  }
  const [given = [], within = []] = shares;
  for (const [at, rank] of RANKS.entries())
    compareShares(`answer in the first ${rank}`, { served: given[at] ?? 0, inside: within[at] ?? 0 });
  plain?.close();
} finally {
  await served.close();
}

async function askAll(asked: readonly OpenQuestion[], find: Find): Promise<Found[]> {
  const found: Found[] = [];
  for (const question of asked) {
    const pages: { url: string; text: string }[] = [];
    for (const url of await find(question.question))
      pages.push({ url, text: (await served.index.get(url))?.markdown ?? '' });
    found.push(judgeFound(question, pages));
  }
  return found;
}

/** Pages at even distances, each asked for by its title, which no other page has. */
function byTitle(pages: readonly Page[], count: number): OpenQuestion[] {
  const seen = new Map<string, number>();
  for (const { title } of pages) seen.set(title, (seen.get(title) ?? 0) + 1);
  const unique = pages.filter(
    ({ title }) => seen.get(title) === 1 && title.split(' ').length >= TITLE_WORDS_MIN,
  );
  return Array.from({ length: Math.min(count, unique.length) }, (_, number) => {
    const { title = '', url = '' } = unique[Math.floor((number * unique.length) / count)] ?? {};
    return { question: title, answer: '', urls: [url] };
  });
}

function report(name: string, found: Found[]): void {
  const percent = (share: number): string => `${(share * 100).toFixed(1)} %`;
  const withSource = found.filter(({ question }) => question.urls.length > 0);
  console.log(`${name}: ${found.length} asked, ${withSource.length} with the addresses of their sources`);
  for (const rank of RANKS)
    console.log(
      `  in the first ${String(rank).padStart(2)}: a source ${percent(shareWithin(withSource, 'source', rank))}, a page that says the answer ${percent(shareWithin(found, 'answer', rank))}`,
    );
  if (!values.misses) return;
  for (const { question, source, answer } of found)
    if (source === null && answer === null)
      console.log(`  not found: ${question.question} (${question.answer})`);
}
