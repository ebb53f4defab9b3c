import { join } from 'node:path';
import { readJsonLines } from '../../bench/search/read-json-lines.ts';
import { isStopWord } from '../../src/text/words/stop-words.ts';
import { tokenizeWords } from '../../src/text/words/words.ts';

/** The place of an answer in the Markdown of its page. */
export type Span = { start: number; end: number };
export type Question = { page: number; text: string; answers: Span[] };
export type PassagePage = { id: string; markdown: string; language: string };
export type PassageSet = { name: string; pages: PassagePage[]; questions: Question[] };

type Paragraphs = { page_id: string; title: string; paragraphs: string[]; lang?: string };
type Asked = { page_id: string; question: string; answers: { text: string; para: number; start: number }[] };

const XQUAD_LANGUAGES = ['ar', 'de', 'el', 'en', 'es', 'hi', 'ro', 'ru', 'th', 'tr', 'vi', 'zh'];
/** Paragraphs joined into one page if a set has each as a page of its own: about 20,000 characters. */
const PARAGRAPHS_PER_PAGE = 40;
const JOINT = '\n\n';

/**
 * The sets of pages with questions that they answer. qed_train has a paragraph per question: they are joined into pages, once at
 * random and once by similarity (a page on one subject, the harder case).
 */
export function readPassageSets(data: string): PassageSet[] {
  const qed = readLines(data, 'qed_train');
  return [
    { name: 'squad2_dev_half', ...setOf(readLines(data, 'squad2_dev_half')) },
    { name: 'qed_train mixed', ...setOf(together(qed, mixedGroups(qed.pages))) },
    { name: 'qed_train alike', ...setOf(together(qed, alikeGroups(qed.pages))) },
    { name: 'pubmedqa', ...setOf(readLines(data, 'pubmedqa')) },
    ...XQUAD_LANGUAGES.map((language) => ({
      name: `xquad ${language}`,
      ...setOf(readLines(data, 'xquad', (id) => id.startsWith(`${language}-`))),
    })),
  ];
}

type Lines = { pages: Paragraphs[]; questions: Asked[] };

function readLines(data: string, folder: string, wanted = (_: string): boolean => true): Lines {
  return {
    pages: readJsonLines<Paragraphs>(join(data, folder, 'pages.jsonl.gz')).filter(({ page_id }) =>
      wanted(page_id),
    ),
    questions: readJsonLines<Asked>(join(data, folder, 'questions.jsonl.gz')).filter(
      ({ page_id, answers }) => wanted(page_id) && answers.length > 0,
    ),
  };
}

function setOf({ pages, questions }: Lines): { pages: PassagePage[]; questions: Question[] } {
  const numberOf = new Map(pages.map(({ page_id }, number) => [page_id, number]));
  const starts = pages.map(({ paragraphs }) => {
    let at = 0;
    return paragraphs.map((paragraph) => {
      const start = at;
      at += paragraph.length + JOINT.length;
      return start;
    });
  });
  return {
    pages: pages.map(({ page_id: id, paragraphs, lang }) => ({
      id,
      markdown: paragraphs.join(JOINT),
      language: lang ?? 'en',
    })),
    questions: questions.map(({ page_id, question, answers }) => {
      const page = numberOf.get(page_id) ?? 0;
      return {
        page,
        text: question,
        answers: answers.map(({ text, para, start }) => {
          const from = (starts[page]?.[para] ?? 0) + start;
          return { start: from, end: from + text.length };
        }),
      };
    }),
  };
}

/** Joins pages of one paragraph into larger pages, in the given groups. */
function together({ pages, questions }: Lines, groups: number[][]): Lines {
  const place = new Map<string, { page_id: string; para: number }>();
  const joined = groups.map((group, number) => {
    const paragraphs = group.map((member, para) => {
      place.set(pages[member]?.page_id ?? '', { page_id: String(number), para });
      return pages[member]?.paragraphs[0] ?? '';
    });
    return { page_id: String(number), title: '', paragraphs };
  });
  return {
    pages: joined,
    questions: questions.map(({ page_id, question, answers }) => {
      const at = place.get(page_id) ?? { page_id: '', para: 0 };
      return {
        page_id: at.page_id,
        question,
        answers: answers.map((answer) => ({ ...answer, para: at.para })),
      };
    }),
  };
}

/** The set has no order of its own. */
function mixedGroups(pages: Paragraphs[]): number[][] {
  const groups: number[][] = [];
  for (let from = 0; from < pages.length; from += PARAGRAPHS_PER_PAGE)
    groups.push(pages.slice(from, from + PARAGRAPHS_PER_PAGE).map((_, offset) => from + offset));
  return groups;
}

/** Repeatedly groups the first remaining paragraph with those nearest to it (TF-IDF cosine). */
function alikeGroups(pages: Paragraphs[]): number[][] {
  const texts = pages.map(({ title, paragraphs }) => `${title}\n${paragraphs[0] ?? ''}`);
  const { vectorOf } = weighing(texts);
  const vectors: Vector[] = texts.map(vectorOf);
  let left = pages.map((_, number) => number);
  const groups: number[][] = [];
  while (left.length > 0) {
    const first = vectors[left[0] ?? 0] ?? new Map();
    const near = left
      .map((number) => ({ number, likeness: cosineOf(first, vectors[number] ?? new Map()) }))
      .sort((a, b) => b.likeness - a.likeness || a.number - b.number)
      .slice(0, PARAGRAPHS_PER_PAGE)
      .map(({ number }) => number);
    groups.push(near.toSorted((a, b) => a - b));
    const taken = new Set(near);
    left = left.filter((number) => !taken.has(number));
  }
  return groups;
}

type Vector = Map<string, number>;

/** The weights of terms over some texts, and texts as vectors of length 1. */
function weighing(texts: string[]): { vectorOf(text: string): Vector } {
  const frequencies = new Map<string, number>();
  for (const text of texts) {
    for (const term of new Set(topicWords(text))) frequencies.set(term, (frequencies.get(term) ?? 0) + 1);
  }
  return {
    vectorOf(text) {
      const counts: Vector = new Map();
      for (const term of topicWords(text)) counts.set(term, (counts.get(term) ?? 0) + 1);
      for (const [term, count] of counts) {
        const idf = Math.log(texts.length / (frequencies.get(term) ?? texts.length));
        counts.set(term, (1 + Math.log(count)) * idf);
      }
      const length = Math.hypot(...counts.values()) || 1;
      return new Map([...counts].map(([term, weight]) => [term, weight / length]));
    },
  };
}

function cosineOf(left: Vector, right: Vector): number {
  let sum = 0;
  for (const [term, weight] of left) sum += weight * (right.get(term) ?? 0);
  return sum;
}

const topicWords = (text: string): string[] => tokenizeWords(text, 'en').filter((term) => !isStopWord(term));
