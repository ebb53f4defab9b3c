/**
 * The sets of questions that `eval/ranking.ts` asks, each with the pages to ask and the pages that answer: judged collections, the
 * entries of manuals' own indexes, questions over manuals that nothing was tuned on, and small mixed indexes with questions that
 * nothing answers.
 */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { readQueries } from '../../bench/known-item/queries.ts';
import { readCollection } from '../../bench/known-item/text-collections.ts';
import type { IndexedPage } from '../../src/index/local-index-types.ts';
import { everydayPage, fillerPages, manualPage } from '../junk/pages.ts';
import type { PageRecord } from './served-index.ts';

/** A question and the pages that answer it, by address, with their grades; none: no page does. */
export type Question = {
  text: string;
  relevant: Map<string, number>;
  /** Pages that someone read and called relevant, though they are not the answer. Absent where nobody judged what was given. */
  alsoRelevant?: ReadonlySet<string>;
  /** Pages that someone read and called irrelevant. Absent where every page that is not named as relevant is. */
  irrelevant?: ReadonlySet<string>;
};
/** One index and what is asked of it; `part`: of which line of the table the questions are. */
export type AskedIndex = { pages: PageRecord[]; questions: { part: string; question: Question }[] };
/** `hasCosine`: TF-IDF cosine is a baseline too. */
export type QuestionSet = { name: string; hasCosine: boolean; indexes: AskedIndex[] };

/** Where the data is: `docs` are folders like /usr/share/doc, `data` is the folder of collections. */
export type Places = { docs: string[]; data: string };

const MANUALS = {
  'known-item': {
    'python3.11-doc': 'python3.11/html',
    'postgresql-doc-15': 'postgresql-doc-15/html',
  },
  'known-item-tuned': { 'sqlite3-doc': 'sqlite3', 'python-django-doc': 'python-django-doc/html' },
  unseen: {
    beets: 'beets/html',
    mypy: 'mypy/html',
    icinga2: 'icinga2/markdown',
    openshot: 'openshot-qt/html',
  },
  further: { mkdocs: 'mkdocs/html' },
} satisfies Record<string, Record<string, string>>;

/** Pages of a manual that list words or names instead of saying something. */
const NO_TEXT = /(?:^|\/)(?:search|genindex)\.html$|_sources\//;
const JUNK_GROUPS = [1, 2, 3, 4, 5, 6];

/** The sets by their names on the command line. */
export const QUESTION_SETS: Record<string, (places: Places) => QuestionSet[]> = {
  collections: ({ data }) =>
    ['cranfield', 'cisi', 'med', 'npl', 'hotpotqa100'].map((name) => collectionSet(name, data)),
  'known-item': (places) => [knownItemSet('known-item', places)],
  'known-item-tuned': (places) => [knownItemSet('known-item-tuned', places)],
  unseen: ({ docs }) => [unseenSet('unseen', MANUALS.unseen, docs)],
  further: ({ docs }) => [unseenSet('further', { ...MANUALS.unseen, ...MANUALS.further }, docs)],
  junk: ({ docs }) => junkSets(docs),
};

function collectionSet(name: string, data: string): QuestionSet {
  const isBeir = name === 'hotpotqa100';
  const { pages, queries } = readCollection(isBeir ? join(data, name) : data, isBeir ? 'beir' : name);
  return {
    name,
    hasCosine: true,
    indexes: [
      {
        pages: pages.filter(({ markdown }) => markdown.trim() !== '').map(recordOf),
        questions: queries.map((question, place) => ({
          part: `${name} ${place % 2 === 0 ? 'tuned' : 'held out'}`,
          question,
        })),
      },
    ],
  };
}

function knownItemSet(set: 'known-item' | 'known-item-tuned', { docs, data }: Places): QuestionSet {
  const folders = Object.entries(MANUALS[set]);
  return {
    name: set,
    hasCosine: false,
    indexes: [
      {
        pages: folders.flatMap(([name, folder]) => readManual(findFolder(docs, folder), name)),
        questions: folders.flatMap(([name]) =>
          readQueries(data, name).map((question) => ({ part: name, question })),
        ),
      },
    ],
  };
}

/** The manuals of `further` were added after rules were chosen on those of `unseen`: its questions are asked of all of them. */
function unseenSet(name: 'unseen' | 'further', manuals: Record<string, string>, docs: string[]): QuestionSet {
  const lines = readFileSync(resolve(import.meta.dirname, 'unseen-questions.tsv'), 'utf8')
    .trim()
    .split('\n');
  return {
    name,
    hasCosine: false,
    indexes: [
      {
        pages: Object.entries(manuals).flatMap(([manual, folder]) =>
          readManual(findFolder(docs, folder), manual),
        ),
        questions: lines.slice(1).flatMap((line) => {
          const [manual = '', text = '', right = '', relevant = '', irrelevant = ''] = line.split('\t');
          const urls = (list: string): string[] =>
            list === ''
              ? []
              : list.split('|').map((path) => manualUrl(path.split(':')[0] ?? '', path.split(':')[1] ?? ''));
          if (manual in MANUALS.further !== (name === 'further')) return [];
          const own = right === '' ? [] : right.split('|').map((path) => manualUrl(manual, path));
          return {
            part: own.length > 0 ? manual : 'nothing answers',
            question: {
              text,
              relevant: new Map(own.map((url) => [url, 1])),
              alsoRelevant: new Set(urls(relevant)),
              irrelevant: new Set(urls(irrelevant)),
            },
          };
        }),
      },
    ],
  };
}

type JunkQueries = {
  documentation: Record<string, string[]>;
  queries: { group: number; query: string; right: string[] }[];
};

/** Indexes of 10 pages on mixed subjects, one of 100 and one of 1,000 that hold the pages of the smaller ones. */
function junkSets(docs: string[]): QuestionSet[] {
  const { documentation, queries }: JunkQueries = readJunk('queries.json');
  const judgements: { query: string; pages: string[] }[] = readJunk('judgements.json');
  const everyday: (Parameters<typeof everydayPage>[0] & { group: number })[] = readJunk('pages.json');
  const grouped = JUNK_GROUPS.map((group) => [
    ...everyday.filter((page) => page.group === group).map(everydayPage),
    ...(documentation[group] ?? []).map((path) => manualPage(findFolder(docs, path), path)),
  ]);
  const all = [...grouped.flat()];
  const filler = fillerPages(docs, new Set(all.map(({ url }) => url)));
  const indexOf = (pages: IndexedPage[], asked: JunkQueries['queries']): AskedIndex => ({
    pages: pages.map(recordOf),
    questions: asked.map(({ query, right }) => {
      const also = judgements.find((judgement) => judgement.query === query)?.pages ?? [];
      const urls = (parts: string[]): string[] =>
        pages
          .map(({ url }) => url)
          .filter((url) => parts.some((part) => url.replace('.example/', '/').includes(part)));
      return {
        part: right.length > 0 ? 'all' : 'nothing answers',
        question: {
          text: query,
          relevant: new Map(urls(right).map((url) => [url, 1])),
          alsoRelevant: new Set(urls(also)),
        },
      };
    }),
  });
  const small = JUNK_GROUPS.map((group, place) =>
    indexOf(
      grouped[place] ?? [],
      queries.filter((one) => one.group === group),
    ),
  );
  return [
    { name: '10 pages', hasCosine: false, indexes: small },
    ...[100, 1_000].map((size) => ({
      name: `${size} pages`,
      hasCosine: false,
      indexes: [indexOf([...all, ...filler].slice(0, size), queries)],
    })),
  ];
}

function readJunk<T>(name: string): T {
  return JSON.parse(readFileSync(resolve(import.meta.dirname, '../junk', name), 'utf8')) as T;
}

function findFolder(docs: readonly string[], folder: string): string {
  const found = docs.map((each) => join(each, folder)).find(existsSync);
  if (found === undefined) throw new Error(`no ${folder} in ${docs.join()}`);
  return found;
}

/** The address under which a page of a manual is imported. */
const manualUrl = (name: string, path: string): string => `https://${name}.example/${path}`;

/** Every HTML or Markdown file of a manual; Debian compresses long Markdown. */
function readManual(folder: string, name: string): PageRecord[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((file) => /\.(?:html|md(?:\.gz)?)$/.test(file) && !NO_TEXT.test(file))
    .sort()
    .map((file) => {
      const bytes = readFileSync(join(folder, file));
      const text = (file.endsWith('.gz') ? gunzipSync(bytes) : bytes).toString();
      const url = manualUrl(name, file.replace(/\.gz$/, ''));
      return url.endsWith('.md') ? { url, markdown: text } : { url, html: text };
    });
}

const recordOf = ({ url, title, markdown, language }: IndexedPage): PageRecord => ({
  url,
  title,
  markdown,
  language,
});
