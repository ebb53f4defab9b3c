import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { readCollection } from '../../bench/known-item/text-collections.ts';
import { readJsonLines } from '../../bench/search/read-json-lines.ts';
import { createTextPage } from '../../bench/search/text-page.ts';
import { openIndexReader } from '../../src/index/index-reader.ts';
import { createLocalIndex } from '../../src/index/local-index.ts';
import type { IndexedPage } from '../../src/index/local-index-types.ts';
import { collectResultEvidence } from '../../src/index/results/judge-results.ts';
import { createLog } from '../../src/platform/log.ts';
import { NO_FILTERS } from '../../src/text/query/filters.ts';
import { readQuery } from '../../src/text/query/read-query.ts';
import type { PageEvidence } from '../../src/text/scoring/page-evidence.ts';
import { answerQuestionsOf, hostOf, type ManualQuestion, questionsOf, readManuals } from './manuals.ts';

/** A page that was judged for a query; `grade` 0: not relevant. `isNear`: of the same manual as a right page, which nobody judged. */
export type JudgedPage = { evidence: PageEvidence; grade: number; isNear: boolean };
/** `grades`: of all pages that are relevant, found or not. `isTuned`: weights may be fitted on it. */
/** `shown`: the same judged by what a source would show of its first results. */
export type JudgedQuery = {
  text: string;
  pages: JudgedPage[];
  shown: JudgedPage[];
  grades: number[];
  isTuned: boolean;
};
/** `family`: sets that share pages or questions, left out together. */
export type JudgedSet = {
  name: string;
  family: string;
  use: { order: number; relevance: number };
  queries: JudgedQuery[];
};

const JUDGED = 50;
/** A source returns so many. */
const RESULTS = 20;
const BATCH = 100;
const QUESTIONS = { fitting: 600, foreign: 400, pages: 3_000 };

const COLLECTIONS = ['cranfield', 'cisi', 'med', 'npl', 'hotpotqa100'] as const;

/** Manuals whose questions fit weights; those of `eval:manuals` are not among them. */
const FITTED = [
  ...[
    'cmake-data/html',
    'debian-handbook/html/en-US',
    'debian-policy',
    'exim4-doc-html/spec_html',
    'git-doc',
  ],
  ...['libvirt-doc/html', 'octave/octave.html', 'postfix/html', 'python-celery-doc/html'],
  ...['python-flask-doc/html', 'valgrind/html', 'varnish/html', 'zsh-doc/html'],
];
const ANSWERS: Record<string, string> = {
  'git-doc': 'git-doc',
  'postfix-doc': 'postfix/html',
  'python-celery-doc': 'python-celery-doc/html',
  'python-flask-doc': 'python-flask-doc/html',
  valgrind: 'valgrind/html',
  'varnish-doc': 'varnish/html',
};
/** Further manuals, whose questions are in a file of their own: for relevance, and to check the order, which gains nothing by them. */
const TRAINING = questionsOf('training-questions.tsv');

/** Manuals that only check what was fitted. */
const CHECKED = [
  ...['fish', 'borgbackup', 'python-psycopg2-doc', 'python-pytest-doc', 'python-tornado-doc'],
  ...['python-aiohttp-doc', 'abs-guide', 'php-twig', 'shorewall-doc'],
];

type Places = { data: string; docs: string[]; kept: string };

/** Reads all sets, by the index itself; index files are made in `kept` unless they are there. */
export async function readSets(places: Places): Promise<JudgedSet[]> {
  const manuals = await indexOf(places, 'manuals', () => readManuals(places.docs, FITTED));
  const checked = await indexOf(places, 'checked', () => readManuals(places.docs, CHECKED));
  const folders = [...new Set(TRAINING.map(({ folder }) => folder))];
  const training = await indexOf(places, 'training', () => readManuals(places.docs, folders));
  const own = questionsOf('manual-questions.tsv');
  const answers = Object.entries(ANSWERS).flatMap(([name, folder]) => answerQuestionsOf(name, folder));
  const heldOut = questionsOf('held-out-questions.tsv');
  const sets = [
    ...(await Promise.all(COLLECTIONS.map((name) => collectionSet(places, name)))),
    manualSet('own, in its manual', { path: manuals, questions: own, isWithin: true }),
    manualSet('own, mixed', { path: manuals, questions: own, isWithin: false }),
    manualSet('answers, in its manual', { path: manuals, questions: answers, isWithin: true }),
    manualSet('answers, mixed', { path: manuals, questions: answers, isWithin: false }),
    manualSet('further, in its manual', { path: training, questions: TRAINING, isWithin: true }),
    manualSet('further, mixed', { path: training, questions: TRAINING, isWithin: false }),
    ...(await questionSets(places, manuals)),
    checkOnly(manualSet('held out, in its manual', { path: checked, questions: heldOut, isWithin: true })),
    checkOnly(manualSet('held out, mixed', { path: checked, questions: heldOut, isWithin: false })),
  ];
  return [...sets, ...sets.filter(({ name }) => name.endsWith(MIXED)).map(withoutManual)];
}

/** How the names of sets end that ask an index of several manuals, and of those from which the right manual was taken away. */
export const MIXED = ', mixed';
export const WITHOUT = ', without its manual';

/** The same questions where nothing answers them, though there are pages about something near. */
const withoutManual = (set: JudgedSet): JudgedSet => ({
  ...set,
  name: set.name.replace(MIXED, WITHOUT),
  use: { order: 0, relevance: set.use.relevance / 2 },
  queries: set.queries.map((query) => ({
    ...query,
    pages: query.pages.filter(({ grade, isNear }) => grade === 0 && !isNear),
    shown: query.shown.filter(({ grade, isNear }) => grade === 0 && !isNear),
    grades: [],
  })),
});

const checkOnly = (set: JudgedSet): JudgedSet => ({
  ...set,
  family: 'held out',
  use: { order: 0, relevance: 0 },
  queries: set.queries.map((query) => ({ ...query, isTuned: false })),
});

async function collectionSet(places: Places, name: (typeof COLLECTIONS)[number]): Promise<JudgedSet> {
  const { pages, queries } =
    name === 'hotpotqa100'
      ? readCollection(join(places.data, name), 'beir')
      : readCollection(places.data, name);
  const ask = asking(await indexOf(places, name, () => pages));
  return {
    name,
    family: name,
    use: { order: name === 'hotpotqa100' ? 0.7 : 1, relevance: 0.3 },
    queries: queries.map(({ text, relevant }, place) => ({
      text,
      grades: [...relevant.values()],
      isTuned: place % 2 === 0,
      ...ask(text, [], (url) => ({ grade: relevant.get(url) ?? 0, isNear: false })),
    })),
  };
}

type Asked = { path: string; questions: ManualQuestion[]; isWithin: boolean };

function manualSet(name: string, { path, questions, isWithin }: Asked): JudgedSet {
  const ask = asking(path);
  const relevance = isWithin ? 0 : name.startsWith('answers') ? 2 : 3;
  const isFurther = name.startsWith('further');
  const order = isFurther ? 0 : isWithin ? 1 : 0.5;
  return {
    name,
    family: isFurther ? 'further manuals' : 'manuals',
    use: { order, relevance },
    queries: questions.map(({ folder, question, right }) => {
      const host = hostOf(folder);
      const judged = ask(question, isWithin ? [host] : [], (url) => {
        const isNear = new URL(url).hostname === host;
        const isRight = isNear && right.some((part) => url.includes(part));
        return { grade: isRight ? 1 : 0, isNear: isNear && !isRight };
      });
      return { text: question, ...judged, grades: [1], isTuned: true };
    }),
  };
}

/** Real questions over paragraphs of encyclopaedia articles, and others over manuals, where nothing answers them. */
async function questionSets(places: Places, manuals: string): Promise<JudgedSet[]> {
  const folder = join(places.data, 'qed_train');
  const pages = readJsonLines<{ page_id: string; title: string; paragraphs: string[] }>(
    join(folder, 'pages.jsonl.gz'),
  ).slice(0, QUESTIONS.pages);
  const asked = readJsonLines<{ page_id: string; question: string }>(join(folder, 'questions.jsonl.gz'));
  const questions = new Map(asked.map((one) => [one.page_id, one.question]));
  const titles = new Map(pages.map(({ page_id: id, title }) => [urlOf(id), title]));
  const path = await indexOf(places, 'qed', () =>
    pages.map(({ page_id: id, title, paragraphs }) =>
      createTextPage({ url: urlOf(id), title, markdown: paragraphs.join('\n\n') }),
    ),
  );
  const [ask, askManuals] = [asking(path), asking(manuals)];
  const fitting = pages.slice(0, QUESTIONS.fitting).flatMap(({ page_id: id, title }): JudgedQuery[] => {
    const text = questions.get(id);
    if (text === undefined) return [];
    const judged = ask(text, [], (url) =>
      url !== urlOf(id) && titles.get(url) === title
        ? null
        : { grade: url === urlOf(id) ? 1 : 0, isNear: false },
    );
    return [{ text, ...judged, grades: [1], isTuned: true }];
  });
  const rest = pages.slice(QUESTIONS.fitting, QUESTIONS.fitting + QUESTIONS.foreign);
  const foreign = rest.flatMap(({ page_id: id }): JudgedQuery[] => {
    const text = questions.get(id);
    if (text === undefined) return [];
    const judged = askManuals(text, [], () => ({ grade: 0, isNear: false }));
    return [{ text, ...judged, grades: [], isTuned: true }];
  });
  return [
    { name: 'qed_train', family: 'qed', use: { order: 0, relevance: 1.5 }, queries: fitting },
    { name: 'foreign', family: 'qed', use: { order: 0, relevance: 1.5 }, queries: foreign },
  ];
}

const urlOf = (id: string): string => `https://qed.example/${id}`;

/** `grade`: null for a page that is left out. */
type Ask = (
  text: string,
  includeDomains: string[],
  grade: (url: string) => Omit<JudgedPage, 'evidence'> | null,
) => Pick<JudgedQuery, 'pages' | 'shown'>;

function asking(path: string): Ask {
  const reader = openIndexReader({ path });
  return (text, includeDomains, grade) => {
    const query = { ...NO_FILTERS, query: readQuery(text), limit: JUDGED, includeDomains };
    const graded = ({ url, evidence }: { url: string; evidence: PageEvidence | null }): JudgedPage[] => {
      const judged = grade(url);
      return judged === null || evidence === null ? [] : [{ ...judged, evidence }];
    };
    const found = reader.search({ ...query, limit: RESULTS });
    const seen = collectResultEvidence(query.query, found);
    return {
      pages: reader.evidence(query).flatMap(graded),
      shown: found.flatMap(({ url }, place) => graded({ url, evidence: seen[place] ?? null })),
    };
  };
}

/** The path of an index file with these pages. */
async function indexOf({ kept }: Places, name: string, read: () => Iterable<IndexedPage>): Promise<string> {
  const path = join(kept, `${name}.db`);
  if (existsSync(path)) return path;
  const index = await createLocalIndex({ path, log: createLog('warn') });
  let batch: IndexedPage[] = [];
  for (const page of read()) {
    batch.push(page);
    if (batch.length < BATCH) continue;
    await index.put(batch);
    batch = [];
  }
  await index.put(batch);
  await index.close();
  return path;
}
