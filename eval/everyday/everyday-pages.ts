import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import type { AnswerCase, CaseSet } from '../answer/answer-cases.ts';
import { openParagraphs } from '../answer/paragraphs.ts';
import { placesOfText } from '../answer/places-of-text.ts';

/** `golds`: texts one of which an answer must hold; empty if no page answers the question. */
export type EverydayQuestion = { question: string; golds: string[] };
type EverydayPage = { url: string; title: string; markdown: string; questions: EverydayQuestion[] };

/** As many pages as a search reads for its answer. */
const PAGES = 5;
const PARTS = ['fitting', 'judging'];

/** Reads the pages of a part. */
export function readEverydayPages(part: string): EverydayPage[] {
  return readSections('everyday', part).map(({ heading, text, questions }, place) => ({
    url: `https://everyday-${part}-${place}.example/`,
    title: heading,
    markdown: text,
    questions,
  }));
}

/** Reads the manuals of a part, each a folder below one like /usr/share/doc, with its questions. */
export function readTechnicalManuals(part: string): { folder: string; questions: EverydayQuestion[] }[] {
  return readSections('technical', part).map(({ heading, questions }) => ({ folder: heading, questions }));
}

/** Reads sections: `# heading`, paragraphs, then `? question`, each followed by its `= answers` if it has any. */
function readSections(
  set: 'everyday' | 'technical',
  part: string,
): { heading: string; text: string; questions: EverydayQuestion[] }[] {
  if (!PARTS.includes(part)) throw new Error(`the parts are ${PARTS.join(' and ')}, not ${part}`);
  return readFileSync(resolve(import.meta.dirname, '..', set, `${part}.txt`), 'utf8')
    .split(/^# /m)
    .slice(1)
    .map((written) => {
      const [heading = '', ...lines] = written.split('\n');
      const questions: EverydayQuestion[] = [];
      for (const line of lines) {
        if (line.startsWith('? ')) questions.push({ question: line.slice(2), golds: [] });
        if (line.startsWith('= ')) questions.at(-1)?.golds.push(...line.slice(2).split(' | '));
      }
      const text = lines
        .filter((line) => !/^[?=] /.test(line))
        .join('\n')
        .trim();
      return { heading, text, questions };
    });
}

/** The questions of a part as cases, each asked of the pages that BM25 ranks first. */
export function everydaySets(part: string): CaseSet[] {
  const pages = readEverydayPages(part);
  const index = openParagraphs(pages.map(({ title, markdown }) => `${title}\n${markdown}`));
  const cases = pages.flatMap((page) =>
    page.questions.map(({ question, golds }): AnswerCase => {
      const ranked = index.best(question, PAGES).flatMap(({ place }) => pages[place] ?? []);
      return {
        query: question,
        pages: ranked.map(({ url, title, markdown }) => ({ url, title, markdown, language: 'en' })),
        golds: golds.flatMap((gold) =>
          placesOfText(page.markdown, gold).map((place) => ({ url: page.url, ...place })),
        ),
        group: page.title,
      };
    }),
  );
  return (['answerable', 'unanswerable'] as const).map((kind) => ({
    name: `everyday ${part}`,
    kind,
    cases: cases.filter(({ golds }) => golds.length > 0 === (kind === 'answerable')),
  }));
}
