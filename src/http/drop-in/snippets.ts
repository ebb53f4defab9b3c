import type { SearchRequest, SearchResult } from '../../search/search-types.ts';

/**
 * What a search for snippets asks for: passages of kept copies as plain text, or the snippet of the source. It fetches no page, because its
 * clients give up after seconds and read the pages they choose themselves.
 */
export function snippets(perUrl: number): Pick<SearchRequest, 'contents' | 'opening'> {
  return { ...passages(perUrl, { plain: true }), opening: { copies: 'only' } };
}

/** What a search for reading asks for: passages of the opened pages, as Markdown unless plain text is wanted. */
export function passages(
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

/** The best passage of a result; empty if there is none. */
export const snippetOf = ({ highlights }: SearchResult): string => highlights?.[0] ?? '';
