/**
 * How well a search ranks, as it is served: each set of questions is asked over HTTP with default settings, and beside it of the
 * same index inside this process, and of plain FTS5 bm25() over the same text.
 * The run fails if what is served differs from the index inside by more than a point in any measure.
 *
 *   npm run eval:ranking -- [--sets collections,known-item,known-item-tuned,unseen,further,code] [--docs <folder>[,<another>]]
 *     [--every <n>] [--vectors] [--misses] [--unread] [--kept <folder>]
 *
 * Weights were chosen on every other query of a collection (`tuned`) and on the SQLite and Django manuals, and one threshold on `unseen`. `--every`: only each nth
 * question, for a short run. `--vectors`: pages are found
 * by their meaning too. `--misses` shows questions whose right page is not first and irrelevant results, `--unread` results that nobody has judged. `--kept`
 * keeps the indexes in a folder, so that the next run only asks.
 */
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { openPlainIndex } from '../bench/known-item/plain-index.ts';
import { recordClaim } from './evaluated-claims.ts';
import { computeNdcg } from './ranking/ndcg.ts';
import { type AskedIndex, type Places, QUESTION_SETS, type Question } from './ranking/question-sets.ts';
import { compareShares, type GivenResult, importPages, RESULTS, serveIndex } from './ranking/served-index.ts';

const ENGINES = ['as served', 'inside', 'FTS5'] as const;
type Engine = (typeof ENGINES)[number];
type Answer = { part: string; question: Question; given: Map<Engine, GivenResult[]> };
type Figures = { count: number; shares: Record<string, number>; irrelevant: string };

const FITTED: Record<string, string> = {
  'known-item': 'nothing',
  'known-item-tuned': 'weights',
  unseen: 'one threshold',
  further: 'nothing',
  code: 'nothing',
};
const IN_FIVE = 5;
/** Results that a caller looks at first. */
const FIRST = 3;

const { values } = parseArgs({
  options: {
    sets: { type: 'string', default: 'collections' },
    docs: { type: 'string', default: '/usr/share/doc' },
    kept: { type: 'string' },
    vectors: { type: 'boolean', default: false },
    every: { type: 'string', default: '1' },
    misses: { type: 'boolean', default: false },
    unread: { type: 'boolean', default: false },
  },
});
const places: Places = {
  docs: values.docs.split(','),
  data: process.env.EVAL_DATA ?? resolve(import.meta.dirname, '../../shared/data'),
};
const folder = values.kept ?? mkdtempSync(join(tmpdir(), 'eval-ranking-'));
try {
  for (const name of values.sets.split(',')) {
    const readSets = QUESTION_SETS[name];
    if (readSets === undefined) throw new Error(`no set ${name}: ${Object.keys(QUESTION_SETS).join(', ')}`);
    for (const set of readSets(places)) {
      const answers: Answer[] = [];
      for (const [place, index] of set.indexes.entries())
        answers.push(...(await askIndex(index, join(folder, `${set.name}-${place}`))));
      report(set.name, answers);
      recordClaims(set.name, answers, FITTED[name] ?? 'weights, every other query');
    }
  }
} finally {
  if (values.kept === undefined) rmSync(folder, { recursive: true, force: true });
}

async function askIndex({ pages, questions }: AskedIndex, dataDir: string): Promise<Answer[]> {
  const settings = values.vectors ? { VECTOR_RECALL: 'on' } : {};
  const complete = join(dataDir, 'complete');
  if (!existsSync(complete)) {
    mkdirSync(dataDir, { recursive: true });
    await importPages(dataDir, pages, settings);
    writeFileSync(complete, '');
  }
  const served = await serveIndex(dataDir, settings);
  const plain = openPlainIndex(await served.readPages());
  const unmarked = (urls: string[]): GivenResult[] => urls.map((url) => ({ url, isWeak: false }));
  try {
    const answers: Answer[] = [];
    for (const { part, question } of questions.filter((_, at) => at % Number(values.every) === 0)) {
      const { text } = question;
      const given = new Map<Engine, GivenResult[]>([
        ['as served', await served.search(text)],
        ['inside', await served.searchInside(text)],
        ['FTS5', unmarked(plain.find(text, RESULTS))],
      ]);
      answers.push({ part, question, given });
    }
    return answers;
  } finally {
    plain.close();
    await served.close();
  }
}

function report(name: string, answers: readonly Answer[]): void {
  const answerable = answers.filter(({ question }) => question.relevant.size > 0);
  const parts = Map.groupBy(answerable, ({ part }) => part);
  console.log(
    `\n${name.padEnd(34)} questions nDCG@10    MRR  first   in 3   in 5  nothing given  irrelevant of the first ${FIRST}`,
  );
  for (const engine of ENGINES.filter((one) => answers[0]?.given.has(one) === true)) {
    if (parts.size > 1)
      for (const [part, some] of parts) print(`${part}, ${engine}`, figuresOf(some, engine));
    print(`all, ${engine}`, figuresOf(answerable, engine));
    printUnanswerable(
      engine,
      answers.filter(({ question }) => question.relevant.size === 0),
    );
  }
  const [served, inside] = [figuresOf(answerable, 'as served'), figuresOf(answerable, 'inside')];
  for (const [measured, share] of Object.entries(served.shares))
    compareShares(`${name}, ${measured}`, { served: share, inside: inside.shares[measured] ?? 0 });
  if (values.misses) for (const answer of answers) printMiss(answer);
  if (values.unread) for (const answer of answers) printUnread(answer);
}

/** Collections are judged by nDCG, questions by where their right page is. */
function recordClaims(set: string, answers: readonly Answer[], fitted: string): void {
  const answerable = answers.filter(({ question }) => question.relevant.size > 0);
  const measure = (engine: Engine, name: string): number[] =>
    answerable.map((answer) => figuresOf([answer], engine).shares[name] ?? 0);
  const isGraded = answerable.some(({ question }) => question.relevant.size > IN_FIVE);
  for (const name of isGraded ? ['nDCG@10'] : ['first', 'in 5']) {
    const plain = measure('FTS5', name);
    const rows = measure('as served', name).map((ours, at) => ({ ours, baseline: plain[at] ?? 0 }));
    const claim = name === 'nDCG@10' ? name : name === 'first' ? 'right page first' : 'right page in five';
    recordClaim({ claim, set, fitted, baseline: 'FTS5', rows });
  }
}

function figuresOf(answers: readonly Answer[], engine: Engine): Figures {
  const found = answers.map(({ question: { relevant }, given }) => {
    const grades = (given.get(engine) ?? []).map(({ url }) => relevant.get(url) ?? 0);
    const ndcg = computeNdcg(grades, [...relevant.values()]);
    return { grades, ndcg, rank: grades.findIndex((grade) => grade > 0) + 1 };
  });
  const mean = (value: (one: (typeof found)[number]) => number | boolean): number =>
    found.reduce((sum, one) => sum + Number(value(one)), 0) / Math.max(1, found.length);
  const within = (ranks: number): number => mean(({ rank }) => rank > 0 && rank <= ranks);
  return {
    count: answers.length,
    shares: {
      'nDCG@10': mean(({ ndcg }) => ndcg),
      'MRR@10': mean(({ rank }) => (rank === 0 ? 0 : 1 / rank)),
      first: within(1),
      'in 3': within(3),
      'in 5': within(5),
      'nothing given': mean(({ grades }) => grades.length === 0),
    },
    irrelevant: irrelevantOf(answers, engine),
  };
}

/** The unmarked results among the first that are not relevant, by eye. */
function irrelevantOf(answers: readonly Answer[], engine: Engine): string {
  if (answers.some(({ question }) => question.alsoRelevant === undefined)) return '';
  const judged = answers.flatMap((answer) => judgeFirst(answer, engine)).filter(({ isWeak }) => !isWeak);
  const irrelevant = judged.filter(({ isRelevant }) => !isRelevant).length;
  const unread = judged.filter(({ isRead }) => !isRead).length;
  const share = percent(irrelevant / Math.max(1, judged.length));
  return `${irrelevant} of ${judged.length} (${share} %)${unread === 0 ? '' : `, ${unread} unread`}`;
}

function judgeFirst({ question, given }: Answer, engine: Engine) {
  const { relevant, alsoRelevant, irrelevant } = question;
  return (given.get(engine) ?? []).slice(0, FIRST).map(({ url, isWeak }) => {
    const isRelevant = relevant.has(url) || alsoRelevant?.has(url) === true;
    return { url, isWeak, isRelevant, isRead: isRelevant || irrelevant === undefined || irrelevant.has(url) };
  });
}

function percent(share: number): string {
  return (100 * share).toFixed(1);
}

function print(what: string, { count, shares, irrelevant }: Figures): void {
  const cells = Object.values(shares).map((share) => percent(share).padStart(6));
  const nothing = cells.pop() ?? '';
  console.log(
    `${what.padEnd(34)} ${String(count).padStart(9)} ${cells.join(' ')} ${nothing.padStart(14)}  ${irrelevant}`,
  );
}

function printUnanswerable(engine: Engine, answers: readonly Answer[]): void {
  if (answers.length === 0) return;
  const isGiven = ({ given }: Answer): boolean => (given.get(engine) ?? []).some(({ isWeak }) => !isWeak);
  const count = answers.filter((answer) => isGiven(answer)).length;
  console.log(
    `${`no page answers, ${engine}`.padEnd(34)} ${String(answers.length).padStart(9)} ${count} of them with an unmarked result`,
  );
}

function printMiss({ part, question, given }: Answer): void {
  const served = given.get('as served') ?? [];
  for (const { url, isWeak, isRelevant } of judgeFirst({ part, question, given }, 'as served'))
    if (question.alsoRelevant !== undefined && !isWeak && !isRelevant)
      console.log(`  irrelevant: ${question.text} | ${shortUrl(url)}`);
  if (question.relevant.size === 0 || question.relevant.has(served[0]?.url ?? '')) return;
  const right = [...question.relevant.keys()].map(shortUrl).join(' ');
  const first = served.slice(0, FIRST).map(({ url, isWeak }) => `${shortUrl(url)}${isWeak ? ' (weak)' : ''}`);
  const place = served.findIndex(({ url }) => question.relevant.has(url));
  console.log(
    `  ${place === -1 ? '-' : place + 1} ${part}: ${question.text} | right ${right} | given ${first.join(' ')}`,
  );
}

function printUnread(answer: Answer): void {
  const unread = new Set(
    ENGINES.flatMap((engine) => judgeFirst(answer, engine)).flatMap(({ url, isRead }) =>
      isRead ? [] : [url],
    ),
  );
  for (const url of unread) console.log(`  unread: ${answer.question.text} | ${shortUrl(url)}`);
}

function shortUrl(url: string): string {
  return url.replace(/^https:\/\/([^/]+)\.example\//, '$1:');
}
