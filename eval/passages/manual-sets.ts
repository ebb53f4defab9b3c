import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { extractHtml } from '../../src/pages/extract/extract-html.ts';
import { readManualQuestions } from '../answer/manual-questions.ts';
import { anchorSet } from './anchor-set.ts';
import type { PassageSet, Question, Span } from './passage-sets.ts';
import { technicalQuestions } from './technical-questions.ts';

/** Manuals of Debian packages below `usr/share/doc`; questions over the others are kept for judging. */
const MANUALS: Record<string, string> = {
  'git-doc': 'git-doc',
  'python-celery-doc': 'python-celery-doc/html',
  'python-flask-doc': 'python-flask-doc/html',
  'python3.11-doc': 'python3.11/html',
  'sqlite3-doc': 'sqlite3',
  'varnish-doc': 'varnish/html',
};
/** Folders whose headings become questions, so many pages of each, and so many headings of a page. */
const HEADED =
  'aptitude bind9-doc cmake-doc debian-handbook debian-policy exim4-doc-html ghc-doc git-doc haproxy maint-guide maxima-doc octave python-celery-doc python-flask-doc python-jinja2-doc python-requests-doc varnish'.split(
    ' ',
  );
const PAGES_MAX = 70;
const HEADINGS_MAX = 3;
const BYTES_MAX = 1_000_000;
const PAGE_CHARS = { min: 5_000, max: 60_000 };
const SECTION_CHARS = { min: 150, max: 1_500 };

/**
 * Questions over manuals, some of them held out, headings taken out of their pages as questions for what they head, and what links call a section. Empty where `roots` have no manuals.
 */
export function manualSets(roots: string[]): PassageSet[] {
  return [...askedSets(roots), headingSet(roots), anchorSet(foldersOf(roots))].filter(
    ({ questions }) => questions.length > 0,
  );
}

/** The sets of questions that were written over manuals. */
export function askedSets(roots: string[]): PassageSet[] {
  const technical = technicalQuestions(roots);
  const isOf = (isHeldOut: boolean) => (manual: string) => technical.heldOut.has(manual) === isHeldOut;
  return [
    questionSet(roots),
    technicalSet('technical', technical.questions, isOf(false)),
    technicalSet(HELD_OUT, technical.questions, isOf(true)),
  ];
}

/** The name of the set that no weight is fitted on. */
export const HELD_OUT = 'technical, held out';

function technicalSet(
  name: string,
  asked: ReturnType<typeof technicalQuestions>['questions'],
  isWanted: (manual: string) => boolean,
): PassageSet {
  const set: PassageSet = { name, pages: [], questions: [] };
  for (const { root, manual, page, question, answers } of asked)
    if (isWanted(manual)) addQuestion(set, { id: page, path: join(root, page), question, answers });
  return set;
}

function questionSet(roots: string[]): PassageSet {
  const set: PassageSet = { name: 'manuals', pages: [], questions: [] };
  for (const [name, folder] of Object.entries(MANUALS)) {
    for (const { page, question, answers } of readManualQuestions(name)) {
      const path = roots.map((root) => join(root, folder, page)).find((one) => existsSync(one));
      if (path !== undefined) addQuestion(set, { id: `${name}/${page}`, path, question, answers });
    }
  }
  return set;
}

function addQuestion(
  set: PassageSet,
  { id, path, question, answers }: { id: string; path: string; question: string; answers: string[] },
): void {
  const known = set.pages.findIndex((page) => page.id === id);
  const page = known === -1 ? set.pages.push({ id, markdown: markdownOf(path), language: 'en' }) - 1 : known;
  const spans = answers.flatMap((answer) => spansOf(set.pages[page]?.markdown ?? '', answer));
  if (spans.length > 0) set.questions.push({ page, text: question, answers: spans });
}

function headingSet(roots: string[]): PassageSet {
  const set: PassageSet = { name: 'headings', pages: [], questions: [] };
  for (const root of foldersOf(roots)) {
    const files = readdirSync(root, { recursive: true, encoding: 'utf8' })
      .filter((path) => path.endsWith('.html') && statSync(join(root, path)).isFile())
      .sort();
    const step = Math.max(1, files.length / PAGES_MAX);
    for (let at = 0; at < files.length; at += step)
      addHeadings(set, markdownOf(join(root, files[Math.floor(at)] ?? '')));
  }
  return set;
}

const foldersOf = (roots: string[]): string[] =>
  HEADED.flatMap((folder) =>
    roots
      .map((root) => join(root, folder))
      .filter(existsSync)
      .slice(0, 1),
  );

/** Adds the page once for each heading that is asked for, without that heading. */
function addHeadings(set: PassageSet, markdown: string): void {
  if (markdown.length < PAGE_CHARS.min || markdown.length > PAGE_CHARS.max) return;
  const headings = [...markdown.matchAll(/^#{2,6} +(\S.{0,90})$/gm)].filter(
    ([, text = '']) => text.split(' ').length >= 3 && /[a-z]{3}.*[a-z]{3}/.test(text),
  );
  const step = Math.max(1, Math.floor(headings.length / HEADINGS_MAX));
  for (const { 0: line, 1: text = '', index } of headings
    .filter((_, at) => at % step === 0)
    .slice(0, HEADINGS_MAX)) {
    const without = markdown.slice(0, index) + markdown.slice(index + line.length + 1);
    const next = without.slice(index).search(/^#{1,6} /m);
    const end = Math.min(next === -1 ? without.length : index + next, index + SECTION_CHARS.max);
    if (end - index < SECTION_CHARS.min) continue;
    const page = set.pages.push({ id: `heading ${set.pages.length}`, markdown: without, language: 'en' }) - 1;
    set.questions.push({ page, text: plain(text), answers: paragraphsIn(without, index, end) });
  }
}

/** Each paragraph of a section is right. */
function paragraphsIn(markdown: string, start: number, end: number): Span[] {
  const spans: Span[] = [];
  for (const { 0: text, index } of markdown.slice(start, end).matchAll(/\S(?:[^\n]|\n(?!\n))*/g))
    spans.push({ start: start + index, end: start + index + Math.min(text.length, 60) });
  return spans;
}

const plain = (heading: string): string =>
  heading
    .replace(/\]\([^)]*\)/g, '')
    .replace(/[`*\\[]/g, '')
    .replace(/^[\d.]+ /, '');

function markdownOf(path: string): string {
  const html = readFileSync(path, 'utf8');
  return html.length > BYTES_MAX ? '' : extractHtml(html, `https://manual.example/${path}`).markdown;
}

/** Where an answer stands in a page; only letters and digits count, and link targets do not. */
function spansOf(markdown: string, answer: string): Span[] {
  const { text, places } = lettersOf(
    markdown.replace(/\]\([^()\s]*(?: "[^"]*")?\)/g, (all) => ' '.repeat(all.length)),
  );
  const wanted = lettersOf(answer).text;
  const spans: Question['answers'] = [];
  for (let at = text.indexOf(wanted); at !== -1 && wanted !== ''; at = text.indexOf(wanted, at + 1))
    spans.push({ start: places[at] ?? 0, end: (places[at + wanted.length - 1] ?? 0) + 1 });
  return spans;
}

function lettersOf(markdown: string): { text: string; places: number[] } {
  const places: number[] = [];
  let text = '';
  for (const { 0: letter, index } of markdown.toLowerCase().matchAll(/[\p{L}\p{N}]/gu)) {
    text += letter;
    places.push(index);
  }
  return { text, places };
}
