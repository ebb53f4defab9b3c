import { parseDomainFilter } from '../retrieval/recall/filters.ts';
import type { IndexQuery } from './own-index-types.ts';

/*
 * Marks are tokens that stand for what a filter asks, so that the full-text engine filters while it searches:
 * `h:example.com` for the host and each of its parents, `p:/docs` for each leading part of the path, `d:2024`,
 * `d:2024-03`, `d:2024-03-05` for the day.
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

const isDeep = (path: string): boolean => path.split('/').length - 1 > SEGMENTS_MAX;

export function dayMarks(day: string): string[] {
  return [`d:${day.slice(0, 4)}`, `d:${day.slice(0, 7)}`, `d:${day}`];
}

/** The first and last published day in the index, to bound an open range. */
export type Days = { first: string; last: string } | null;

/**
 * The filters of a query as FTS5 expressions: what must match and what must not; null where nothing is asked.
 * Paths deeper than the marks go let too much through; the caller judges each page again.
 */
export function filterExpressions(
  query: IndexQuery,
  days: Days,
): { within: string | null; without: string | null } {
  const parts: string[] = [];
  if (query.includeDomains.length > 0) {
    const included = query.includeDomains.map((text) => domainExpression(text, 'include'));
    parts.push(anyOf(included.filter((part) => part !== null)));
  }
  if (query.publishedFrom !== null || query.publishedTo !== null) {
    parts.push(
      anyOf(days === null ? [] : rangeMarks(query.publishedFrom, query.publishedTo, days).map(quoted)),
    );
  }
  const excluded = query.excludeDomains
    .map((text) => domainExpression(text, 'exclude'))
    .filter((part) => part !== null);
  return {
    within: parts.length === 0 ? null : parts.join(' AND '),
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

/** The fewest years, months and days that make up a range; both ends inclusive. */
export function rangeMarks(from: string | null, to: string | null, days: NonNullable<Days>): string[] {
  const last = to === null || to > days.last ? days.last : to;
  let day = from === null || from < days.first ? days.first : from;
  const marks: string[] = [];
  while (day <= last) {
    const year = day.slice(0, 4);
    const month = day.slice(0, 7);
    if (day.endsWith('-01-01') && `${year}-12-31` <= last) {
      marks.push(`d:${year}`);
      day = `${String(Number(year) + 1).padStart(4, '0')}-01-01`;
    } else if (day.endsWith('-01') && `${month}-${daysIn(month)}` <= last) {
      marks.push(`d:${month}`);
      day = dayAfter(`${month}-${daysIn(month)}`);
    } else {
      marks.push(`d:${day}`);
      day = dayAfter(day);
    }
  }
  return marks;
}

const daysIn = (month: string): number =>
  new Date(Date.UTC(Number(month.slice(0, 4)), Number(month.slice(5, 7)), 0)).getUTCDate();

const dayAfter = (day: string): string =>
  new Date(Date.parse(`${day}T00:00:00Z`) + 86_400_000).toISOString().slice(0, 10);
