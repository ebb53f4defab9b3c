import { hostKey, isSameSite } from '../../text/urls/sites.ts';
import type { UrlPattern } from '../frontier/url-pattern.ts';

/** Which addresses a caller wants of a site. An empty list selects everything and excludes nothing. */
export type SiteWishes = {
  selectPaths: UrlPattern[];
  excludePaths: UrlPattern[];
  selectDomains: UrlPattern[];
  excludeDomains: UrlPattern[];
  /** Addresses of other hosts may be named; their links are not followed. */
  allowExternal: boolean;
};

/** `inside`: its links are followed. `wanted`: it may stand in the answer; what is inside and not wanted only leads on. */
export type Verdict = { inside: boolean; wanted: boolean };

export type SiteRules = {
  /** What an address in its one spelling is to this walk; null: nothing, it is not even looked at. */
  judge(url: string): Verdict | null;
};

/**
 * The site is the host of `start` (a `www.` more or less is the same); hosts below the same registrable domain belong to it
 * when a domain pattern selects them.
 */
export function createSiteRules(start: string, wishes: SiteWishes): SiteRules {
  const { selectPaths, excludePaths, selectDomains, excludeDomains, allowExternal } = wishes;
  const site = hostKey(start);
  return {
    judge(url) {
      const { hostname, pathname } = new URL(url);
      const paths = spellingsOf(pathname);
      if (matches(excludeDomains, [hostname]) || matches(excludePaths, paths)) return null;
      const isNamed = selectDomains.length > 0 && matches(selectDomains, [hostname]);
      const wanted =
        (selectDomains.length === 0 || isNamed) && (selectPaths.length === 0 || matches(selectPaths, paths));
      if (hostKey(url) === site || (isNamed && isSameSite(url, start))) return { inside: true, wanted };
      return allowExternal && wanted ? { inside: false, wanted } : null;
    },
  };
}

const matches = (patterns: UrlPattern[], texts: string[]): boolean =>
  patterns.some((pattern) => texts.some((text) => pattern.isIn(text)));

/** A path as it stands in the address, and as people write it. */
function spellingsOf(path: string): string[] {
  if (!path.includes('%')) return [path];
  try {
    return [path, decodeURIComponent(path)];
  } catch {
    return [path];
  }
}
