import type { Resolve } from './addresses.ts';
import { articlesIn } from './json-ld.ts';
import type { PageFacts } from './page-facts.ts';

const META = ['og:image:secure_url', 'og:image', 'og:image:url', 'twitter:image', 'twitter:image:src'];
const DEPTH_MAX = 3;

/** The picture that the page declares for its previews, as an absolute http(s) URL, or null. */
export function declaredImage(facts: PageFacts, resolve: Resolve): string | null {
  const declared = [
    ...META.map((name) => facts.meta.get(name)?.[0]),
    ...articlesIn(facts.jsonLd).map(({ image }) => addressIn(image, 0)),
    linked(facts, 'image_src'),
  ];
  return firstHttp(declared, resolve);
}

/** The icon that the page declares, as an absolute http(s) URL, or null. */
export function declaredIcon(facts: PageFacts, resolve: Resolve): string | null {
  return firstHttp([linked(facts, 'icon'), linked(facts, 'apple-touch-icon')], resolve);
}

/** An address as JSON-LD writes it: a string, an object with a `url`, or a list of either. */
function addressIn(value: unknown, depth: number): string | undefined {
  if (typeof value === 'string') return value;
  if (depth >= DEPTH_MAX || typeof value !== 'object' || value === null) return undefined;
  if (Array.isArray(value)) return addressIn(value[0], depth + 1);
  const object = value as Record<string, unknown>; // an object that is no array
  return addressIn(object.url ?? object.contentUrl, depth + 1);
}

function linked({ linkTags }: PageFacts, name: string): string | undefined {
  return linkTags.find(({ rel }) => rel.split(/\s+/).includes(name))?.href;
}

function firstHttp(addresses: readonly (string | undefined)[], resolve: Resolve): string | null {
  for (const address of addresses) {
    const absolute = address === undefined || address.trim() === '' ? null : resolve(address.trim());
    if (absolute !== null && /^https?:/.test(absolute)) return absolute;
  }
  return null;
}
