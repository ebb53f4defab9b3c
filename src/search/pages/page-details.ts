import type { Article } from '../../pages/article.ts';
import { type DescribedImage, imagesIn } from '../../text/prune/images.ts';

/** How many links and pictures of each page to return. */
export type DetailsWanted = { links: number; images: number };

/** What an opened page says about itself, besides its text. */
export type PageDetails = {
  /** Absolute http(s) URLs that the page declares. */
  image: string | null;
  favicon: string | null;
  /** In page order; empty unless requested. */
  links: string[];
  images: DescribedImage[];
};

export function detailsOf(article: Article, { links, images }: DetailsWanted): PageDetails {
  return {
    image: article.image ?? null,
    favicon: article.favicon ?? null,
    links: article.links.slice(0, links),
    images: images === 0 ? [] : imagesIn(article.markdown, images),
  };
}

export const NO_DETAILS: DetailsWanted = { links: 0, images: 0 };
