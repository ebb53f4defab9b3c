import type { SearchRequest, SearchResult } from '../../search/search-types.ts';

/**
 * Builds the options of a search that returns snippets: passages of cached copies as plain text, or the source's snippet. No page is
 * fetched, because the clients time out after seconds and read the pages they choose themselves.
 */
export function buildSnippetRequest(perUrl: number): Pick<SearchRequest, 'contents' | 'opening'> {
  return { ...buildPassageRequest(perUrl, { plain: true }), opening: { copies: 'only' } };
}

/** Builds the options of a search that returns passages of the opened pages, as Markdown unless `plain` is set. */
export function buildPassageRequest(
  perUrl: number,
  { plain = false }: { plain?: boolean } = {},
): Pick<SearchRequest, 'contents'> {
  return {
    contents: {
      text: null,
      highlights: { query: null, perUrl, charsMax: null },
      pruned: null,
      ...(plain ? { plain: true } : {}),
    },
  };
}

/** Returns the best passage of a result; empty if there is none. */
export const readSnippet = ({ highlights }: SearchResult): string => highlights?.[0] ?? '';
