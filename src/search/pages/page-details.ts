import type { PageMetadata } from '../../index/local-index-types.ts';
import type { Article } from '../../pages/article.ts';
import { type DescribedImage, listMarkdownImages } from '../../text/prune/images.ts';

/** The number of links and pictures of each page to return. */
export type DetailsOptions = { links: number; images: number };

/** The metadata, links and pictures of an opened page. */
export type PageDetails = {
  /** Absolute http(s) URLs that the page declares. */
  image: string | null;
  favicon: string | null;
  /** YYYY-MM-DD of the last change that the page declares; absent if unknown. */
  modifiedDay?: string;
  /** In page order; empty unless requested. */
  links: string[];
  images: DescribedImage[];
};

export function buildPageDetails(article: Article, { links, images }: DetailsOptions): PageDetails {
  return {
    image: article.image ?? null,
    favicon: article.favicon ?? null,
    ...(article.modified === undefined || article.modified === null
      ? {}
      : { modifiedDay: article.modified.day }),
    links: article.links.slice(0, links),
    images: images === 0 ? [] : listMarkdownImages(article.markdown, images),
  };
}

type PageDeclarations = {
  details?: Pick<PageDetails, 'image' | 'favicon' | 'modifiedDay'>;
  declared?: PageMetadata | undefined;
};

/** Returns what a page declares: as it was opened, else as the local index stored it. */
export function resolveDeclared({
  details,
  declared,
}: PageDeclarations): Pick<PageMetadata, 'image' | 'favicon' | 'modifiedDay'> {
  const { image = null, favicon = null, modifiedDay = null } = details ?? declared ?? {};
  return { image, favicon, modifiedDay };
}

export const NO_DETAILS: DetailsOptions = { links: 0, images: 0 };
