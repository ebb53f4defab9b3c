/**
 * Completes the text of product pages: price, specifications and variants that only a page's structured data have are appended
 * under a heading of their own. Articles and pages with several products are left as they are.
 */

import { type DataObject, isDataObject, makeElement, makeText, parseNodes } from '../hydration/rich-text.ts';
import { type MarkdownWithHeadings, writeMarkdown } from '../markdown/write-markdown.ts';
import type { UrlResolver } from '../metadata/addresses.ts';
import { type JsonLd, readLdText } from '../metadata/json-ld.ts';
import type { PageFacts } from '../metadata/page-facts.ts';
import { isElement, type Tree, type TreeElement, type TreeNode } from '../table-shape.ts';

const PRODUCT = /^(?:product|productgroup|individualproduct|productmodel)$/;
const LISTED_MAX = 100;
const TEXT_CHARS_MAX = 300;
const MICRODATA_NODES_MAX = 5_000;
const formatPrices = (object: DataObject): string =>
  [
    ...new Set(
      listOffers(object)
        .map(formatPrice)
        .filter((price) => price !== null),
    ),
  ].join(', ');
const toList = (value: unknown): unknown[] =>
  (Array.isArray(value) ? value : value === undefined || value === null ? [] : [value]).slice(0, LISTED_MAX);
const formatScalar = (value: unknown): string | null =>
  typeof value === 'number' ? String(value) : readLdText(value);
const isScope = ({ attributes }: TreeElement): boolean => attributes.itemscope !== undefined;

/** Length of the beginning of a description that is searched for in the text. */
const DESCRIPTION_CHARS = 60;
/** Types of articles, which may carry the data of the products they are about. */
const ARTICLE = /article$|^blogposting$/;

/** Appends the product data that the text of a page lacks to its Markdown. */
export function appendProductPart<Shown extends MarkdownWithHeadings>(
  shown: Shown,
  page: { tree: Tree; facts: PageFacts; resolve: UrlResolver },
): Shown {
  const { jsonLd } = page.facts;
  if (jsonLd.some(({ types }) => types.some((type) => ARTICLE.test(type)))) return shown;
  const data = findProductData(jsonLd, page.tree.root);
  const nodes = data === null ? [] : buildProductPart(data, shown.markdown);
  if (nodes.length === 0) return shown;
  const part = writeMarkdown({ root: makeElement('#root', nodes), truncated: false }, page.resolve);
  return {
    ...shown,
    markdown: [shown.markdown, part.markdown].filter((text) => text !== '').join('\n\n'),
    headings: [...shown.headings, ...part.headings],
  };
}

/** Builds the section with the product data that the text lacks, under its own heading; [] when nothing is missing. */
function buildProductPart({ description, facts, variants }: ProductData, text: string): TreeNode[] {
  const shown = normalizeWords(text);
  const has = (wanted: string): boolean => shown.includes(` ${normalizeWords(wanted).trim()} `);
  const paragraphs = description === null || has(cutStart(description)) ? [] : buildParagraphs(description);
  const missing = facts.filter(([name, value]) => !(name === 'Price' ? hasPrice(text, value) : has(value)));
  const others = variants.filter(([name]) => !has(name));
  const parts = [
    ...paragraphs,
    ...buildList(missing.map(([name, value]) => `${name}: ${value}`)),
    ...(others.length < 2
      ? []
      : [
          makeElement('h3', [makeText('Variants')]),
          ...buildList(others.map((variant) => variant.filter((text) => text !== '').join(', '))),
        ]),
  ];
  return parts.length === 0 ? [] : [makeElement('h2', [makeText('Product details')]), ...parts];
}

/** Normalizes a text to lower-case words with a space on either side of each. */
const normalizeWords = (text: string): string =>
  ` ${(text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []).join(' ')} `;

/** Cuts the beginning of a description at a word, without markup. */
function cutStart(description: string): string {
  const plain = description.replace(/<[^<>]{1,500}>|&\w{1,8};/g, ' ').trim();
  return plain.length <= DESCRIPTION_CHARS
    ? plain
    : plain.slice(0, plain.lastIndexOf(' ', DESCRIPTION_CHARS));
}

/** Returns whether the text has the amounts of a price; pages write 1299.00 as 1,299, 1.299,00 or 1 299.00. */
function hasPrice(text: string, price: string): boolean {
  const shown = new Set((text.match(NUMBER) ?? []).map(toCents));
  return (price.match(NUMBER) ?? []).every((amount) => shown.has(toCents(amount)));
}

const NUMBER = /\d(?:[.,\u00a0\u202f ’']?\d){0,15}/g;

/** Converts to cents: `1.299,5` -> `129950`. One or two digits after the last mark are cents. */
function toCents(number: string): string {
  const [, part = ''] = /[.,](\d\d?)$/.exec(number) ?? [];
  const whole = part === '' ? number : number.slice(0, -part.length);
  return `${whole.replace(/\D/g, '')}${part.padEnd(2, '0')}`;
}

function buildParagraphs(text: string): TreeNode[] {
  return text
    .split(/\n+/)
    .filter((part) => part.trim() !== '')
    .map((part) => makeElement('p', parseNodes(part)));
}

function buildList(items: string[]): TreeNode[] {
  return items.length === 0
    ? []
    : [
        makeElement(
          'ul',
          items.map((item) => makeElement('li', [makeText(item)])),
        ),
      ];
}

/** The product of a page, as its structured data describe it. */
type ProductData = {
  description: string | null;
  /** Price, brand, specifications: each with its name, in the order in which they are written. */
  facts: [name: string, text: string][];
  variants: [name: string, price: string][];
};

/** Finds the product of a page in JSON-LD or else microdata; null when there is none, or several, as in a product list. */
function findProductData(objects: readonly JsonLd[], root: TreeElement): ProductData | null {
  const products = objects.filter(({ types }) => types.some((type) => PRODUCT.test(type)));
  const [first] = products;
  if (first !== undefined) {
    const names = new Set(products.map(({ value }) => readLdText(value)));
    return names.size > 1 && !first.types.includes('productgroup') ? null : buildProductData(first.value);
  }
  const scopes = findProductScopes(root);
  return scopes[0] === undefined || scopes.length > 1 ? null : buildProductData(readProperties(scopes[0]));
}

/** Builds product data from an object of JSON-LD, or of microdata in the same form. */
function buildProductData(object: DataObject): ProductData {
  const offers = listOffers(object);
  const properties = toList(object.additionalProperty).filter(isDataObject);
  const variants = toList(object.hasVariant).filter(isDataObject);
  const facts: [string, unknown][] = [
    ['Price', formatPrices(object)],
    [
      'Availability',
      [...new Set(offers.map(({ availability }) => formatAvailability(availability)))].join(', '),
    ],
    ['Brand', object.brand],
    ['Manufacturer', object.manufacturer],
    ['SKU', object.sku],
    ['MPN', object.mpn],
    ['GTIN', object.gtin13 ?? object.gtin14 ?? object.gtin12 ?? object.gtin8 ?? object.gtin],
    ['Color', object.color],
    ['Size', object.size],
    ['Material', object.material],
    ['Weight', formatQuantity(object.weight)],
    ...properties.map((one): [string, unknown] => [readLdText(one.name) ?? '', formatQuantity(one)]),
  ];
  return {
    description: formatText(object.description, Number.POSITIVE_INFINITY),
    facts: facts.flatMap(([name, value]) => {
      const text = formatText(value, TEXT_CHARS_MAX);
      return name === '' || text === null ? [] : [[name, text] as [string, string]];
    }),
    variants: variants.flatMap((variant) => {
      const name = readLdText(variant);
      return name === null
        ? []
        : [[name.slice(0, TEXT_CHARS_MAX), formatPrices(variant)] as [string, string]];
    }),
  };
}

function listOffers(object: DataObject): DataObject[] {
  return toList(object.offers)
    .filter(isDataObject)
    .flatMap((offer) =>
      offer.offers === undefined ? [offer] : [offer, ...toList(offer.offers).filter(isDataObject)],
    );
}

/** Formats an offer's price with its currency; `lowPrice` and `highPrice` give a range. */
function formatPrice({
  price,
  lowPrice,
  highPrice,
  priceCurrency,
  priceSpecification,
}: DataObject): string | null {
  const [specified] = toList(priceSpecification).filter(isDataObject);
  const amount = formatScalar(price ?? lowPrice);
  if (amount === null) return specified === undefined ? null : formatPrice(specified);
  const most = price === undefined ? formatScalar(highPrice) : null;
  const currency = formatScalar(priceCurrency) ?? formatScalar(specified?.priceCurrency) ?? '';
  return `${amount}${most === null || most === amount ? '' : ` to ${most}`} ${currency}`.trim();
}

/** Formats an availability: `https://schema.org/InStock` -> `in stock`. */
function formatAvailability(value: unknown): string {
  const word = (formatScalar(value) ?? '').split(/[/:#]/).at(-1) ?? '';
  return word.replace(/(?<=[a-z])(?=[A-Z])/g, ' ').toLowerCase();
}

function formatQuantity(value: unknown): unknown {
  if (!isDataObject(value)) return value;
  const number = formatScalar(value.value);
  return number === null ? null : `${number} ${formatScalar(value.unitText ?? value.unitCode) ?? ''}`.trim();
}

function formatText(value: unknown, charsMax: number): string | null {
  const text = toList(value)
    .flatMap((one) => formatScalar(one) ?? [])
    .join(', ');
  return text.trim() === '' ? null : text.trim().slice(0, charsMax);
}

function findProductScopes(root: TreeElement): TreeElement[] {
  const found: TreeElement[] = [];
  walk(root, (element) => {
    const { itemtype } = element.attributes;
    const isProduct =
      itemtype !== undefined && /schema\.org\/(?:Individual)?Product(?:Model)?$/i.test(itemtype);
    if (isProduct) found.push(element);
    return !isProduct;
  });
  return found;
}

/** Reads the properties of a microdata element; nested items become objects of their own. */
function readProperties(scope: TreeElement): DataObject {
  const properties: DataObject = {};
  walk(scope, (element) => {
    if (element === scope) return true;
    const name = element.attributes.itemprop?.trim().split(/\s+/)[0];
    const isNested = isScope(element);
    if (name !== undefined && name !== '') {
      const value = isNested ? readProperties(element) : readPropertyText(element);
      const before = Object.hasOwn(properties, name) ? properties[name] : undefined;
      properties[name] = before === undefined ? value : [...toList(before), value];
    }
    return !isNested;
  });
  return properties;
}

function readPropertyText(element: TreeElement): string {
  const { content, href, datetime } = element.attributes;
  if (content !== undefined) return content;
  if (element.tag === 'link' && href !== undefined) return href;
  if (datetime !== undefined) return datetime;
  let text = '';
  const collect = (node: TreeElement): void =>
    walk(node, ({ children }) => {
      for (const child of children) if (!isElement(child)) text += child.text;
      return true;
    });
  collect(element);
  return text.replace(/\s+/g, ' ').trim();
}

/** Visits elements in page order; does not descend where `enter` returns false. */
function walk(root: TreeElement, enter: (element: TreeElement) => boolean): void {
  const waiting = [root];
  let nodes = 0;
  for (
    let element = waiting.pop();
    element !== undefined && nodes < MICRODATA_NODES_MAX;
    element = waiting.pop()
  ) {
    nodes += 1;
    if (!enter(element)) continue;
    for (let at = element.children.length - 1; at >= 0; at -= 1) {
      const child = element.children[at];
      if (child !== undefined && isElement(child)) waiting.push(child);
    }
  }
}
