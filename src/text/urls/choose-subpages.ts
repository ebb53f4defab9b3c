import { wordsOf } from '../words/words.ts';
import { crawlableUrl } from './crawlable.ts';
import { isSameSite } from './sites.ts';
import { samePageKey } from './url-spelling.ts';

type Linking = { url: string; canonicalUrl: string; links: readonly string[] };

/**
 * Lists the pages of its own site that a page links to, best first: those with the most target words in their addresses, then those
 * below the page's own path, then in page order. Leaves out the page itself, the `taken` ones and what cannot be a page.
 */
export function chooseSubpages(
  page: Linking,
  { targets, taken }: { targets: readonly string[]; taken: ReadonlySet<string> },
): string[] {
  const wanted = new Set(targets.flatMap((target) => wordsOf(target, 'en')));
  const seen = new Set([page.url, page.canonicalUrl, ...taken].map(samePageKey));
  const { pathname } = new URL(page.url);
  const below = pathname.slice(0, pathname.lastIndexOf('/') + 1);
  const found: { url: string; score: number }[] = [];
  for (const link of page.links) {
    const url = crawlableUrl(link);
    if (url === null || !isSameSite(url, page.url) || seen.has(samePageKey(url))) continue;
    seen.add(samePageKey(url));
    found.push({ url, score: scoreOf(new URL(url), { wanted, below }) });
  }
  return found.sort((one, other) => other.score - one.score).map(({ url }) => url);
}

/** Scores 1 per target word, plus 0.5 below the page's path. */
function scoreOf(
  { pathname }: URL,
  { wanted, below }: { wanted: ReadonlySet<string>; below: string },
): number {
  const words = new Set(wordsOf(pathname.replaceAll(/[^\p{L}\p{N}%]+/gu, ' '), 'en'));
  const hits = [...wanted].filter((word) => words.has(word)).length;
  return hits + (below !== '/' && pathname.startsWith(below) ? 0.5 : 0);
}
