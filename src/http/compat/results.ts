/** Parts of a search that the second shape and the shapes of other services show: snippets, passages within a budget, icons and images. */
import { CHARS_PER_TOKEN, HIGHLIGHT_CHARS_MAX, HIGHLIGHTS_MAX } from '../../contract/limits.ts';
import { resolveDeclared } from '../../search/pages/page-details.ts';
import type { SearchRequest, SearchResult } from '../../search/search-types.ts';
import type { DescribedImage } from '../../text/prune/images.ts';

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

/** Returns the icon that the page of a result declares, or the conventional one of its site. */
export function findIcon(result: SearchResult): string | null {
  return resolveDeclared(result).favicon ?? buildFaviconUrl(result.url);
}

/** Builds the conventional URL of a site's icon; not checked to exist. */
export function buildFaviconUrl(url: string): string | null {
  const page = URL.parse(url);
  return page === null ? null : new URL('/favicon.ico', page).href;
}

/** Maximum images per page, and per response. */
export const IMAGES_PER_PAGE = 5;
const IMAGES_MAX = 20;

/** Collects the images of the pages with their descriptions, each once, in page order. */
export function collectDescribedImages(
  pages: readonly Pick<SearchResult, 'details' | 'declared'>[],
): DescribedImage[] {
  const all = pages.flatMap(collectPageImages);
  const distinct = [...new Map(all.toReversed().map((image) => [image.url, image])).values()].toReversed();
  return distinct.slice(0, IMAGES_MAX);
}

/** Returns the images of the text, or the image that the page declares if its text has none. */
function collectPageImages(page: Pick<SearchResult, 'details' | 'declared'>): DescribedImage[] {
  const { images } = page.details ?? { images: [] };
  const { image } = resolveDeclared(page);
  return images.length > 0 || image === null ? images : [{ url: image, description: '' }];
}
