import { domainToASCII } from 'node:url';
import type { Candidate } from '../page.ts';
import type { DomainFilters } from './recall.ts';

/** A domain filter taken apart: a host that covers its subdomains, and a path prefix ('' for the whole host). */
export type DomainFilter = { host: string; path: string };

export type Filters = DomainFilters & { publishedFrom: string | null; publishedTo: string | null };

/**
 * `https://www.Example.com/docs/`, `*.example.com`, `example.com/docs` -> host and path prefix.
 * A scheme, a leading `www.` or `*.`, a port and a slash at the end are tolerated. Null when no host is left.
 */
export function parseDomainFilter(text: string): DomainFilter | null {
  const bare = text
    .trim()
    .replace(/^[a-z][a-z0-9+.-]*:\/\//i, '')
    .replace(/[?#].*$/, '');
  const slash = bare.indexOf('/');
  const authority = slash === -1 ? bare : bare.slice(0, slash);
  const host = domainToASCII(
    authority
      .replace(/:\d+$/, '')
      .replace(/^(?:\*\.|www\.)+/i, '')
      .replace(/^\.+|\.+$/g, ''),
  );
  if (host === '') return null;
  return { host, path: slash === -1 ? '' : bare.slice(slash).replace(/\/+$/, '') };
}

/** Whether a page lies under the filter: whole labels of the host, whole segments of the path. */
export function underDomain(url: URL, filter: DomainFilter): boolean {
  const host = url.hostname.replace(/\.$/, '');
  if (host !== filter.host && !host.endsWith(`.${filter.host}`)) return false;
  return filter.path === '' || url.pathname === filter.path || url.pathname.startsWith(`${filter.path}/`);
}

/**
 * The last word on every result, whatever its source promised: no page outside the included domains, none inside the
 * excluded ones, none outside the dates (a page without a date never passes a date filter).
 */
export function passFilters(filters: Filters): (candidate: Candidate) => boolean {
  const include = filters.includeDomains.map(parseDomainFilter);
  const exclude = filters.excludeDomains.map(parseDomainFilter);
  return ({ url, publishedDay }) => {
    if (!URL.canParse(url)) return false;
    const page = new URL(url);
    const under = (filter: DomainFilter | null): boolean => filter !== null && underDomain(page, filter);
    if (include.length > 0 && !include.some(under)) return false;
    if (exclude.some(under)) return false;
    return withinDays(publishedDay, filters);
  };
}

function withinDays(day: string | null, { publishedFrom, publishedTo }: Filters): boolean {
  if (publishedFrom === null && publishedTo === null) return true;
  return (
    day !== null &&
    (publishedFrom === null || day >= publishedFrom) &&
    (publishedTo === null || day <= publishedTo)
  );
}
