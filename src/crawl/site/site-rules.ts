import { isSameSite, toHostKey } from '../../text/urls/sites.ts';
import type { UrlPattern } from '../frontier/url-pattern.ts';

/** Selects the addresses of a site that a caller wants. An empty list selects everything and excludes nothing. */
export type SiteFilters = {
  selectPaths: UrlPattern[];
  excludePaths: UrlPattern[];
  selectDomains: UrlPattern[];
  excludeDomains: UrlPattern[];
  /** Addresses of other hosts may be in the answer; their links are not followed. */
  allowExternal: boolean;
};

/** `inside`: its links are followed. `wanted`: it may be in the answer; an address inside that is not wanted only leads to others. */
export type UrlVerdict = { inside: boolean; wanted: boolean };

export type SiteRules = {
  /** The verdict on an address as `toCrawlUrl` spells it; null: it is ignored. */
  judge(url: string): UrlVerdict | null;
};

/**
 * The site is the host of `start`, with or without `www.`; other hosts of the same registrable domain belong to it when a
 * domain pattern selects them.
 */
export function createSiteRules(start: string, filters: SiteFilters): SiteRules {
  const { selectPaths, excludePaths, selectDomains, excludeDomains, allowExternal } = filters;
  const site = toHostKey(start);
  return {
    judge(url) {
      const { hostname, pathname } = new URL(url);
      const paths = listSpellings(pathname);
      if (matchesAny(excludeDomains, [hostname]) || matchesAny(excludePaths, paths)) return null;
      const isSelected = selectDomains.length > 0 && matchesAny(selectDomains, [hostname]);
      const wanted =
        (selectDomains.length === 0 || isSelected) &&
        (selectPaths.length === 0 || matchesAny(selectPaths, paths));
      if (toHostKey(url) === site || (isSelected && isSameSite(url, start))) return { inside: true, wanted };
      return allowExternal && wanted ? { inside: false, wanted } : null;
    },
  };
}

const matchesAny = (patterns: UrlPattern[], texts: string[]): boolean =>
  patterns.some((pattern) => texts.some((text) => pattern.isIn(text)));

/** Lists a path as in the address, and decoded as people write it: either may match a pattern. */
export function listSpellings(path: string): string[] {
  if (!path.includes('%')) return [path];
  try {
    return [path, decodeURIComponent(path)];
  } catch {
    return [path];
  }
}
