import { type Filters, parseDomainFilter } from '../text/query/filters.ts';

/*
 * Marks are terms that stand for what a domain filter asks: `h:example.com` for the host and each of its parents, `p:/docs` for
 * each leading part of the path. They have posting lists as words do.
 */
const LABELS_MAX = 12;
const SEGMENTS_MAX = 8;

/** A host and the domains above it. */
export function hostMarks(hostname: string): string[] {
  const labels = hostname.replace(/\.$/, '').split('.');
  const parents = labels.map((_, index) => labels.slice(index).join('.'));
  return [...new Set([parents[0] ?? '', ...parents.slice(-LABELS_MAX)])].map((host) => `h:${host}`);
}

/** The path and its leading parts, on segment borders. */
export function pathMarks(pathname: string): string[] {
  const segments = pathname.split('/').slice(1);
  if (segments.at(-1) === '') segments.pop();
  return segments
    .slice(0, SEGMENTS_MAX)
    .map((_, index) => pathMark(`/${segments.slice(0, index + 1).join('/')}`));
}

const pathMark = (path: string): string => `p:${path}`;

/** Whether a path has parts beyond its marks. */
export const isDeep = (path: string): boolean => path.split('/').length - 1 > SEGMENTS_MAX;

/** A domain filter as the marks that a page of it has; `path` null: any. */
export type MarkedDomain = { host: string; path: string | null };

/**
 * The domain filters of a query: what a page must have one of (null: it need not), and what it must not have. Paths deeper than
 * the marks let too much through; the caller judges each page again.
 */
export function domainMarks({
  includeDomains,
  excludeDomains,
}: Pick<Filters, 'includeDomains' | 'excludeDomains'>): {
  included: MarkedDomain[] | null;
  excluded: MarkedDomain[];
} {
  const marksOf = (domains: string[], use: 'include' | 'exclude'): MarkedDomain[] =>
    domains.map((text) => marksOfDomain(text, use)).filter((marks) => marks !== null);
  return {
    included: includeDomains.length === 0 ? null : marksOf(includeDomains, 'include'),
    excluded: marksOf(excludeDomains, 'exclude'),
  };
}

function marksOfDomain(text: string, use: 'include' | 'exclude'): MarkedDomain | null {
  const filter = parseDomainFilter(text);
  if (filter === null) return null;
  const host = `h:${filter.host}`;
  if (filter.path === '') return { host, path: null };
  if (!isDeep(filter.path)) return { host, path: pathMark(filter.path) };
  return use === 'include' ? { host, path: null } : null;
}
