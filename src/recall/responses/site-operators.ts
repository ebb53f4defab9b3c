import { parseDomainFilter } from '../../text/query/filters.ts';
import type { SourceQuery } from '../source.ts';

/** Longer lists are left to the filters: an operator for each would crowd out the question. */
const SITES_MAX = 5;

/** The one host that results must lie on, where there is exactly one. */
export function onlySite({ includeDomains }: SourceQuery): string | null {
  const [host, ...others] = hostsOf(includeDomains);
  return host !== undefined && others.length === 0 ? host : null;
}

/**
 * A query with `site:` and `-site:` for engines that know them. Filters with a path are widened to their host when they
 * include and left out when they exclude; all filters are enforced again afterwards.
 */
export function withSites(asked: SourceQuery, knows: { or: boolean }): string {
  const include = hostsOf(asked.includeDomains);
  const exclude = hostsOf(asked.excludeDomains.filter((domain) => parseDomainFilter(domain)?.path === ''));
  const parts = [asked.query];
  if (include.length === 1) parts.push(`site:${include[0]}`);
  else if (knows.or && include.length > 1 && include.length <= SITES_MAX)
    parts.push(`(${include.map((host) => `site:${host}`).join(' OR ')})`);
  if (exclude.length <= SITES_MAX) parts.push(...exclude.map((host) => `-site:${host}`));
  return parts.join(' ');
}

function hostsOf(domains: readonly string[]): string[] {
  return [...new Set(domains.flatMap((domain) => parseDomainFilter(domain)?.host ?? []))];
}
