import { parseDomainFilter } from '../../text/query/filters.ts';
import type { SourceQuery } from '../source.ts';

/** Maximum operators in a query. Longer lists are left to the filters, because they would crowd out the question. */
const SITES_MAX = 5;

/** Returns the included host if the filters include exactly one, otherwise null. */
export function findOnlySite({ includeDomains }: SourceQuery): string | null {
  const [host, ...others] = parseHosts(includeDomains);
  return host !== undefined && others.length === 0 ? host : null;
}

/**
 * Adds `site:` and `-site:` to the query, for engines that support them. Including filters with a path are widened to their host,
 * excluding ones are left out; all filters are enforced again afterwards.
 */
export function addSiteOperators(asked: SourceQuery, knows: { or: boolean }): string {
  const include = parseHosts(asked.includeDomains);
  const exclude = parseHosts(asked.excludeDomains.filter((domain) => parseDomainFilter(domain)?.path === ''));
  const terms = [asked.query.text];
  if (include.length === 1) terms.push(`site:${include[0]}`);
  else if (knows.or && include.length > 1 && include.length <= SITES_MAX)
    terms.push(`(${include.map((host) => `site:${host}`).join(' OR ')})`);
  if (exclude.length <= SITES_MAX) terms.push(...exclude.map((host) => `-site:${host}`));
  if (asked.fileType !== undefined) terms.push(`filetype:${asked.fileType}`);
  return terms.join(' ');
}

function parseHosts(domains: readonly string[]): string[] {
  return [...new Set(domains.flatMap((domain) => parseDomainFilter(domain)?.host ?? []))];
}
