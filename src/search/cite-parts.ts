import type { Place } from '../pages/article.ts';
import { contentHash } from '../text/citations/content-hash.ts';
import { textFragmentLink } from '../text/citations/text-fragment.ts';
import { trimmedSpan } from '../text/citations/trimmed-span.ts';
import type { PageParts } from './search.ts';

/** A place with a link that opens the page there. */
export type Proof = Place & { link: string };

/**
 * The parts of a page with proofs of its highlights and of its pruned context in place of where they stand. Of a page that
 * was not opened (null) there is nothing to prove: its parts are what a source said of it.
 */
export function withProofs(parts: PageParts, page: { url: string; markdown: string } | null): PageParts {
  const { highlightPlaces, prunedPlaces, ...others } = parts;
  if (page === null || (highlightPlaces === undefined && prunedPlaces === undefined)) return others;
  const proofsOf = (places: Place[]): Proof[] => places.map((place) => proofOf(place, page));
  return {
    ...others,
    ...(highlightPlaces === undefined ? {} : { highlightProofs: proofsOf(highlightPlaces) }),
    ...(prunedPlaces === undefined ? {} : { prunedProofs: proofsOf(prunedPlaces) }),
    contentHash: contentHash(page.markdown),
  };
}

function proofOf(
  { headingPath, ...place }: Place,
  { url, markdown }: { url: string; markdown: string },
): Proof {
  const { start, end } = trimmedSpan(markdown, place);
  return { start, end, headingPath, link: textFragmentLink(url, markdown.slice(start, end)) };
}
