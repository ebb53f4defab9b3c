import { tokenizeWords } from '../words/words.ts';
import { toCrawlableUrl } from './crawlable.ts';
import { isSameSite } from './sites.ts';
import { toSamePageKey } from './url-spelling.ts';

type LinkingPage = { url: string; canonicalUrl: string; links: readonly string[] };

/**
 * Lists the pages of its own site that a page links to, best first: those with the most target words in their addresses, then those
 * below the page's own path, then in page order. Leaves out the page itself, the `taken` ones and what cannot be a page.
 */
export function chooseSubpages(
  page: LinkingPage,
  { targets, taken }: { targets: readonly string[]; taken: ReadonlySet<string> },
): string[] {
  const wanted = new Set(targets.flatMap((target) => tokenizeWords(target, 'en')));
  const seen = new Set([page.url, page.canonicalUrl, ...taken].map(toSamePageKey));
  const { pathname } = new URL(page.url);
  const below = pathname.slice(0, pathname.lastIndexOf('/') + 1);
  const found: { url: string; score: number }[] = [];
  for (const link of page.links) {
    const url = toCrawlableUrl(link);
    if (url === null || !isSameSite(url, page.url) || seen.has(toSamePageKey(url))) continue;
    seen.add(toSamePageKey(url));
    found.push({ url, score: scoreLink(new URL(url), { wanted, below }) });
  }
  return found.sort((one, other) => other.score - one.score).map(({ url }) => url);
}

/** Scores 1 per target word, plus 0.5 below the page's path. */
function scoreLink(
  { pathname }: URL,
  { wanted, below }: { wanted: ReadonlySet<string>; below: string },
): number {
  const words = new Set(tokenizeWords(pathname.replaceAll(/[^\p{L}\p{N}%]+/gu, ' '), 'en'));
  const hits = [...wanted].filter((word) => words.has(word)).length;
  return hits + (below !== '/' && pathname.startsWith(below) ? 0.5 : 0);
}
