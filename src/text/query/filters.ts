import { URL_CHARS_MAX } from '../../contract/limits.ts';
import { normalizePath, stripRootDot } from '../urls/url-spelling.ts';
import { type LibraryFilter, type PageLibrary, passesLibrary } from './library-filter.ts';

/** A host name has at most 253 characters; the rest allows for a port and surrounding dots. */
const HOST_CHARS_MAX = 300;

/** The pages that a request allows, by domain, date and library. */
export type Filters = {
  /** Hosts (`example.com` covers its subdomains) or host and path prefix (`example.com/docs`); empty: all. */
  includeDomains: string[];
  excludeDomains: string[];
  /** YYYY-MM-DD, inclusive; a page without a date never passes a date filter. */
  publishedFrom: string | null;
  publishedTo: string | null;
  /** Only pages of these libraries, all of which the caller may see; absent: all pages but those of private libraries. */
  library?: LibraryFilter | undefined;
};

export const NO_FILTERS: Readonly<Filters> = {
  includeDomains: [],
  excludeDomains: [],
  publishedFrom: null,
  publishedTo: null,
};

/** Picks the filters of a request, without its other fields. */
export function pickFilters({
  includeDomains,
  excludeDomains,
  publishedFrom,
  publishedTo,
  library,
}: Filters): Filters {
  const filters = { includeDomains, excludeDomains, publishedFrom, publishedTo };
  return library === undefined ? filters : { ...filters, library };
}

/** The fields of a page that filters test. */
type Filterable = { url: string; publishedDay: string | null; library?: PageLibrary | undefined };

/** A parsed domain filter: a host that covers its subdomains, and a path prefix ('' for the whole host). */
type DomainFilter = { host: string; path: string };

/**
 * Parses `https://www.Example.com/docs/`, `*.example.com` or `example.com/docs` into host and path prefix. Tolerates a scheme, a
 * user name, a leading `www.` or `*.`, a port, a trailing dot and a trailing slash. Returns null when no host is left. A public
 * suffix is a host like any other: `nhs.uk` covers everything below it.
 */
export function parseDomainFilter(text: string): DomainFilter | null {
  if (text.length > URL_CHARS_MAX) return null;
  const whole = text.trim().replace(/^[a-z][a-z0-9+.-]*:\/\//i, '');
  const end = whole.search(/[?#]/);
  const bare = end === -1 ? whole : whole.slice(0, end);
  const slash = bare.indexOf('/');
  const authority = (slash === -1 ? bare : bare.slice(0, slash)).replace(/^.*@/, '');
  if (authority.length > HOST_CHARS_MAX) return null;
  const host = parseHost(
    authority
      .replace(/:\d*$/, '')
      .replace(/^(?:\*?\.)+|(?<!\.)\.+$/g, '')
      .replace(/^(?:www\.)+(?=[^.]+\.[^.])/i, ''),
  );
  if (host === '') return null;
  const path = slash === -1 ? '' : (URL.parse(bare.slice(slash), 'http://host')?.pathname ?? '');
  return { host, path: normalizePath(path).replace(/(?<!\/)\/+$/, '') };
}

/** Uses the URL parser, so that `127.1` and full-width letters match the hosts of results. */
function parseHost(name: string): string {
  if (name === '' || /[\s/\\?#@%]/.test(name)) return '';
  return stripRootDot(URL.parse(`http://${name}/`)?.hostname ?? '');
}

/** True when a page is within the filter, comparing whole labels of the host and whole segments of the path. */
export function matchesDomain(url: URL, filter: DomainFilter): boolean {
  const host = stripRootDot(url.hostname);
  if (host !== filter.host && !host.endsWith(`.${filter.host}`)) return false;
  if (filter.path === '') return true;
  const path = normalizePath(url.pathname);
  return path === filter.path || path.startsWith(`${filter.path}/`);
}

/** Returns whether a request names the domains or libraries whose pages it wants. */
export const isNarrow = ({ includeDomains, library }: Filters): boolean =>
  includeDomains.length > 0 || library !== undefined;

/** Names of the filters of a request; each is tested separately. */
export type FilterName = 'includeDomains' | 'excludeDomains' | 'publishedDate' | 'library';

/**
 * Creates a function that returns the first filter that a page fails, or null when it passes all: no page outside the included
 * domains, none inside the excluded ones, none outside the dates (a page without a date never passes a date filter), none of a library
 * that was not asked for.
 */
export function createFilterCheck(filters: Filters): (page: Filterable) => FilterName | null {
  const include = filters.includeDomains.map(parseDomainFilter);
  const exclude = filters.excludeDomains.map(parseDomainFilter);
  return ({ url, publishedDay, library }) => {
    const address = URL.parse(url);
    if (address === null) return 'includeDomains';
    const matchesFilter = (filter: DomainFilter | null): boolean =>
      filter !== null && matchesDomain(address, filter);
    if (include.length > 0 && !include.some(matchesFilter)) return 'includeDomains';
    if (exclude.some(matchesFilter)) return 'excludeDomains';
    if (!passesLibrary(filters.library, library)) return 'library';
    return isWithinDays(publishedDay, filters) ? null : 'publishedDate';
  };
}

/** Creates a test of pages. It is applied to every result, whatever its source promised. */
export function createPageFilter(filters: Filters): (page: Filterable) => boolean {
  const failed = createFilterCheck(filters);
  return (page) => failed(page) === null;
}

/** Lists the filters that a request sets. */
export function listSetFilters(filters: Filters): FilterName[] {
  const names: FilterName[] = [];
  if (filters.includeDomains.length > 0) names.push('includeDomains');
  if (filters.excludeDomains.length > 0) names.push('excludeDomains');
  if (filters.publishedFrom !== null || filters.publishedTo !== null) names.push('publishedDate');
  if (filters.library !== undefined) names.push('library');
  return names;
}

function isWithinDays(day: string | null, { publishedFrom, publishedTo }: Filters): boolean {
  if (publishedFrom === null && publishedTo === null) return true;
  return (
    day !== null &&
    (publishedFrom === null || day >= publishedFrom) &&
    (publishedTo === null || day <= publishedTo)
  );
}
