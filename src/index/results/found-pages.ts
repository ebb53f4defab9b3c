import { isNearDuplicate, isVersionOfSameText } from '../../text/near-duplicates/near-duplicates.ts';
import { createPageFilter } from '../../text/query/filters.ts';
import { buildSnippet, type SnippetTerm } from '../../text/scoring/snippet.ts';
import {
  containsVersion,
  findVersionPair,
  isPreferredVersion,
  parseUrlParts,
  type UrlParts,
} from '../../text/urls/page-version.ts';
import type { FoundPage, IndexQuery } from '../local-index-types.ts';

/** The fields of a page that a result shows. */
type FoundHead = Omit<FoundPage, 'score' | 'isWeak' | 'snippet'>;

/** The reads that building results needs; every engine provides them. */
type FoundParts = {
  /** Null when the page is gone. */
  head(id: number): FoundHead | null;
  sketch(id: number): Uint32Array;
  markdown(id: number): string;
  snippetTerms: SnippetTerm[];
};

type PageIdentity = { address: UrlParts; sketch: Uint32Array };

/** A result with what identifies copies and versions of its page. */
type KeptResult = PageIdentity & { found: FoundPage };

/** Returns whether two pages are copies or versions of one page (`/docs/15/` and `/docs/16/`), of which one result is enough. */
const isSamePage = (one: PageIdentity, other: PageIdentity): boolean =>
  isNearDuplicate(one.sketch, other.sketch) ||
  (findVersionPair(one.address, other.address) !== null && isVersionOfSameText(one.sketch, other.sketch));

/**
 * Selects the best ranked pages that pass the filters, with their snippets. Keeps the best of near-duplicates; of the versions of one
 * page it keeps the one that the query names, else the newest released one, in the place of the best.
 */
export function buildFoundPages(
  ranked: readonly { id: number; score: number; isWeak: boolean }[],
  query: IndexQuery,
  { head, sketch, markdown, snippetTerms }: FoundParts,
): FoundPage[] {
  const passes = createPageFilter(query);
  const kept: KeptResult[] = [];
  for (const { id, score, isWeak } of ranked) {
    const isFull = kept.length >= query.limit;
    // Further pages matter only as other versions of pages already kept.
    if (isFull && !kept.some(({ address }) => containsVersion(address))) break;
    const page = head(id);
    if (page === null || !passes(page)) continue;
    const address = parseUrlParts(page.url);
    if (isFull && !containsVersion(address)) continue;
    const shown = { address, sketch: sketch(id) };
    const same = kept.findIndex((other) => isSamePage(other, shown));
    const found = { ...page, score, isWeak, snippet: '' };
    if (same === -1 && !isFull)
      kept.push({ ...shown, found: { ...found, snippet: buildSnippet(markdown(id), snippetTerms) } });
    const held = kept[same];
    const versions = held === undefined ? null : findVersionPair(shown.address, held.address);
    if (held === undefined || versions === null || !isPreferredVersion(versions, query.query.text)) continue;
    const { score: best, isWeak: isBestWeak } = held.found;
    const snippet = buildSnippet(markdown(id), snippetTerms);
    kept[same] = { ...shown, found: { ...found, score: best, isWeak: isBestWeak, snippet } };
  }
  return kept.map(({ found }) => found);
}
