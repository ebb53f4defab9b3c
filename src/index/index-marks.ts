import { type Filters, parseDomainFilter } from '../text/query/filters.ts';

/*
 * Marks are terms that implement domain filters: `h:example.com` for the host and each of its parent domains, `p:/docs` for
 * each leading part of the path. They have posting lists, as words do.
 */
const LABELS_MAX = 12;
const SEGMENTS_MAX = 8;

/** Returns the marks of a host and of the domains above it. */
export function buildHostMarks(hostname: string): string[] {
  const labels = hostname.replace(/\.$/, '').split('.');
  const parents = labels.map((_, index) => labels.slice(index).join('.'));
  return [...new Set([parents[0] ?? '', ...parents.slice(-LABELS_MAX)])].map((host) => `h:${host}`);
}

/** Returns the marks of a path and of its leading parts, cut at segment borders. */
export function buildPathMarks(pathname: string): string[] {
  const segments = pathname.split('/').slice(1);
  if (segments.at(-1) === '') segments.pop();
  return segments
    .slice(0, SEGMENTS_MAX)
    .map((_, index) => toPathMark(`/${segments.slice(0, index + 1).join('/')}`));
}

const toPathMark = (path: string): string => `p:${path}`;

/** Returns whether a path has more segments than marks cover. */
export const isDeep = (path: string): boolean => path.split('/').length - 1 > SEGMENTS_MAX;

/** A domain filter as the marks of the pages that it matches; `path` is null when any path matches. */
export type MarkedDomain = { host: string; path: string | null };

/**
 * Converts the domain filters of a query: a page must match one of `included` (null: no restriction) and none of `excluded`. Paths
 * deeper than the marks let too many pages through, so the caller checks each page again.
 */
export function buildDomainMarks({
  includeDomains,
  excludeDomains,
}: Pick<Filters, 'includeDomains' | 'excludeDomains'>): {
  included: MarkedDomain[] | null;
  excluded: MarkedDomain[];
} {
  const markDomains = (domains: string[], use: 'include' | 'exclude'): MarkedDomain[] =>
    domains.map((text) => markDomain(text, use)).filter((marks) => marks !== null);
  return {
    included: includeDomains.length === 0 ? null : markDomains(includeDomains, 'include'),
    excluded: markDomains(excludeDomains, 'exclude'),
  };
}

function markDomain(text: string, use: 'include' | 'exclude'): MarkedDomain | null {
  const filter = parseDomainFilter(text);
  if (filter === null) return null;
  const host = `h:${filter.host}`;
  if (filter.path === '') return { host, path: null };
  if (!isDeep(filter.path)) return { host, path: toPathMark(filter.path) };
  return use === 'include' ? { host, path: null } : null;
}
