import type { Mutant } from './mutant.ts';

const MANNERS = ['test/flows/crawl/crawl-manners.test.ts'];
const SITE_RULES = ['src/crawl/site/site-rules.test.ts'];
const MANY_HOSTS = ['test/flows/crawl-many.test.ts'];
const ROBOTS = ['src/crawl/robots/robots.test.ts'];

/** Faults in crawling: politeness, robots.txt, sitemaps and the borders of a site. */
export const crawlMutants: Mutant[] = [
  {
    name: 'no-delay-between-requests',
    file: 'src/crawl/frontier/politeness.ts',
    find: 'state.readyAt = Math.max(state.readyAt, now) + delayMs',
    replace: 'state.readyAt = Math.max(state.readyAt, now)',
    suite: MANNERS,
  },
  {
    name: 'one-request-to-a-host-too-many',
    file: 'src/crawl/frontier/politeness.ts',
    find: 'if (active >= perHostMax',
    replace: 'if (active > perHostMax',
    suite: MANNERS,
  },
  {
    name: 'hosts-of-an-address-apart',
    file: 'src/crawl/frontier/politeness.ts',
    find: 'Math.max(readyAt, address.readyAt)',
    replace: 'readyAt',
    suite: MANY_HOSTS,
  },
  {
    name: 'an-endless-site-takes-all',
    file: 'src/crawl/frontier/url-rows.ts',
    find: '(ofHost ?? 0) >= bounds.hostUrlsMax',
    replace: 'false',
    suite: MANY_HOSTS,
  },
  {
    name: 'hosts-without-end',
    file: 'src/crawl/background/background-crawl.ts',
    find: 'hosts.size >= hostsMax',
    replace: 'false',
    suite: MANY_HOSTS,
  },
  {
    name: 'disallow-wins-a-draw',
    file: 'src/crawl/robots/robots.ts',
    find: 'Number(otherAllowed) - Number(allowed)',
    replace: 'Number(allowed) - Number(otherAllowed)',
    suite: ROBOTS,
  },
  {
    name: 'named-group-is-ignored',
    file: 'src/crawl/robots/robots.ts',
    find: 'named.length > 0 ? named',
    replace: 'named.length < 0 ? named',
    suite: ROBOTS,
  },
  {
    name: 'guid-beside-a-link-is-listed',
    file: 'src/crawl/robots/sitemap.ts',
    find: '&& !linked &&',
    replace: '&&',
    suite: ['src/crawl/robots/sitemap.test.ts'],
  },
  {
    name: 'excluded-paths-are-compared-encoded-only',
    file: 'src/crawl/site/site-rules.ts',
    find: 'matchesAny(excludePaths, paths)',
    replace: 'matchesAny(excludePaths, [pathname])',
    suite: SITE_RULES,
  },
  {
    name: 'domain-pattern-reaches-other-sites',
    file: 'src/crawl/site/site-rules.ts',
    find: ' && isSameSite(url, start)',
    replace: '',
    suite: SITE_RULES,
  },
  {
    name: 'one-level-too-deep',
    file: 'src/crawl/site/site-rows.ts',
    find: 'row.depth >= options.depthMax',
    replace: 'row.depth > options.depthMax',
    suite: ['test/http/shape-b/crawl.test.ts'],
  },
  {
    name: 'archive-type-by-any-name',
    file: 'src/crawl/import/formats/web-archive.ts',
    find: 'Object.hasOwn(READERS, type) ? READERS[type] : undefined',
    replace: 'READERS[type]',
    suite: ['test/attack/import-files.test.ts'],
  },
  {
    name: 'date-beyond-the-calendar',
    file: 'src/crawl/import/formats/parquet/parquet.ts',
    find: ' && time <= TIME_MAX',
    replace: ' && time < Number.POSITIVE_INFINITY',
    suite: ['test/attack/import-files.test.ts'],
  },
];
