import { registrableDomain } from '../../../text/urls/sites.ts';
import { withoutFragment } from '../../../text/urls/url-spelling.ts';
import type { PageFacts } from './page-facts.ts';
import { firstMeta } from './plain.ts';

/** Maximum remembered links of a page. */
const LINKS_MAX = 2_000;
const ADDRESS_CHARS_MAX = 8_192;
const REMEMBERED_MAX = 20_000;

/** Makes an address as written in the page absolute; null when it cannot be read (scripts, data, fragments). */
export type Resolve = (href: string) => string | null;

/** A resolver for one page that leads nowhere for places of the page itself: they are useless to a reader of its text. */
export function resolverFor(facts: PageFacts, url: string): Resolve {
  return outside(absoluteFor(facts, url), url);
}

/** Both resolvers of a page, which share what they remember: with the places of the page itself, and without. */
export function resolversFor(facts: PageFacts, url: string): { absolute: Resolve; resolve: Resolve } {
  const absolute = absoluteFor(facts, url);
  return { absolute, resolve: outside(absolute, url) };
}

function outside(absolute: Resolve, url: string): Resolve {
  const pageUrl = withoutFragment(url);
  return (href) => {
    const target = absolute(href);
    return target?.includes('#') && withoutFragment(target) === pageUrl ? null : target;
  };
}

/** Honours the page's `base`; addresses are remembered, since menus repeat them. */
function absoluteFor(facts: PageFacts, url: string): Resolve {
  const base = facts.base !== null && URL.canParse(facts.base, url) ? new URL(facts.base, url).href : url;
  const known = new Map<string, string | null>();
  return (href) => {
    const remembered = known.get(href);
    if (remembered !== undefined) return remembered;
    const absolute = resolved(href, base);
    if (known.size < REMEMBERED_MAX) known.set(href, absolute);
    return absolute;
  };
}

function resolved(href: string, base: string): string | null {
  if (href.length > ADDRESS_CHARS_MAX) return null;
  const absolute = URL.parse(href.trim(), base);
  return absolute !== null && /^(?:https?|ftp|mailto):$/.test(absolute.protocol) ? absolute.href : null;
}

/** The address that the page declares for itself if it is on the same registrable domain, else its own; without a fragment. */
export function declaredUrlOf(facts: PageFacts, url: string, resolve: Resolve): string {
  const own = withoutFragment(url);
  const link = facts.linkTags.find(({ rel }) => /(?:^|\s)canonical(?:\s|$)/.test(rel))?.href;
  for (const declared of [link, firstMeta(facts, ['og:url'])]) {
    const absolute =
      declared === undefined || declared === null || declared.trim() === '' ? null : resolve(declared);
    if (absolute !== null && /^https?:/.test(absolute) && isPlausible(absolute, own))
      return withoutFragment(absolute);
  }
  return own;
}

/** A page deep in a site that declares the front page to be its own address is misconfigured. */
function isPlausible(declared: string, own: string): boolean {
  const [one, other] = [new URL(declared), new URL(own)];
  if (one.pathname === '/' && one.search === '' && other.pathname !== '/') return false;
  return one.host === other.host || sameSite(one.hostname, other.hostname);
}

function sameSite(one: string, other: string): boolean {
  const domain = registrableDomain(one);
  return domain !== null && domain === registrableDomain(other);
}

/** Absolute http(s) links of the whole page without fragments, each once, in page order; nofollow left out. */
export function linksOf(facts: PageFacts, absolute: Resolve): string[] {
  const found = new Set<string>();
  for (const { attributes } of facts.anchors) {
    const { href, rel = '' } = attributes;
    if (href === undefined || href.startsWith('#') || /\bnofollow\b/i.test(rel)) continue;
    const target = absolute(href);
    if (target?.startsWith('http')) found.add(withoutFragment(target));
    if (found.size >= LINKS_MAX) break;
  }
  return [...found];
}
