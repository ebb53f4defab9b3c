import { compilePattern, type UrlPattern } from '../../crawl/frontier/url-pattern.ts';
import { spellingsOf } from '../../crawl/site/site-rules.ts';
import type { VisitScope } from '../../crawl/visit/visit-page.ts';
import { hasSecret } from '../../pages/sharing/secret-in-address.ts';
import { crawlableUrl } from '../../text/urls/crawlable.ts';
import { hostKey, isSameSite } from '../../text/urls/sites.ts';
import { samePageKey } from '../../text/urls/url-spelling.ts';
import type { CrawlOrder } from '../job-types.ts';

/** Which addresses a crawl job visits, and which pages are in its answer. */
export type JobScope = {
  /** The scope of one visit: links are followed only from pages of the site. */
  from(url: string): VisitScope;
  /** Addresses as written -> those to visit, each once. */
  toVisit(links: string[]): string[];
  /** Whether the page at an address may be in the answer. */
  wants(url: string): boolean;
  /** What no two pages of the answer share. */
  keyOf(url: string): string;
};

/** `bases`: the start address, and the address that it led to. */
export function createJobScope(order: CrawlOrder, bases: string[]): JobScope {
  const include = order.include.map(compiled);
  const exclude = order.exclude.map(compiled);
  const isInside = (url: string): boolean =>
    bases.some(
      (base) =>
        (hostKey(url) === hostKey(base) && (order.entireDomain || isBelow(url, base))) ||
        (order.subdomains && hostKey(url) !== hostKey(base) && isSameSite(url, base)),
    );
  const isSelected = (url: string): boolean => {
    const texts = order.matchesWholeUrl ? [url] : spellingsOf(new URL(url).pathname);
    const matches = (pattern: UrlPattern): boolean => texts.some((text) => pattern.isIn(text));
    return !exclude.some(matches) && (include.length === 0 || include.some(matches));
  };
  const covers = (url: string): boolean => isSelected(url) && (order.external || isInside(url));
  const toVisit = (links: string[]): string[] => {
    const urls = new Set<string>();
    for (const link of links) {
      const url = crawlableUrl(order.ignoresQuery ? withoutQuery(link) : link);
      if (url !== null && covers(url) && !hasSecret(url)) urls.add(url);
    }
    return [...urls];
  };
  const follows = order.sitemap !== 'only';
  return {
    from(url) {
      if (url !== order.start)
        return { covers, toVisit: (links) => (follows && isInside(url) ? toVisit(links) : []) };
      let site = toVisit;
      return {
        // The start page may lead anywhere; the site is then the one that it led to.
        covers(end) {
          if (!bases.includes(end)) site = createJobScope(order, [...bases, end]).toVisit;
          return true;
        },
        toVisit: (links) => (follows ? site(links) : []),
      };
    },
    toVisit,
    wants: isSelected,
    keyOf: (url) => (order.foldsSpellings ? samePageKey(url) : url),
  };
}

function compiled(pattern: string): UrlPattern {
  const found = compilePattern(pattern);
  // Checked when the job was ordered.
  if ('problem' in found) throw new Error(`the pattern of a job ${found.problem}`);
  return found;
}

/** Whether a path lies at or below that of a page; below its folder if the path names a file. */
function isBelow(url: string, base: string): boolean {
  const { pathname } = new URL(url);
  const path = new URL(base).pathname;
  const last = path.slice(path.lastIndexOf('/') + 1);
  const folder = last.includes('.') ? path.slice(0, -last.length) : `${path.replace(/\/$/, '')}/`;
  return pathname.startsWith(folder) || pathname === path;
}

function withoutQuery(link: string): string {
  const at = link.indexOf('?');
  return at === -1 ? link : link.slice(0, at);
}
