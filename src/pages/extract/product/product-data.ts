import { type DataObject, isDataObject } from '../hydration/rich-text.ts';
import { type JsonLd, readLdText } from '../metadata/json-ld.ts';
import { isElement, type TreeElement } from '../table-shape.ts';

/** The product of a page, as its structured data describe it. */
export type ProductData = {
  description: string | null;
  /** Price, brand, specifications: each with its name, in the order in which they are written. */
  facts: [name: string, text: string][];
  variants: [name: string, price: string][];
};

const PRODUCT = /^(?:product|productgroup|individualproduct|productmodel)$/;
const LISTED_MAX = 100;
const TEXT_CHARS_MAX = 300;
const MICRODATA_NODES_MAX = 5_000;

/** Finds the product of a page in JSON-LD or else microdata; null when there is none, or several, as in a product list. */
export function findProductData(objects: readonly JsonLd[], root: TreeElement): ProductData | null {
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

const formatPrices = (object: DataObject): string =>
  [
    ...new Set(
      listOffers(object)
        .map(formatPrice)
        .filter((price) => price !== null),
    ),
  ].join(', ');

function formatQuantity(value: unknown): unknown {
  if (!isDataObject(value)) return value;
  const number = formatScalar(value.value);
  return number === null ? null : `${number} ${formatScalar(value.unitText ?? value.unitCode) ?? ''}`.trim();
}

const toList = (value: unknown): unknown[] =>
  (Array.isArray(value) ? value : value === undefined || value === null ? [] : [value]).slice(0, LISTED_MAX);

const formatScalar = (value: unknown): string | null =>
  typeof value === 'number' ? String(value) : readLdText(value);

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

const isScope = ({ attributes }: TreeElement): boolean => attributes.itemscope !== undefined;

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
