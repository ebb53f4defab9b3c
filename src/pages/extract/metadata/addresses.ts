import { findRegistrableDomain } from '../../../text/urls/sites.ts';
import { stripFragment } from '../../../text/urls/url-spelling.ts';
import { readFirstMeta } from './author.ts';
import type { PageFacts } from './page-facts.ts';

const JSON_MAX = 5;

/** Maximum links listed for a page. */
const LINKS_MAX = 2_000;
const ADDRESS_CHARS_MAX = 8_192;
/** Maximum cached addresses of a page. */
const REMEMBERED_MAX = 20_000;

/** Makes an address as written in the page absolute; returns null when a reader cannot follow it (scripts, data, fragments). */
export type UrlResolver = (href: string) => string | null;

/** Creates a resolver that returns null for fragments of the page itself, which are useless to a reader of its text. */
export function createUrlResolver(facts: PageFacts, url: string): UrlResolver {
  return excludeOwnPage(createAbsoluteResolver(facts, url), url);
}

/** Creates both resolvers of a page, over one cache: `absolute` keeps fragments of the page itself, `resolve` refuses them. */
export function createUrlResolvers(
  facts: PageFacts,
  url: string,
): { absolute: UrlResolver; resolve: UrlResolver } {
  const absolute = createAbsoluteResolver(facts, url);
  return { absolute, resolve: excludeOwnPage(absolute, url) };
}

function excludeOwnPage(absolute: UrlResolver, url: string): UrlResolver {
  const pageUrl = stripFragment(url);
  return (href) => {
    const target = absolute(href);
    return target?.includes('#') && stripFragment(target) === pageUrl ? null : target;
  };
}

/** Honours the page's `base`. Addresses are cached, since menus repeat them. */
function createAbsoluteResolver(facts: PageFacts, url: string): UrlResolver {
  const base = facts.base !== null && URL.canParse(facts.base, url) ? new URL(facts.base, url).href : url;
  const known = new Map<string, string | null>();
  return (href) => {
    const remembered = known.get(href);
    if (remembered !== undefined) return remembered;
    const absolute = resolveHref(href, base);
    if (known.size < REMEMBERED_MAX) known.set(href, absolute);
    return absolute;
  };
}

function resolveHref(href: string, base: string): string | null {
  if (href.length > ADDRESS_CHARS_MAX) return null;
  const absolute = URL.parse(href.trim(), base);
  return absolute !== null && /^(?:https?|ftp|mailto):$/.test(absolute.protocol) ? absolute.href : null;
}

/** Returns the address that the page declares for itself if it is on the same registrable domain, else `url`; without a fragment. */
export function findDeclaredUrl(facts: PageFacts, url: string, resolve: UrlResolver): string {
  const own = stripFragment(url);
  const link = facts.linkTags.find(({ rel }) => /(?:^|\s)canonical(?:\s|$)/.test(rel))?.href;
  for (const declared of [link, readFirstMeta(facts, ['og:url'])]) {
    const absolute =
      declared === undefined || declared === null || declared.trim() === '' ? null : resolve(declared);
    if (absolute !== null && /^https?:/.test(absolute) && isPlausible(absolute, own))
      return stripFragment(absolute);
  }
  return own;
}

/** Rejects other sites, and the front page as the declared address of a deeper page, which is a misconfiguration. */
function isPlausible(declared: string, own: string): boolean {
  const [one, other] = [new URL(declared), new URL(own)];
  if (one.pathname === '/' && one.search === '' && other.pathname !== '/') return false;
  return one.host === other.host || isSameSite(one.hostname, other.hostname);
}

function isSameSite(one: string, other: string): boolean {
  const domain = findRegistrableDomain(one);
  return domain !== null && domain === findRegistrableDomain(other);
}

/** Lists the absolute http(s) links of the whole page without fragments, each once, in page order; nofollow is left out. */
export function collectPageLinks(facts: PageFacts, absolute: UrlResolver): string[] {
  const found = new Set<string>();
  for (const { attributes } of facts.anchors) {
    const { href, rel = '' } = attributes;
    if (href === undefined || href.startsWith('#') || /\bnofollow\b/i.test(rel)) continue;
    const target = absolute(href);
    if (target?.startsWith('http')) found.add(stripFragment(target));
    if (found.size >= LINKS_MAX) break;
  }
  return [...found];
}

/** Addresses of alternates that an HTML page names for its text. */
export type Pointers = {
  /** True when the page shows next to nothing, because its scripts would fill it. */
  isShell: boolean;
  /** Addresses of `link rel=alternate`, absolute. */
  markdown: string | null;
  oembed: string | null;
  json: string[];
};

/** Finds the alternates of a page: Markdown, oEmbed and JSON. */
export function findPointers({ linkTags }: PageFacts, resolve: UrlResolver): Omit<Pointers, 'isShell'> {
  const alternates = linkTags.filter(({ rel }) => /(?:^|\s)alternate(?:\s|$)/.test(rel));
  const resolveAlternates = (type: RegExp): string[] =>
    alternates
      .filter((link) => type.test(link.type.trim()))
      .map(({ href }) => resolve(href))
      .filter((url) => url !== null && /^https?:/.test(url)) as string[]; // the filter leaves texts
  return {
    markdown: resolveAlternates(/^text\/(?:x-)?markdown\b/i)[0] ?? null,
    oembed: resolveAlternates(/^(?:application|text)\/json\+oembed\b/i)[0] ?? null,
    json: resolveAlternates(/^application\/json$/i).slice(0, JSON_MAX),
  };
}
