import assert from 'node:assert/strict';
import { computeContentHash } from '../pages/content-hash.ts';
import type { Place } from '../text/chunk/chunk-markdown.ts';
import { buildTextFragmentLink } from '../text/citations/text-fragment.ts';
import { trimSpan } from '../text/citations/trimmed-span.ts';
import type { PageParts } from '../text/prune/page-parts.ts';

/** A place with a link that opens the page there. */
export type Citation = Place & { link: string };

/** The parts of a page, with citations instead of offsets; absent for a page that was not opened. */
export type CitedParts = Omit<PageParts, 'highlightPlaces' | 'prunedPlaces'> & {
  /** One for each highlight, in order. */
  highlightProofs?: Citation[];
  /** One for each section of the page that the pruned context holds, in page order. */
  prunedProofs?: Citation[];
  /** Identifies the text that the citations refer to. */
  contentHash?: string;
};

/** Cites the highlights and the pruned context of a page. Parts without a page (null) come from a source's snippet and are not cited. */
export function citeParts(parts: PageParts, page: { url: string; markdown: string } | null): CitedParts {
  const { highlightPlaces, prunedPlaces, ...others } = parts;
  if (page === null || (highlightPlaces === undefined && prunedPlaces === undefined)) return others;
  const buildCitations = (places: Place[]): Citation[] => places.map((place) => buildCitation(place, page));
  return {
    ...others,
    ...(highlightPlaces === undefined ? {} : { highlightProofs: buildCitations(highlightPlaces) }),
    ...(prunedPlaces === undefined ? {} : { prunedProofs: buildCitations(prunedPlaces) }),
    contentHash: computeContentHash(page.markdown),
  };
}

function buildCitation(
  { headingPath, ...place }: Place,
  { url, markdown }: { url: string; markdown: string },
): Citation {
  const { start, end } = trimSpan(markdown, place);
  assert(0 <= start && start <= end && end <= markdown.length, 'a citation lies within the text');
  return { start, end, headingPath, link: buildTextFragmentLink(url, markdown, { start, end }) };
}
