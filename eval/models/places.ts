import type { Chunk } from '../../src/text/chunk/chunk.ts';
import { chunkMarkdown } from '../../src/text/chunk/chunk-markdown.ts';
import { scorePassages } from '../../src/text/passages/score-passages.ts';
import { readQuery } from '../../src/text/query/read-query.ts';
import type { PassagePage, Question } from '../passages/passage-sets.ts';
import type { Judge } from './judges.ts';

/** Pieces of a page, each with its score by words; whether the first pieces of an order are a success. */
export type Case = {
  query: string;
  texts: string[];
  lexical: number[];
  succeeds(order: number[]): boolean;
};

/** Pieces that a model judges: the best by words. */
const JUDGED_MAX = 12;
const PRUNED_SHARE = 0.06;
const SENTENCE = /(?<=[.?!])\s+/;
const BEST_CHUNKS = 3;

export const PLACES = {
  passages: passageCase,
  pruning: pruningCase,
  answers: answerCase,
} as const;

/** The first highlight holds the answer. */
function passageCase(page: PassagePage, question: Question): Case {
  const { texts, lexical, holds } = chunksOf(page, question);
  return { query: question.text, texts, lexical, succeeds: ([first = -1]) => holds[first] ?? false };
}

/** The best chunks that fit into 6 % of the page, the first in any case, hold the answer. */
function pruningCase(page: PassagePage, question: Question): Case {
  const { texts, lexical, holds } = chunksOf(page, question);
  const room = page.markdown.length * PRUNED_SHARE;
  return {
    query: question.text,
    texts,
    lexical,
    succeeds(order) {
      let used = 0;
      return order.some((place, at) => {
        used += texts[place]?.length ?? 0;
        return (at === 0 || used <= room) && (holds[place] ?? false);
      });
    },
  };
}

/** The best sentence of the three best chunks holds the answer. */
function answerCase(page: PassagePage, question: Question): Case {
  const { texts, lexical } = chunksOf(page, question);
  const best = orderOf(lexical).slice(0, BEST_CHUNKS);
  const sentences = best.flatMap((place) => (texts[place] ?? '').split(SENTENCE));
  const chunks = sentences.map(
    (markdown): Chunk => ({ markdown, headingPath: [], start: 0, end: markdown.length }),
  );
  const scores = scorePassages(chunks, readQuery(question.text), page.language);
  const answers = answersOf(page, question);
  return {
    query: question.text,
    texts: sentences,
    lexical: scores.map(({ logit }) => logit),
    succeeds: ([first = -1]) => answers.some((answer) => sentences[first]?.includes(answer)),
  };
}

function chunksOf(
  page: PassagePage,
  question: Question,
): { texts: string[]; lexical: number[]; holds: boolean[] } {
  const chunks = chunkMarkdown(page.markdown);
  const answers = answersOf(page, question);
  return {
    texts: chunks.map(({ markdown }) => markdown),
    lexical: scorePassages(chunks, readQuery(question.text), page.language).map(({ logit }) => logit),
    holds: chunks.map(({ markdown }) => answers.some((answer) => markdown.includes(answer))),
  };
}

const answersOf = ({ markdown }: PassagePage, { answers }: Question): string[] =>
  answers.map(({ start, end }) => markdown.slice(start, end));

export const orderOf = (scores: readonly number[]): number[] =>
  scores.map((_, place) => place).sort((left, right) => (scores[right] ?? 0) - (scores[left] ?? 0));

/** A case with the judgements of a model on its best pieces; the others come after them. */
export type JudgedCase = Case & { best: number[]; judged: number[] };

export async function judgeCase(found: Case, judge: Judge): Promise<JudgedCase> {
  const best = orderOf(found.lexical).slice(0, JUDGED_MAX);
  const judged = await judge.judge(
    found.query,
    best.map((place) => found.texts[place] ?? ''),
  );
  return { ...found, best, judged };
}

/** The share of cases that succeed when a judgement counts `weight` beside the score by words. */
export function successOf(cases: readonly JudgedCase[], weight: number): number {
  const count = cases.filter(({ best, judged, lexical, succeeds }) => {
    const sums = best.map((place, at) => (lexical[place] ?? 0) + weight * (judged[at] ?? 0));
    const rest = orderOf(lexical).slice(best.length);
    return succeeds([...orderOf(sums).map((at) => best[at] ?? -1), ...rest]);
  }).length;
  return count / Math.max(1, cases.length);
}
