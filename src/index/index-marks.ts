import { type Filters, parseDomainFilter } from '../text/query/filters.ts';

/*
 * Marks are tokens that stand for what a domain filter asks, so that the full-text engine finds the pages of a hundred
 * domains in one go: `h:example.com` for the host and each of its parents, `p:/docs` for each leading part of the path.
 */
const LABELS_MAX = 12;
const SEGMENTS_MAX = 8;

/** No page at all; no text has this token. */
const NOTHING = '"h:"';

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

/** The tokeniser folds case and splits at other signs, so all but plain characters are spelled out. */
const pathMark = (path: string): string =>
  `p:${path.replace(/[^a-z0-9/._-]/g, (character) => `+${character.charCodeAt(0).toString(36)}.`)}`;

/** Whether a path has parts beyond its marks. */
export const isDeep = (path: string): boolean => path.split('/').length - 1 > SEGMENTS_MAX;

/**
 * The domain filters of a query as FTS5 expressions: what must match and what must not; null where nothing is asked.
 * Paths deeper than the marks let too much through; the caller judges each page again.
 */
export function domainExpressions({
  includeDomains,
  excludeDomains,
}: Pick<Filters, 'includeDomains' | 'excludeDomains'>): {
  within: string | null;
  without: string | null;
} {
  const included = includeDomains
    .map((text) => domainExpression(text, 'include'))
    .filter((part) => part !== null);
  const excluded = excludeDomains
    .map((text) => domainExpression(text, 'exclude'))
    .filter((part) => part !== null);
  return {
    within: includeDomains.length === 0 ? null : anyOf(included),
    without: excluded.length === 0 ? null : anyOf(excluded),
  };
}

const anyOf = (parts: string[]): string => (parts.length === 0 ? NOTHING : `(${parts.join(' OR ')})`);

function domainExpression(text: string, use: 'include' | 'exclude'): string | null {
  const filter = parseDomainFilter(text);
  if (filter === null) return null;
  const host = quoted(`h:${filter.host}`);
  if (filter.path === '') return host;
  if (!isDeep(filter.path)) return `(${host} AND ${quoted(pathMark(filter.path))})`;
  return use === 'include' ? host : null;
}

/** A token as an FTS5 string. */
export const quoted = (token: string): string => `"${token.replaceAll('"', '')}"`;
