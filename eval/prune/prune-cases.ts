import type { ScoredChunk } from '../../src/text/chunk/chunk-markdown.ts';
import { chunkMarkdown } from '../../src/text/chunk/chunk-markdown.ts';
import { scoreChunks } from '../../src/text/prune/score-chunks.ts';
import { SHORT_PAGE } from '../../src/text/prune/select-chunks.ts';
import { readQuery } from '../../src/text/query/read-query.ts';
import type { PassagePage, PassageSet, Question, Span } from '../passages/passage-sets.ts';

/** A question with the scored chunks of the page that answers it, and of one that does not. */
export type PruneCase = {
  page: PassagePage;
  foreign: PassagePage;
  question: Question;
  own: ScoredChunk[];
  other: ScoredChunk[];
};

/** The unrelated page is this many further on. */
const FOREIGN_STEP = 7;

/** At most `casesMax` cases, spread evenly over the set. */
export function pruneCases({ pages, questions }: PassageSet, casesMax: number): PruneCase[] {
  const chunked = pages.map(({ markdown }) =>
    chunkMarkdown(markdown, markdown.length <= SHORT_PAGE.charsMax ? SHORT_PAGE.chunks : undefined),
  );
  const step = Math.max(1, questions.length / casesMax);
  const cases: PruneCase[] = [];
  for (let at = 0; at < questions.length; at += step) {
    const question = questions[Math.floor(at)];
    const own = question === undefined ? undefined : pages[question.page];
    if (question === undefined || own === undefined) continue;
    const away = (question.page + FOREIGN_STEP) % pages.length;
    const foreign = pages[away] ?? own;
    cases.push({
      page: own,
      foreign,
      question,
      own: scoreChunks(chunked[question.page] ?? [], readQuery(question.text), own.language),
      other: scoreChunks(chunked[away] ?? [], readQuery(question.text), foreign.language),
    });
  }
  return cases;
}

/** Whether a text contains the answer at its place in the page: with its surroundings, not the same words elsewhere. */
export function holdsInPlace(text: string, markdown: string, answers: Span[]): boolean {
  return answers.some(({ start, end }) => {
    const lines = markdown.slice(Math.max(0, start - 12), end + 12).split(/\n|(?<=[.!?。]) /);
    const answer = markdown.slice(start, end);
    const around = lines.find((line) => line.includes(answer)) ?? answer;
    return text.includes(around.trim());
  });
}
