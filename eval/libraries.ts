/**
 * Questions of agents about the libraries of test/fixtures/projects, asked over HTTP as `search_docs` asks them: is the passage that
 * answers in the answer? 100 questions, 55 with identifiers, errors or pasted code, were written before any result was looked at; the
 * phrase that an answer must have was then checked against the pages that are held, never against what was found. Half of the libraries
 * are held out: nothing is fitted to them.
 *
 * Beside it, over the same pages: plain FTS5 over their sections, and grep by the word that a person would take, with lines around it.
 *
 *   npm run check:registries -- --keep <folder>
 *   npm run eval:libraries -- --kept <folder> [--misses] [--only <part of a question or library>]
 *
 * `--misses` shows what was given where it was wrong.
 */
import { parseArgs } from 'node:util';
import { readJsonLines } from '../bench/search/read-json-lines.ts';
import { CHARS_PER_TOKEN } from '../src/contract/limits.ts';
import type { IndexedPage } from '../src/index/local-index-types.ts';
import { grepLines, openPlainSections, type PlainSections } from './libraries/baselines.ts';
import { post, serveIndex } from './ranking/served-index.ts';

type Question = {
  /** `ecosystem:name`. */
  library: string;
  set: 'fit' | 'held';
  code: boolean;
  question: string;
  /** A regular expression over shown text; no case. */
  gold: string;
  /** What a person would grep for. */
  word: string;
};

type Passage = { title: string; markdown: string; kind?: string; url: string };

const SHOWN_CHARS = 200;
/** Tokens of one answer, and those of three. */
const TOKENS = { one: 2_000, three: 6_000 };
const METHODS = ['search_docs', 'FTS5', 'grep'] as const;
type Method = (typeof METHODS)[number];
/** `first`, `firstThree`: among the first passages of one answer; `one`, `three`: anywhere in one answer, in the tokens of three. */
type Judged = { first: boolean; firstThree: boolean; one: boolean; three: boolean; tokens: number };
type Row = { question: Question; given: Record<Method, Judged>; passages: Passage[]; held: number };

const { values } = parseArgs({
  options: {
    kept: { type: 'string' },
    misses: { type: 'boolean', default: false },
    only: { type: 'string' },
  },
});
if (values.kept === undefined)
  throw new Error('--kept names the folder of npm run check:registries -- --keep');
const served = await serveIndex(values.kept);
try {
  const pages = Map.groupBy(await served.readPages(), ({ library }) =>
    stripVersion(library?.versions[0] ?? ''),
  );
  const rows: Row[] = [];
  for (const question of readQuestions(values.only))
    rows.push(await askAll(served.address, question, pages.get(question.library) ?? []));
  printMissing(rows);
  for (const set of ['fit', 'held', 'all'] as const) printSet(set, rows);
  if (values.misses) for (const row of rows) if (!row.given.search_docs.one) printMiss(row);
} finally {
  await served.close();
}

function readQuestions(only = ''): Question[] {
  const all = readJsonLines<Question>('eval/libraries/questions.jsonl');
  return all.filter(({ library, question }) => `${library} ${question}`.includes(only));
}

/** Markdown without the marks that a phrase may have within it. Brackets stay, because phrases are code too. */
function shownText(markdown: string): string {
  return markdown.replace(/[`*\\]/g, '').replace(/\s+/g, ' ');
}

function stripVersion(version: string): string {
  return version.slice(0, version.lastIndexOf('@'));
}

async function askAll(address: string, question: Question, pages: IndexedPage[]): Promise<Row> {
  const gold = new RegExp(question.gold, 'i');
  const ask = async (tokens: number): Promise<Passage[]> => {
    const body = { question: question.question, library: question.library, tokens };
    return (await post<{ passages: Passage[] }>(`${address}/v1/libraries/search`, body)).passages;
  };
  const passages = await ask(TOKENS.one);
  const plain: PlainSections = openPlainSections(pages);
  const judgeTexts = (one: string[], three: string[]): Judged => {
    const right = one.map((text) => gold.test(shownText(text)));
    return {
      first: right[0] === true,
      firstThree: right.slice(0, 3).includes(true),
      one: right.includes(true),
      three: three.some((text) => gold.test(shownText(text))),
      tokens: Math.ceil(one.join('\n\n').length / CHARS_PER_TOKEN),
    };
  };
  const textsOf = (list: Passage[]): string[] => list.map(({ title, markdown }) => `${title}\n${markdown}`);
  const findPlain = (tokens: number): string[] => plain.find(question.question, tokens * CHARS_PER_TOKEN);
  const grep = (tokens: number): string[] => grepLines(pages, question.word, tokens * CHARS_PER_TOKEN);
  const given = {
    search_docs: judgeTexts(textsOf(passages), textsOf(await ask(TOKENS.three))),
    FTS5: judgeTexts(findPlain(TOKENS.one), findPlain(TOKENS.three)),
    grep: judgeTexts(grep(TOKENS.one), grep(TOKENS.three)),
  };
  plain.close();
  const held = pages.filter(({ title, markdown }) => gold.test(shownText(`${title}\n${markdown}`))).length;
  return { question, given, passages, held };
}

/** Questions that nothing of what is held answers: no method can be right. */
function printMissing(rows: Row[]): void {
  for (const { question, held } of rows)
    if (held === 0) console.log(`held nowhere: ${question.library}: ${question.gold}`);
}

function printSet(set: 'fit' | 'held' | 'all', all: Row[]): void {
  const rows = all.filter(({ question }) => set === 'all' || question.set === set);
  const parts: [string, Row[]][] = [
    ['all', rows],
    ['with code', rows.filter(({ question }) => question.code)],
    ['words', rows.filter(({ question }) => !question.code)],
  ];
  console.log(`\n${set}`.padEnd(14), 'questions  1st passage  in 3  one answer  three  tokens (median)');
  for (const [part, own] of parts)
    for (const method of METHODS) {
      const judged = own.map(({ given }) => given[method]);
      const share = (name: Exclude<keyof Judged, 'tokens'>): string =>
        `${((100 * judged.filter((one) => one[name]).length) / judged.length).toFixed(0)} %`;
      const tokens = judged.map((one) => one.tokens).sort((one, other) => one - other);
      console.log(
        `${method} ${part}`.padEnd(22),
        String(own.length).padStart(3),
        share('first').padStart(12),
        share('firstThree').padStart(6),
        share('one').padStart(10),
        share('three').padStart(7),
        String(tokens[Math.floor(tokens.length / 2)] ?? 0).padStart(8),
      );
    }
}

function printMiss({ question, passages, held }: Row): void {
  console.log(
    `\n${question.set} ${question.library} (${held} pages have it)\n  ${question.question}\n  gold: ${question.gold}`,
  );
  for (const { kind, title, url, markdown } of passages)
    console.log(
      `    ${kind} | ${title} | ${url.slice(-60)}\n      ${shownText(markdown).slice(0, SHOWN_CHARS)}`,
    );
}
