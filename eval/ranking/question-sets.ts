/**
 * The sets of questions that `eval/ranking.ts` asks, each with the pages to ask and the pages that answer: judged collections, the
 * entries of manuals' own indexes, and questions over manuals that nothing was tuned on.
 */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { readQueries } from '../../bench/known-item/queries.ts';
import { readCollection } from '../../bench/known-item/text-collections.ts';
import type { IndexedPage } from '../../src/index/local-index-types.ts';
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
export type QuestionSet = { name: string; indexes: AskedIndex[] };

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
/** The interface takes no longer queries. */
const QUERY_CHARS_MAX = 2_000;

/** The sets by their names on the command line. */
export const QUESTION_SETS: Record<string, (places: Places) => QuestionSet[]> = {
  collections: ({ data }) =>
    ['cranfield', 'cisi', 'med', 'npl', 'hotpotqa100'].map((name) => collectionSet(name, data)),
  'known-item': (places) => [knownItemSet('known-item', places)],
  'known-item-tuned': (places) => [knownItemSet('known-item-tuned', places)],
  unseen: ({ docs }) => [unseenSet('unseen', MANUALS.unseen, docs)],
  further: ({ docs }) => [unseenSet('further', { ...MANUALS.unseen, ...MANUALS.further }, docs)],
  code: ({ data }) => [codeSet(join(data, 'devdocs_ds1000'))],
};

function collectionSet(name: string, data: string): QuestionSet {
  const isBeir = name === 'hotpotqa100';
  const { pages, queries } = readCollection(isBeir ? join(data, name) : data, isBeir ? 'beir' : name);
  return {
    name,
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

/** Questions as developers posted them, with code and data, over the manuals of four libraries. */
function codeSet(folder: string): QuestionSet {
  const read = <Row>(name: string): Row[] =>
    gunzipSync(readFileSync(join(folder, name)))
      .toString()
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as Row);
  const pages = read<{ id: string; url: string; html: string }>('pages.jsonl.gz');
  const urls = new Map(pages.map(({ id, url }) => [id, url]));
  const questions = read<{ question: string; pages: string[] }>('questions.jsonl.gz');
  return {
    name: 'code',
    indexes: [
      {
        pages: pages.map(({ url, html }) => ({ url, html })),
        questions: questions.map(({ question: text, pages: ids }) => ({
          part: 'all',
          question: {
            text: text.slice(0, QUERY_CHARS_MAX),
            relevant: new Map(ids.map((id) => [urls.get(id) ?? id, 1])),
          },
        })),
      },
    ],
  };
}

/** Finds a folder below one of `docs`; throws if it is in none. */
export function findFolder(docs: readonly string[], folder: string): string {
  const found = docs.map((each) => join(each, folder)).find(existsSync);
  if (found === undefined) throw new Error(`no ${folder} in ${docs.join()}`);
  return found;
}

/** The address under which a page of a manual is imported. */
const manualUrl = (name: string, path: string): string => `https://${name}.example/${path}`;

/** Reads every HTML or Markdown file of a manual; Debian compresses long Markdown. */
export function readManual(folder: string, name: string): PageRecord[] {
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
