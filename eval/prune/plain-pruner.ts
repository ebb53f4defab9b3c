import { openParagraphs, type Paragraphs } from '../answer/paragraphs.ts';

const BM25 = { k1: 1.2, b: 0.75 };

/** The baseline: the best paragraphs of a page for a question in page order, up to a number of characters that the last may exceed. */
export function plainPruner(): (markdown: string, question: string, charsMax: number) => string {
  const opened = new Map<string, Paragraphs>();
  return (markdown, question, charsMax) => {
    const paragraphs = markdown.split(/\n\n+/);
    const index = opened.get(markdown) ?? openParagraphs(paragraphs, 'en', BM25);
    opened.set(markdown, index);
    const shown = new Set<number>();
    let chars = 0;
    for (const place of index.rank(question)) {
      if (chars >= charsMax) break;
      shown.add(place);
      chars += paragraphs[place]?.length ?? 0;
    }
    return paragraphs.filter((_, place) => shown.has(place)).join('\n\n');
  };
}
