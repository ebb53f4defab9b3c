import { nearDuplicates, versionsOfOneText } from '../../text/near-duplicates/near-duplicates.ts';
import { passFilters } from '../../text/query/filters.ts';
import { type SnippetTerm, snippetOf } from '../../text/scoring/snippet.ts';
import {
  leadsBefore,
  namesVersion,
  type TakenApart,
  takeApart,
  versionsApart,
} from '../../text/urls/page-version.ts';
import type { FoundPage, IndexQuery } from '../local-index-types.ts';

/** What a result shows of its page. */
type FoundHead = Omit<FoundPage, 'score' | 'isWeak' | 'snippet'>;

/** Where results read the pages that ranking has chosen; the same for every engine. */
type FoundParts = {
  /** Null when the page is gone. */
  head(id: number): FoundHead | null;
  sketch(id: number): Uint32Array;
  markdown(id: number): string;
  snippetTerms: SnippetTerm[];
};

type Shown = { address: TakenApart; sketch: Uint32Array };

/** A result, and what tells copies and versions of its page. */
type Kept = Shown & { found: FoundPage };

/** Copies of one page, and versions of it (`/docs/15/` and `/docs/16/`): one of them is enough. */
const isSamePage = (one: Shown, other: Shown): boolean =>
  nearDuplicates(one.sketch, other.sketch) ||
  (versionsApart(one.address, other.address) !== null && versionsOfOneText(one.sketch, other.sketch));

/**
 * The best of the ranked pages that pass the filters, with their snippets. Of near-duplicates the best is kept; of versions of one
 * page the one that the query names, else the newest that is released, in the place of the best.
 */
export function foundPages(
  ranked: readonly { id: number; score: number; isWeak: boolean }[],
  query: IndexQuery,
  { head, sketch, markdown, snippetTerms }: FoundParts,
): FoundPage[] {
  const passes = passFilters(query);
  const kept: Kept[] = [];
  for (const { id, score, isWeak } of ranked) {
    const isFull = kept.length >= query.limit;
    // Further pages count only as other versions of those that are kept.
    if (isFull && !kept.some(({ address }) => namesVersion(address))) break;
    const page = head(id);
    if (page === null || !passes(page)) continue;
    const address = takeApart(page.url);
    if (isFull && !namesVersion(address)) continue;
    const shown = { address, sketch: sketch(id) };
    const same = kept.findIndex((other) => isSamePage(other, shown));
    const found = { ...page, score, isWeak, snippet: '' };
    if (same === -1 && !isFull)
      kept.push({ ...shown, found: { ...found, snippet: snippetOf(markdown(id), snippetTerms) } });
    const held = kept[same];
    const versions = held === undefined ? null : versionsApart(shown.address, held.address);
    if (held === undefined || versions === null || !leadsBefore(versions, query.query.text)) continue;
    const { score: best, isWeak: isBestWeak } = held.found;
    const snippet = snippetOf(markdown(id), snippetTerms);
    kept[same] = { ...shown, found: { ...found, score: best, isWeak: isBestWeak, snippet } };
  }
  return kept.map(({ found }) => found);
}
