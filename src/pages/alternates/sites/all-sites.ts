import { discourse, gitHubIssues, hackerNews, stackExchange } from './discussions.ts';
import { cratesIo, dockerHub, npm, pypi } from './package-registries.ts';
import { bluesky, mastodon, wordPress } from './posts.ts';
import type { PublicSite } from './public-site.ts';

/** Every site with a known public interface; sites with a fixed host come first. */
export const ALL_SITES: readonly PublicSite[] = [
  ...[npm, pypi, cratesIo, dockerHub, gitHubIssues, hackerNews, stackExchange, bluesky],
  ...[discourse, mastodon, wordPress],
];

/** Returns the site that an address is a page of, or null. */
export function findPublicSite(url: string): PublicSite | null {
  return ALL_SITES.find(({ page }) => page?.test(url)) ?? null;
}
