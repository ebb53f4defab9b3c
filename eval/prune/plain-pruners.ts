import { isStopWord } from '../../src/text/words/stop-words.ts';
import { tokenizeWords } from '../../src/text/words/words.ts';
import { cosineOf, weighing } from '../ranking/cosine-index.ts';

/** Returns the best paragraphs of a page for a question in page order, up to a number of characters that the last may exceed. */
export type PlainPruner = (markdown: string, question: string, charsMax: number) => string;

const [K1, B] = [1.2, 0.75];

/** The baselines over paragraphs: BM25 (stemmed, without stop words) or TF-IDF cosine; only words count. */
export function plainPruner(kind: 'bm25' | 'cosine'): PlainPruner {
  const scorers = new Map<string, (question: string) => number[]>();
  return (markdown, question, charsMax) => {
    const paragraphs = markdown.split(/\n\n+/);
    const scorer = scorers.get(markdown) ?? (kind === 'bm25' ? bm25 : cosine)(paragraphs);
    scorers.set(markdown, scorer);
    const scores = scorer(question);
    const order = paragraphs
      .map((_, place) => place)
      .sort((left, right) => (scores[right] ?? 0) - (scores[left] ?? 0));
    const shown = new Set<number>();
    let chars = 0;
    for (const place of order) {
      if (chars >= charsMax) break;
      shown.add(place);
      chars += paragraphs[place]?.length ?? 0;
    }
    return paragraphs.filter((_, place) => shown.has(place)).join('\n\n');
  };
}

function bm25(paragraphs: string[]): (question: string) => number[] {
  const documents = paragraphs.map((text) => {
    const counts = new Map<string, number>();
    for (const word of termsOf(text)) counts.set(word, (counts.get(word) ?? 0) + 1);
    return { counts, length: [...counts.values()].reduce((sum, count) => sum + count, 0) };
  });
  const mean = documents.reduce((sum, { length }) => sum + length, 0) / Math.max(1, documents.length);
  return (question) => {
    const scores = documents.map(() => 0);
    for (const term of new Set(termsOf(question))) {
      const holding = documents.filter(({ counts }) => counts.has(term)).length;
      const idf = Math.log(1 + (documents.length - holding + 0.5) / (holding + 0.5));
      for (const [place, { counts, length }] of documents.entries()) {
        const count = counts.get(term) ?? 0;
        const norm = count + K1 * (1 - B + (B * length) / mean);
        scores[place] = (scores[place] ?? 0) + (idf * count * (K1 + 1)) / norm;
      }
    }
    return scores;
  };
}

function cosine(paragraphs: string[]): (question: string) => number[] {
  const { vectorOf } = weighing(paragraphs);
  const vectors = paragraphs.map(vectorOf);
  return (question) => {
    const asked = vectorOf(question);
    return vectors.map((vector) => cosineOf(asked, vector));
  };
}

const termsOf = (text: string): string[] => tokenizeWords(text, 'en').filter((word) => !isStopWord(word));
