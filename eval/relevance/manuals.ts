import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { toIndexedPage } from '../../src/index/indexed-page.ts';
import type { IndexedPage } from '../../src/index/local-index-types.ts';
import { extractHtml } from '../../src/pages/extract/extract-html.ts';
import { readManualQuestions } from '../answer/manual-questions.ts';

/** A question over a manual: the folder of its package, and parts of the addresses of its right pages. */
export type ManualQuestion = { folder: string; question: string; right: string[] };

/** Larger files are tables of one name a line. */
const BYTES_MAX = 1_500_000;
const NO_PAGE = /XREF|_modules|_static/;

/** The host under which the pages of a folder like `postfix/html` are indexed. */
export const hostOf = (folder: string): string => `${folder.split('/')[0]}.example`;

/** Every page of some manuals, each in a folder below one of `roots`. */
export function* readManuals(roots: readonly string[], folders: readonly string[]): Generator<IndexedPage> {
  for (const folder of folders) {
    const root = roots.map((each) => join(each, folder)).find(existsSync);
    if (root === undefined) throw new Error(`no ${folder} in ${roots.join()}`);
    const files = readdirSync(root, { recursive: true, encoding: 'utf8' })
      .filter((file) => file.endsWith('.html') && !NO_PAGE.test(file))
      .filter((file) => statSync(join(root, file)).isFile() && statSync(join(root, file)).size < BYTES_MAX);
    for (const file of files.sort()) {
      const page = manualPage(join(root, file), `${folder.split('/')[0]}/${file}`);
      if (page.markdown !== '') yield page;
    }
  }
}

/** A page of a manual as the service would index it. */
function manualPage(file: string, path: string): IndexedPage {
  const url = `https://${path}`.replace(
    /^https:\/\/([^/]+)/,
    (_, folder: string) => `https://${folder}.example`,
  );
  return { ...toIndexedPage(extractHtml(readFileSync(file, 'utf8'), url), 0), url };
}

/** Questions of a file of eval/ranking: folder, question and right pages on each line. */
export function questionsOf(file: string): ManualQuestion[] {
  return readFileSync(resolve(import.meta.dirname, '../ranking', file), 'utf8')
    .trim()
    .split('\n')
    .map((line) => {
      const [folder = '', question = '', right = ''] = line.split('\t');
      return { folder, question, right: right.split('|').map((page) => `/${page}`) };
    });
}

/** Questions with an answer that were written for quoted answers, over one manual. */
export function answerQuestionsOf(name: string, folder: string): ManualQuestion[] {
  return readManualQuestions(name)
    .filter(({ answers }) => answers.length > 0)
    .map(({ page, question }) => ({ folder, question, right: [`/${page}`] }));
}
