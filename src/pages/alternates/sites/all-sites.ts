import { bluesky } from './bluesky.ts';
import { cratesIo } from './crates-io.ts';
import { discourse } from './discourse.ts';
import { dockerHub } from './docker-hub.ts';
import { gitHubIssues } from './github-issues.ts';
import { hackerNews } from './hacker-news.ts';
import { mastodon } from './mastodon.ts';
import { npm } from './npm.ts';
import type { PublicSite } from './public-site.ts';
import { pypi } from './pypi.ts';
import { stackExchange } from './stack-exchange.ts';
import { wordPress } from './wordpress.ts';

/** Every site with a known public interface; sites with a fixed host come first. */
export const ALL_SITES: readonly PublicSite[] = [
  ...[npm, pypi, cratesIo, dockerHub, gitHubIssues, hackerNews, stackExchange, bluesky],
  ...[discourse, mastodon, wordPress],
];

/** Returns the site that an address is a page of, or null. */
export function findPublicSite(url: string): PublicSite | null {
  return ALL_SITES.find(({ page }) => page?.test(url)) ?? null;
}
