import { CHARS_PER_TOKEN, HIGHLIGHT_CHARS_MAX, HIGHLIGHTS_MAX } from '../../contract/limits.ts';
import type { SearchRequest, SearchResult } from '../../search/search-types.ts';

/** Builds the options of a search that returns passages of the opened pages, up to a number of tokens and passages per page. */
export function buildBudgetedPassageRequest({
  tokensPerPage,
  perPage = HIGHLIGHTS_MAX,
}: {
  tokensPerPage: number;
  perPage?: number;
}): Pick<SearchRequest, 'contents'> {
  const charsMax = tokensPerPage * CHARS_PER_TOKEN;
  const perUrl = Math.max(1, Math.min(perPage, HIGHLIGHTS_MAX, Math.floor(charsMax / HIGHLIGHT_CHARS_MAX)));
  return { contents: { text: null, highlights: { query: null, perUrl, charsMax }, pruned: null } };
}

/** Selects the passages of each result, best results first, within a token budget; the first passage that does not fit ends the list. */
export function selectPassagesWithin(results: readonly SearchResult[], tokensMax: number): string[][] {
  let left = tokensMax * CHARS_PER_TOKEN;
  return results.map(({ highlights = [] }) => {
    const fitting: string[] = [];
    for (const passage of highlights) {
      left -= passage.length;
      if (left < 0) break;
      fitting.push(passage);
    }
    return fitting;
  });
}
