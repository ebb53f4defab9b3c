import { isElement, type TreeElement } from '../table-shape.ts';

/** Evidence for the kind of page from its head, data and address, as numbers, and the words of its title. */
export type Clues = {
  numbers: number[];
  /** Words of the page's title, lower case. */
  titleWords: Set<string>;
};

const SCRIPT_CHARS_MAX = 100_000;
const SCHEMA_TYPES: [name: string, pattern: RegExp][] = [
  ['schemaArticle', /"@type"\s*:\s*(?:\[\s*)?"(?:\w*Article|BlogPosting|Report)"/],
  ['schemaProduct', /"@type"\s*:\s*(?:\[\s*)?"(?:Product|ProductGroup|Offer)"/],
  ['schemaList', /"@type"\s*:\s*(?:\[\s*)?"(?:ItemList|CollectionPage|SearchResultsPage|OfferCatalog)"/],
  ['schemaForum', /"@type"\s*:\s*(?:\[\s*)?"(?:DiscussionForumPosting|QAPage|Question|Comment)"/],
  [
    'schemaBusiness',
    /"@type"\s*:\s*(?:\[\s*)?"(?:LocalBusiness|Service|ProfessionalService|SoftwareApplication)"/,
  ],
  ['schemaFaq', /"@type"\s*:\s*(?:\[\s*)?"FAQPage"/],
  ['schemaEvent', /"@type"\s*:\s*(?:\[\s*)?"(?:Event|JobPosting|RealEstateListing|Recipe)"/],
];
const META_KINDS: [name: string, pattern: RegExp][] = [
  ['ogArticle', /^article/i],
  ['ogProduct', /^(?:og:)?product/i],
  ['ogWebsite', /^website/i],
];
const GENERATORS: [name: string, pattern: RegExp][] = [
  ['madeForForum', /discourse|phpbb|vbulletin|xenforo|invision|nodebb|flarum|mybb|vanilla|smf/i],
  [
    'madeForDocs',
    /sphinx|docusaurus|mkdocs|vitepress|gitbook|hugo|jekyll|antora|javadoc|doxygen|docfx|mintlify/i,
  ],
  ['madeForShop', /shopify|woocommerce|magento|prestashop|bigcommerce|opencart/i],
];
const ADDRESSES: [name: string, pattern: RegExp][] = [
  [
    'urlForum',
    /forum|thread|topic|discuss|community|\/t\/|\/questions?\/|viewtopic|showthread|\/comments\//i,
  ],
  ['urlProduct', /\/products?\/|\/p\/|\/dp\/|\/item|-p-?\d|\/buy|\/shop\/[^/]+\/|\.p$/i],
  [
    'urlCollection',
    /\/collections?\/|\/categor|\/c\/|\/shop\/?$|\/browse|\/catalog|\/brands?\/|\/department/i,
  ],
  [
    'urlDocs',
    /docs?[./]|\/documentation|\/reference|\/guide|\/manual|\/api|readthedocs|\/tutorial|developer|\/learn/i,
  ],
  ['urlArticle', /\/blog\/.+|\/news\/.+|\/articles?\/.+|\/20[012]\d\/|\/story|\/posts?\/.+/i],
  [
    'urlListing',
    /\/search|\/jobs?|\/listing|\/directory|\/events?|\/tags?\/|\/archive|\/blog\/?$|\/news\/?$|\/topics?\//i,
  ],
  [
    'urlService',
    /\/services?|\/solutions?|\/about|\/pricing|\/features?|\/platform|\/contact|\/products?\/?$/i,
  ],
];

export const CLUE_NAMES: readonly string[] = [
  ...[SCHEMA_TYPES, META_KINDS, GENERATORS, ADDRESSES].flatMap((list) => list.map(([name]) => name)),
  'urlDepth',
  'urlLastChars',
  'urlDigits',
  'isFrontPage',
];

/** Collects the clues from the head, the data scripts and the address. */
export function collectClues(elements: TreeElement[], url: string): Clues {
  let title = '';
  let data = '';
  let kind = '';
  let generator = '';
  for (const element of elements) {
    const { tag, attributes } = element;
    if (tag === 'title' && title === '') title = readFirstText(element);
    else if (tag === 'script' && data.length < SCRIPT_CHARS_MAX && /ld\+json/i.test(attributes.type ?? '')) {
      data += readFirstText(element).slice(0, SCRIPT_CHARS_MAX);
    } else if (tag === 'meta') {
      const { content = '' } = attributes;
      const name = (attributes.property ?? attributes.name ?? '').toLowerCase();
      if (name === 'og:type') kind = content;
      else if (name === 'generator') generator += ` ${content.slice(0, 100)}`;
      else if (name === 'og:title') title += ` ${content.slice(0, 300)}`;
    } else if (tag === 'body' || tag === 'html') generator += ` ${(attributes.class ?? '').slice(0, 300)}`;
  }
  const testPatterns = (list: [string, RegExp][], text: string): number[] =>
    list.map(([, pattern]) => (pattern.test(text) ? 1 : 0));
  return {
    numbers: [
      ...testPatterns(SCHEMA_TYPES, data),
      ...testPatterns(META_KINDS, kind),
      ...testPatterns(GENERATORS, generator),
      ...testPatterns(ADDRESSES, url.slice(0, 500)),
      ...measureAddress(url),
    ],
    titleWords: new Set(title.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []),
  };
}

function measureAddress(url: string): number[] {
  const path = (/^[a-z]+:\/\/[^/?#]*([^?#]*)/i.exec(url.slice(0, 1_000))?.[1] ?? '').replace(/\/$/, '');
  const steps = path.split('/');
  const last = steps.at(-1) ?? '';
  return [steps.length - 1, last.length, last.replace(/\D/g, '').length, path === '' ? 1 : 0];
}

function readFirstText({ children }: TreeElement): string {
  const [first] = children;
  return first === undefined || isElement(first) ? '' : first.text;
}
