import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';

/** `golds`: texts of the page one of which an answer must hold; empty if the page does not answer the question. */
export type EverydayQuestion = { question: string; golds: string[] };
type EverydayPage = { url: string; title: string; markdown: string; questions: EverydayQuestion[] };

const PARTS = ['fitting', 'judging'];

/** Reads the pages of a part: `# title`, paragraphs, then `? question`, each followed by its `= answers` if it has any. */
export function readEverydayPages(part: string): EverydayPage[] {
  if (!PARTS.includes(part)) throw new Error(`the parts are ${PARTS.join(' and ')}, not ${part}`);
  return readFileSync(resolve(import.meta.dirname, `${part}.txt`), 'utf8')
    .split(/^# /m)
    .slice(1)
    .map((written, place) => {
      const [title = '', ...lines] = written.split('\n');
      const questions: EverydayQuestion[] = [];
      for (const line of lines) {
        if (line.startsWith('? ')) questions.push({ question: line.slice(2), golds: [] });
        if (line.startsWith('= ')) questions.at(-1)?.golds.push(...line.slice(2).split(' | '));
      }
      const markdown = lines
        .filter((line) => !/^[?=] /.test(line))
        .join('\n')
        .trim();
      return { url: `https://everyday-${part}-${place}.example/`, title, markdown, questions };
    });
}
