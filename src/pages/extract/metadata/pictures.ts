import type { UrlResolver } from './addresses.ts';
import { filterArticles } from './json-ld.ts';
import type { PageFacts } from './page-facts.ts';

const META = ['og:image:secure_url', 'og:image', 'og:image:url', 'twitter:image', 'twitter:image:src'];
const DEPTH_MAX = 3;

/** Finds the picture that the page declares for previews, as an absolute http(s) URL, or null. */
export function findDeclaredImage(facts: PageFacts, resolve: UrlResolver): string | null {
  const declared = [
    ...META.map((name) => facts.meta.get(name)?.[0]),
    ...filterArticles(facts.jsonLd).map(({ image }) => readImageAddress(image, 0)),
    findLinkHref(facts, 'image_src'),
  ];
  return resolveFirstHttp(declared, resolve);
}

/** Finds the icon that the page declares, as an absolute http(s) URL, or null. */
export function findDeclaredIcon(facts: PageFacts, resolve: UrlResolver): string | null {
  return resolveFirstHttp([findLinkHref(facts, 'icon'), findLinkHref(facts, 'apple-touch-icon')], resolve);
}

/** Reads an address as JSON-LD writes it: a string, an object with a `url`, or a list of either. */
function readImageAddress(value: unknown, depth: number): string | undefined {
  if (typeof value === 'string') return value;
  if (depth >= DEPTH_MAX || typeof value !== 'object' || value === null) return undefined;
  if (Array.isArray(value)) return readImageAddress(value[0], depth + 1);
  const object = value as Record<string, unknown>; // an object that is no array
  return readImageAddress(object.url ?? object.contentUrl, depth + 1);
}

function findLinkHref({ linkTags }: PageFacts, name: string): string | undefined {
  return linkTags.find(({ rel }) => rel.split(/\s+/).includes(name))?.href;
}

function resolveFirstHttp(addresses: readonly (string | undefined)[], resolve: UrlResolver): string | null {
  for (const address of addresses) {
    const absolute = address === undefined || address.trim() === '' ? null : resolve(address.trim());
    if (absolute !== null && /^https?:/.test(absolute)) return absolute;
  }
  return null;
}
