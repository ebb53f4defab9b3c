import { join } from 'node:path';
import { createRandom } from '../../bench/search/random.ts';
import { readJsonLines } from '../../bench/search/read-json-lines.ts';
import type { AnswerPage } from '../../src/text/answer/candidates.ts';
import { openParagraphs } from './paragraphs.ts';

/**
 * A question for pages. `golds` are the places of its answers, as offsets in the page's Markdown; empty if the pages do not
 * answer it. Cases of one article share a `group`.
 */
export type AnswerCase = {
  query: string;
  pages: AnswerPage[];
  golds: { url: string; start: number; end: number }[];
  group: string;
};

/** Cases of one kind: questions that the pages answer, do not answer, or that are unrelated to them. */
export type CaseSet = { name: string; kind: 'answerable' | 'unanswerable' | 'foreign'; cases: AnswerCase[] };

type RawPage = { page_id: string; title: string; paragraphs: string[] };
type RawQuestion = {
  id: string;
  page_id: string;
  question: string;
  answers: { text: string; para: number; start: number }[];
  lang?: string;
};

/** The languages of xquad besides English, and the step between its questions that are used. */
export const XQUAD_LANGUAGES = ['ar', 'de', 'el', 'es', 'hi', 'ro', 'ru', 'th', 'tr', 'vi', 'zh'];
export const XQUAD_EVERY = 4;

const NEIGHBOURS = 4;
const BETWEEN = '\n\n';

/** Whole encyclopedia articles, each with questions that its paragraphs answer, that they only seem to answer, and that another article answers. */
export function squadSets(data: string, name = 'squad2_dev_half', language = 'en'): CaseSet[] {
  const { pages, questions } = readSet(data, name, language);
  const random = createRandom(11);
  const others = [...pages.keys()];
  const own = questions.map((question) => caseOf(question, [question.page_id], { pages, language }));
  const answerable = own.filter(({ golds }) => golds.length > 0);
  const foreign = questions
    .filter(({ answers }) => answers.length > 0)
    .map((question) => {
      const rest = others.filter((id) => id !== question.page_id);
      return caseOf(question, [rest[random(rest.length)] ?? ''], { pages, language });
    });
  const label = name === 'xquad' ? `xquad ${language}` : name;
  return [
    { name: label, kind: 'answerable', cases: answerable },
    { name: label, kind: 'foreign', cases: foreign },
    { name: label, kind: 'unanswerable', cases: own.filter(({ golds }) => golds.length === 0) },
  ];
}

/** Queries of a search engine with the paragraph that answers each: alone, among the most similar ones, and others only. */
export function qedSets(data: string): CaseSet[] {
  const { pages, questions } = readSet(data, 'qed_train', 'en');
  const random = createRandom(12);
  const ids = [...pages.keys()];
  const alike = openParagraphs([...pages.values()].map(({ paragraphs }) => paragraphs.join(BETWEEN)));
  const make = (question: RawQuestion, of: string[]): AnswerCase =>
    caseOf(question, of, { pages, language: 'en' });
  const among = questions.map((question) => {
    const best = alike.best(question.question, NEIGHBOURS + 1).map(({ place }) => ids[place] ?? '');
    const near = best.filter((id) => id !== question.page_id).slice(0, NEIGHBOURS);
    // At the place a search would have given it: first, unless another is more like the question.
    return make(
      question,
      best[0] === question.page_id ? [question.page_id, ...near] : [...near, question.page_id],
    );
  });
  const foreign = questions.map((question) => make(question, [otherOf(ids, question.page_id, random)]));
  return [
    { name: 'qed_train alone', kind: 'answerable', cases: questions.map((one) => make(one, [one.page_id])) },
    { name: 'qed_train among 5', kind: 'answerable', cases: among },
    { name: 'qed_train', kind: 'foreign', cases: foreign },
  ];
}

function otherOf(ids: string[], own: string, random: (below: number) => number): string {
  for (;;) {
    const id = ids[random(ids.length)];
    if (id !== undefined && id !== own) return id;
  }
}

function readSet(
  data: string,
  name: string,
  language: string,
): { pages: Map<string, RawPage>; questions: RawQuestion[] } {
  const questions = readJsonLines<RawQuestion>(join(data, name, 'questions.jsonl.gz')).filter(
    ({ lang = 'en' }) => lang === language,
  );
  const asked = new Set(questions.map(({ page_id }) => page_id));
  const pages = readJsonLines<RawPage>(join(data, name, 'pages.jsonl.gz')).filter(({ page_id }) =>
    asked.has(page_id),
  );
  return { pages: new Map(pages.map((page) => [page.page_id, page])), questions };
}

function caseOf(
  { question, answers, page_id }: RawQuestion,
  ids: string[],
  { pages, language }: { pages: Map<string, RawPage>; language: string },
): AnswerCase {
  const chosen = ids.flatMap((id) => pages.get(id) ?? []);
  const own = pages.get(page_id);
  const holds = own !== undefined && ids.includes(page_id);
  return {
    query: question,
    pages: chosen.map((page) => pageOf(page, language)),
    golds: holds ? answers.map(({ text, para, start }) => goldOf(own, { text, para, start })) : [],
    group: own?.title ?? page_id,
  };
}

const urlOf = ({ page_id }: RawPage): string => `https://page${page_id.replace(/[^\w]/g, 'm')}.example/`;

function pageOf(page: RawPage, language: string): AnswerPage {
  return {
    url: urlOf(page),
    title: page.title.replaceAll('_', ' '),
    markdown: page.paragraphs.join(BETWEEN),
    language,
  };
}

function goldOf(
  page: RawPage,
  { text, para, start }: { text: string; para: number; start: number },
): AnswerCase['golds'][number] {
  const before = page.paragraphs.slice(0, para).reduce((sum, one) => sum + one.length + BETWEEN.length, 0);
  return { url: urlOf(page), start: before + start, end: before + start + text.length };
}

/** Whether a quotation contains an answer at its place. */
export function isRight({ golds }: AnswerCase, quoted: { url: string; start: number; end: number }): boolean {
  return golds.some(
    ({ url, start, end }) => url === quoted.url && start >= quoted.start && end <= quoted.end,
  );
}
