import { contentHash } from './content-hash.ts';
import { textFragmentLink } from './proof/text-fragment.ts';
import { trimmedSpan } from './proof/trimmed-span.ts';
import type { PageParts } from './search.ts';

/** A stretch of a page's Markdown and the headings above it, outermost first. */
export type HighlightPlace = { start: number; end: number; headingPath: string[] };
/** The same with a link that opens the page there. */
export type HighlightProof = HighlightPlace & { link: string };

/**
 * The parts of a page with proofs of its highlights in place of where they stand. Of a page that was not opened (null) there
 * is nothing to prove: its highlights are what a source said of it.
 */
export function withProofs(parts: PageParts, page: { url: string; markdown: string } | null): PageParts {
  const { highlightPlaces, ...others } = parts;
  if (highlightPlaces === undefined || page === null) return others;
  return {
    ...others,
    highlightProofs: highlightPlaces.map((place) => proofOf(place, page)),
    contentHash: contentHash(page.markdown),
  };
}

function proofOf(
  { headingPath, ...place }: HighlightPlace,
  { url, markdown }: { url: string; markdown: string },
): HighlightProof {
  const { start, end } = trimmedSpan(markdown, place);
  return { start, end, headingPath, link: textFragmentLink(url, markdown.slice(start, end)) };
}
