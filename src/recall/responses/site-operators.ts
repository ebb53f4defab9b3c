import { parseDomainFilter } from '../../text/query/filters.ts';
import type { SourceQuery } from '../source.ts';

/** Longer lists are left to the filters: so many operators would crowd out the question. */
const SITES_MAX = 5;

/** The host of all results, if the filters include exactly one. */
export function findOnlySite({ includeDomains }: SourceQuery): string | null {
  const [host, ...others] = parseHosts(includeDomains);
  return host !== undefined && others.length === 0 ? host : null;
}

/**
 * The query with `site:` and `-site:` for engines that support them. Filters with a path are widened to their host if they
 * include, and left out if they exclude; all filters are enforced again afterwards.
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
