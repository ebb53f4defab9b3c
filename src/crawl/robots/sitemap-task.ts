import { parseSitemap, type Sitemap } from './sitemap.ts';

export type SitemapTask = { bytes: Uint8Array<ArrayBuffer>; base: string };

/** What a sitemap thread does: reads one file. */
export function sitemapTask({ bytes, base }: SitemapTask): Promise<Sitemap> {
  return parseSitemap(bytes, base);
}
