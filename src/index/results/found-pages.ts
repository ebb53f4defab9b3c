import { nearDuplicates, versionsOfOneText } from '../../text/near-duplicates/near-duplicates.ts';
import { passFilters } from '../../text/query/filters.ts';
import { type SnippetTerm, snippetOf } from '../../text/scoring/snippet.ts';
import { differInVersion } from '../../text/urls/url-spelling.ts';
import type { FoundPage, IndexQuery } from '../local-index-types.ts';

/** What a result shows of its page. */
type FoundHead = Omit<FoundPage, 'score' | 'isRelevant' | 'snippet'>;

/** Where results read the pages that ranking has chosen; the same for every engine. */
type FoundParts = {
  /** Null when the page is gone. */
  head(id: number): FoundHead | null;
  sketch(id: number): Uint32Array;
  markdown(id: number): string;
  snippetTerms: SnippetTerm[];
};

type Shown = { url: string; sketch: Uint32Array };

/** Copies, and versions of one page (`/docs/15/` and `/docs/16/`): the better of them is enough. */
const isSamePage = (one: Shown, other: Shown): boolean =>
  nearDuplicates(one.sketch, other.sketch) ||
  (differInVersion(one.url, other.url) && versionsOfOneText(one.sketch, other.sketch));

/** The best of the ranked pages that pass the filters and are no near-duplicate of a better one, with their snippets. */
export function foundPages(
  ranked: readonly { id: number; score: number; isRelevant: boolean }[],
  query: IndexQuery,
  { head, sketch, markdown, snippetTerms }: FoundParts,
): FoundPage[] {
  const passes = passFilters(query);
  const found: FoundPage[] = [];
  const shown: Shown[] = [];
  for (const { id, score, isRelevant } of ranked) {
    if (found.length >= query.limit) break;
    const page = head(id);
    if (page === null || !passes(page)) continue;
    const candidate = { url: page.url, sketch: sketch(id) };
    if (shown.some((other) => isSamePage(other, candidate))) continue;
    shown.push(candidate);
    found.push({ ...page, score, isRelevant, snippet: snippetOf(markdown(id), snippetTerms) });
  }
  return found;
}
