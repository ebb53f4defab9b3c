import type { CrawlFixtureOptions } from '../crawl-fixture.ts';

/** The site that is crawled, at an address of our own. */
export const SITE = 'http://docs.test';
export const at = (path: string): string => `${SITE}${path}`;

/** A site of `count` pages, each leading to the next two. */
export function tree(count: number): CrawlFixtureOptions['pages'] {
  const path = (place: number): string => (place === 0 ? '/' : `/${place}`);
  return Object.fromEntries(
    Array.from({ length: count }, (_, place) => {
      const next = [2 * place + 1, 2 * place + 2].filter((child) => child < count);
      return [at(path(place)), { links: next.map((child) => at(path(child))) }];
    }),
  );
}
