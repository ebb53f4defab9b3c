import { contentHash } from './content-hash.ts';
import { textFragmentLink } from './proof/text-fragment.ts';
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

/** White space around a highlight belongs to it as little as to what is next to it. */
function proofOf(
  { start, end, headingPath }: HighlightPlace,
  { url, markdown }: { url: string; markdown: string },
): HighlightProof {
  const slice = markdown.slice(start, end);
  const first = start + slice.length - slice.trimStart().length;
  const last = Math.max(first, start + slice.trimEnd().length);
  return { start: first, end: last, headingPath, link: textFragmentLink(url, markdown.slice(first, last)) };
}
