import { isStopWord } from '../../src/text/words/stop-words.ts';
import { tokenizeWords } from '../../src/text/words/words.ts';

export type TextPage = { url: string; title: string; markdown: string };
export type Vector = Map<string, number>;

/** The baseline: stems without stop words, (1 + log tf) x log(N / df), cosine of query and page. */
export function openCosineIndex(pages: TextPage[]): { find(query: string, limit: number): string[] } {
  const { vectorOf } = weighing(pages.map(textOf));
  const postings = new Map<string, [page: number, weight: number][]>();
  for (const [page, text] of pages.map(textOf).entries()) {
    for (const [term, weight] of vectorOf(text)) {
      const list = postings.get(term) ?? [];
      if (list.length === 0) postings.set(term, list);
      list.push([page, weight]);
    }
  }
  return {
    find(query, limit) {
      const sums = new Map<number, number>();
      for (const [term, weight] of vectorOf(query)) {
        for (const [page, other] of postings.get(term) ?? [])
          sums.set(page, (sums.get(page) ?? 0) + weight * other);
      }
      return [...sums]
        .sort((left, right) => right[1] - left[1] || left[0] - right[0])
        .slice(0, limit)
        .map(([page]) => pages[page]?.url ?? '');
    },
  };
}

const textOf = ({ title, markdown }: TextPage): string => `${title}\n${markdown}`;

/** The weights of terms over some texts, and texts as vectors of length 1. */
export function weighing(texts: string[], language = 'en'): { vectorOf(text: string): Vector } {
  const frequencies = new Map<string, number>();
  for (const text of texts) {
    for (const term of new Set(topicWords(text, language)))
      frequencies.set(term, (frequencies.get(term) ?? 0) + 1);
  }
  return {
    vectorOf(text) {
      const counts: Vector = new Map();
      for (const term of topicWords(text, language)) counts.set(term, (counts.get(term) ?? 0) + 1);
      for (const [term, count] of counts) {
        const idf = Math.log(texts.length / (frequencies.get(term) ?? texts.length));
        counts.set(term, (1 + Math.log(count)) * idf);
      }
      const length = Math.hypot(...counts.values()) || 1;
      return new Map([...counts].map(([term, weight]) => [term, weight / length]));
    },
  };
}

export function cosineOf(left: Vector, right: Vector): number {
  let sum = 0;
  for (const [term, weight] of left) sum += weight * (right.get(term) ?? 0);
  return sum;
}

const topicWords = (text: string, language: string): string[] =>
  tokenizeWords(text, language).filter((term) => !isStopWord(term));
