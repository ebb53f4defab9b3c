import { declaredBy } from '../../search/pages/page-details.ts';
import type { SearchResult } from '../../search/search-types.ts';
import type { DescribedImage } from '../../text/prune/images.ts';
import { flag } from './fields.ts';

/** Pictures of each page, and of one response. */
export const IMAGES_PER_PAGE = 5;
const IMAGES_MAX = 20;

/** `include_image_descriptions` has an effect only beside `include_images`. */
export const imageFields = { includeImages: flag, includeImageDescriptions: flag };

type Asked = { includeImages: boolean; includeImageDescriptions: boolean };

/** The pictures of the pages, each once, in the order of the pages: URLs, or URLs with the text beside the picture. */
export function imagesOf(
  pages: readonly Pick<SearchResult, 'details' | 'declared'>[],
  { includeImages, includeImageDescriptions }: Asked,
): (string | DescribedImage)[] {
  if (!includeImages) return [];
  const images = describedImages(pages);
  return includeImageDescriptions ? images : images.map(({ url }) => url);
}

/** The pictures of the pages, each once, in the order of the pages. */
export function describedImages(
  pages: readonly Pick<SearchResult, 'details' | 'declared'>[],
): DescribedImage[] {
  const all = pages.flatMap(picturesOf);
  const distinct = [...new Map(all.toReversed().map((image) => [image.url, image])).values()].toReversed();
  return distinct.slice(0, IMAGES_MAX);
}

/** Those of the text first; the picture that the page declares only if its text has none. */
function picturesOf(page: Pick<SearchResult, 'details' | 'declared'>): DescribedImage[] {
  const { images } = page.details ?? { images: [] };
  const { image } = declaredBy(page);
  return images.length > 0 || image === null ? images : [{ url: image, description: '' }];
}
