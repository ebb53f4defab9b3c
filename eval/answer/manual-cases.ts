import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { extractPage } from '../../src/pages/extract-task.ts';
import type { AnswerPage } from '../../src/text/answer/candidates.ts';
import { chunkMarkdown } from '../../src/text/chunk/chunk-markdown.ts';
import { technicalQuestions } from '../passages/technical-questions.ts';
import type { AnswerCase, CaseSet } from './answer-cases.ts';
import { readManualQuestions } from './manual-questions.ts';
import { openParagraphs } from './paragraphs.ts';
import { placesOfText } from './places-of-text.ts';

/** Manuals of Debian packages below `usr/share/doc`. The weights never see the questions of those marked `isJudged`. */
const MANUALS: { name: string; folder: string; isJudged?: true }[] = [
  { name: 'debian-faq-ja', folder: 'debian/FAQ/ja' },
  { name: 'debian-faq-ko', folder: 'debian/FAQ/ko', isJudged: true },
  { name: 'debian-faq-zh-cn', folder: 'debian/FAQ/zh-cn', isJudged: true },
  { name: 'git-doc', folder: 'git-doc' },
  { name: 'postfix-doc', folder: 'postfix/html', isJudged: true },
  { name: 'postgresql-doc-15', folder: 'postgresql-doc-15/html', isJudged: true },
  { name: 'python-celery-doc', folder: 'python-celery-doc/html' },
  { name: 'python-django-doc', folder: 'python-django-doc/html', isJudged: true },
  { name: 'python-flask-doc', folder: 'python-flask-doc/html' },
  { name: 'python3.11-doc', folder: 'python3.11/html' },
  { name: 'sqlite3-doc', folder: 'sqlite3' },
  { name: 'valgrind', folder: 'valgrind/html', isJudged: true },
  { name: 'varnish-doc', folder: 'varnish/html' },
];

/** As many pages as a search reads for its answer. */
const PAGES = 5;
/** A shorter answer counts on its own page only: elsewhere the same few words may answer something else. */
const ANYWHERE_CHARS_MIN = 15;
const NO_PAGES = /(?:^|\/)(?:genindex|search|py-modindex|contents)[^/]*\.html$|(?:^|\/)_/;
const BYTES_MAX = 1_500_000;
/** A folder may hold a link to itself. */
const DEPTH_MAX = 8;
/** Besides its own page a technical question is asked of so many pages of its manual. */
const OTHER_PAGES = { countMax: 6, bytesMax: 150_000 };

type Asked = { page: string; kind: string; question: string; answers: string[] };
type ManualSet = CaseSet & { isJudged: boolean };

/**
 * Questions in a developer's words over manuals, each asked of the five pages that plain BM25 over chunks ranks first. `roots` are
 * folders like `/usr/share/doc`; a manual that is in none of them is left out. `kept` is a folder for extracted pages.
 */
export function manualSets(roots: string[], kept: string): ManualSet[] {
  const manuals = MANUALS.flatMap(({ name, folder, isJudged = false }) => {
    const root = roots.map((one) => join(one, folder)).find((one) => existsSync(one));
    if (root === undefined) return [];
    const cases = casesOf({ name, asked: readManualQuestions(name) }, pagesOf(name, root, kept), kept);
    const common = { name, isJudged };
    return [
      { ...common, kind: 'answerable' as const, cases: cases.filter(({ isAnswered }) => isAnswered) },
      { ...common, kind: 'unanswerable' as const, cases: cases.filter(({ isAnswered }) => !isAnswered) },
    ];
  });
  return [...manuals, ...technicalSets(roots, kept)];
}

/** The technical questions, each asked of its page and of others of its manual. */
function technicalSets(roots: string[], kept: string): ManualSet[] {
  const { questions, heldOut } = technicalQuestions(roots);
  return [...new Set(questions.map(({ manual }) => manual))].map((manual) => {
    const asked = questions.filter((one) => one.manual === manual);
    const name = `technical ${manual}`;
    const root = asked[0]?.root ?? '';
    const named = asked.map(({ page }) => page);
    const pages = pagesOf(name, root, kept, () => [...new Set([...named, ...somePages(root, manual)])]);
    const cases = casesOf({ name, asked }, pages, kept);
    return { name, isJudged: heldOut.has(manual), kind: 'answerable', cases };
  });
}

/** Some pages of a manual, evenly spread over their order by name. */
function somePages(root: string, manual: string): string[] {
  const { countMax, bytesMax } = OTHER_PAGES;
  const files = pathsIn(join(root, manual)).filter((path) => {
    const file = statSync(join(root, manual, path));
    return file.isFile() && file.size <= bytesMax;
  });
  const step = Math.max(1, files.length / countMax);
  return Array.from(
    { length: Math.min(files.length, countMax) },
    (_, place) => `${manual}/${files[Math.floor(place * step)]}`,
  );
}

type Named = { name: string; asked: Pick<Asked, 'page' | 'question' | 'answers'>[] };

function casesOf(
  { name, asked }: Named,
  pages: AnswerPage[],
  kept: string,
): (AnswerCase & { isAnswered: boolean })[] {
  const found = rankedPages(
    asked.map(({ question }) => question),
    pages,
    join(kept, `${name}.found.json`),
  );
  return asked.map(({ page: path, question, answers }, place) => {
    const opened = (found[place] ?? []).flatMap((one) => pages[one] ?? []);
    const golds = opened.flatMap((page) =>
      answers
        .filter((answer) => page.url.endsWith(`/${path}`) || answer.length >= ANYWHERE_CHARS_MIN)
        .flatMap((answer) => placesOfText(page.markdown, answer))
        .map((place) => ({ url: page.url, ...place })),
    );
    return { query: question, pages: opened, golds, group: name, isAnswered: answers.length > 0 };
  });
}

/** For each question the places of the pages that rank first. */
function rankedPages(questions: string[], pages: AnswerPage[], file: string): number[][] {
  const known: Record<string, number[]> = existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : {};
  if (questions.some((question) => known[question] === undefined)) {
    const chunks = pages.flatMap((page, place) =>
      chunkMarkdown(page.markdown).map(({ markdown, headingPath }) => ({
        place,
        text: [page.title, ...headingPath, markdown].join('\n'),
      })),
    );
    const index = openParagraphs(
      chunks.map(({ text }) => text),
      pages[0]?.language ?? null,
    );
    for (const question of questions) {
      const ranked = index.best(question, chunks.length).map(({ place }) => chunks[place]?.place ?? 0);
      known[question] = [...new Set(ranked)].slice(0, PAGES);
    }
    writeFileSync(file, JSON.stringify(known));
  }
  return questions.map((question) => known[question] ?? []);
}

function pathsIn(root: string): string[] {
  return readdirSync(root, { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('.html') && !NO_PAGES.test(path))
    .filter((path) => path.split('/').length <= DEPTH_MAX)
    .sort();
}

function pagesOf(name: string, root: string, kept: string, paths = () => pathsIn(root)): AnswerPage[] {
  const file = join(kept, `${name}.json`);
  if (existsSync(file)) return JSON.parse(readFileSync(file, 'utf8'));
  const host = name.replaceAll(' ', '-');
  const pages = paths().flatMap((path) => pageOf(`https://${host}.example/${path}`, join(root, path)) ?? []);
  mkdirSync(kept, { recursive: true });
  writeFileSync(file, JSON.stringify(pages));
  return pages;
}

function pageOf(url: string, file: string): AnswerPage | null {
  const bytes = new Uint8Array(readFileSync(file));
  if (bytes.length > BYTES_MAX) return null;
  const read = extractPage({ bytes, url, contentType: 'text/html', status: 200 }, 'html', null);
  if (!read.ok) return null;
  const { title, markdown, language, textLanguage } = read.article;
  return { url, title, markdown, language: textLanguage ?? language };
}
