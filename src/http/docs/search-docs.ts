/** A page of the documentation in the search. */
export type DocsPage = { href: string; title: string; group: string; about: string; text: string };

const RESULTS_MAX = 30;
/** Weights of a match in the title, summary and text of a page. */
const WEIGHTS = { title: 8, about: 3, text: 1 };

/** Finds the pages that contain every word, matches in the title first. */
export function searchDocs(pages: readonly DocsPage[], query: string): DocsPage[] {
  const words = query
    .toLowerCase()
    .split(/\s+/)
    .filter((word) => word !== '');
  if (words.length === 0) return [];
  return pages
    .map((page) => ({ page, score: scorePage(page, words) }))
    .filter(({ score }) => score > 0)
    .sort((one, other) => other.score - one.score)
    .slice(0, RESULTS_MAX)
    .map(({ page }) => page);
}

function scorePage({ title, about, text }: DocsPage, words: string[]): number {
  const parts = { title: title.toLowerCase(), about: about.toLowerCase(), text: text.toLowerCase() };
  const scores = words.map(
    (word) =>
      (parts.title.includes(word) ? WEIGHTS.title : 0) +
      (parts.about.includes(word) ? WEIGHTS.about : 0) +
      (parts.text.includes(word) ? WEIGHTS.text : 0),
  );
  return scores.every((score) => score > 0) ? scores.reduce((sum, score) => sum + score, 0) : 0;
}
