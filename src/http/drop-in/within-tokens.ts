import { CHARS_PER_TOKEN, HIGHLIGHT_CHARS_MAX, HIGHLIGHTS_MAX } from '../../contract/limits.ts';
import type { SearchRequest, SearchResult } from '../../search/search-types.ts';

/** What a search for reading asks for: passages of the opened pages, up to so many tokens and passages of each. */
export function passagesWithin({
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

/** The passages of each result, best results first, as far as the tokens last; a passage that does not fit ends them. */
export function passagesInBudget(results: readonly SearchResult[], tokensMax: number): string[][] {
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
