import { declaredBy } from '../../search/pages/page-details.ts';
import type { SearchResult } from '../../search/search-types.ts';
import type { DescribedImage } from '../../text/prune/images.ts';
import { flag } from './fields.ts';

/** Maximum images per page, and per response. */
export const IMAGES_PER_PAGE = 5;
const IMAGES_MAX = 20;

/** `include_image_descriptions` has an effect only with `include_images`. */
export const imageFields = { includeImages: flag, includeImageDescriptions: flag };

type ImageOptions = { includeImages: boolean; includeImageDescriptions: boolean };

/** Collects the images of the pages, each once, in page order: URLs, or URLs with the text beside the image. */
export function collectImages(
  pages: readonly Pick<SearchResult, 'details' | 'declared'>[],
  { includeImages, includeImageDescriptions }: ImageOptions,
): (string | DescribedImage)[] {
  if (!includeImages) return [];
  const images = collectDescribedImages(pages);
  return includeImageDescriptions ? images : images.map(({ url }) => url);
}

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
  const { image } = declaredBy(page);
  return images.length > 0 || image === null ? images : [{ url: image, description: '' }];
}
