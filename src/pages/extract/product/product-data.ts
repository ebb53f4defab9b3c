import { isNamed, type Named } from '../hydration/make-element.ts';
import { type JsonLd, ldText } from '../metadata/json-ld.ts';
import { isElement, type TreeElement } from '../tree.ts';

/** What a page's data say of the product that it sells. */
export type ProductData = {
  description: string | null;
  /** Price, brand, specifications: each with its name, in the order that they are written. */
  facts: [name: string, text: string][];
  variants: [name: string, price: string][];
};

const PRODUCT = /^(?:product|productgroup|individualproduct|productmodel)$/;
const LISTED_MAX = 100;
const TEXT_CHARS_MAX = 300;
const MICRODATA_NODES_MAX = 5_000;

/** The product of a page, from JSON-LD or else microdata; null where there is none, or several as in a list of products. */
export function productData(objects: readonly JsonLd[], root: TreeElement): ProductData | null {
  const products = objects.filter(({ types }) => types.some((type) => PRODUCT.test(type)));
  const [first] = products;
  if (first !== undefined) {
    const names = new Set(products.map(({ value }) => ldText(value)));
    return names.size > 1 && !first.types.includes('productgroup') ? null : ofObject(first.value);
  }
  const scopes = productScopes(root);
  return scopes[0] === undefined || scopes.length > 1 ? null : ofObject(propertiesOf(scopes[0]));
}

/** The facts of a product object of JSON-LD, or of microdata in the same form. */
function ofObject(object: Named): ProductData {
  const offers = offersOf(object);
  const properties = listOf(object.additionalProperty).filter(isNamed);
  const variants = listOf(object.hasVariant).filter(isNamed);
  const facts: [string, unknown][] = [
    ['Price', pricesOf(object)],
    ['Availability', [...new Set(offers.map(({ availability }) => availabilityOf(availability)))].join(', ')],
    ['Brand', object.brand],
    ['Manufacturer', object.manufacturer],
    ['SKU', object.sku],
    ['MPN', object.mpn],
    ['GTIN', object.gtin13 ?? object.gtin14 ?? object.gtin12 ?? object.gtin8 ?? object.gtin],
    ['Color', object.color],
    ['Size', object.size],
    ['Material', object.material],
    ['Weight', quantityOf(object.weight)],
    ...properties.map((one): [string, unknown] => [ldText(one.name) ?? '', quantityOf(one)]),
  ];
  return {
    description: plainText(object.description, Number.POSITIVE_INFINITY),
    facts: facts.flatMap(([name, value]) => {
      const text = plainText(value, TEXT_CHARS_MAX);
      return name === '' || text === null ? [] : [[name, text] as [string, string]];
    }),
    variants: variants.flatMap((variant) => {
      const name = ldText(variant);
      return name === null ? [] : [[name.slice(0, TEXT_CHARS_MAX), pricesOf(variant)] as [string, string]];
    }),
  };
}

function offersOf(object: Named): Named[] {
  return listOf(object.offers)
    .filter(isNamed)
    .flatMap((offer) =>
      offer.offers === undefined ? [offer] : [offer, ...listOf(offer.offers).filter(isNamed)],
    );
}

/** An offer's price with its currency; `lowPrice` and `highPrice` are those of a range. */
function priceOf({ price, lowPrice, highPrice, priceCurrency, priceSpecification }: Named): string | null {
  const [specified] = listOf(priceSpecification).filter(isNamed);
  const amount = scalar(price ?? lowPrice);
  if (amount === null) return specified === undefined ? null : priceOf(specified);
  const most = price === undefined ? scalar(highPrice) : null;
  const currency = scalar(priceCurrency) ?? scalar(specified?.priceCurrency) ?? '';
  return `${amount}${most === null || most === amount ? '' : ` to ${most}`} ${currency}`.trim();
}

/** `https://schema.org/InStock` -> `in stock` */
function availabilityOf(value: unknown): string {
  const word = (scalar(value) ?? '').split(/[/:#]/).at(-1) ?? '';
  return word.replace(/(?<=[a-z])(?=[A-Z])/g, ' ').toLowerCase();
}

const pricesOf = (object: Named): string =>
  [
    ...new Set(
      offersOf(object)
        .map(priceOf)
        .filter((price) => price !== null),
    ),
  ].join(', ');

function quantityOf(value: unknown): unknown {
  if (!isNamed(value)) return value;
  const number = scalar(value.value);
  return number === null ? null : `${number} ${scalar(value.unitText ?? value.unitCode) ?? ''}`.trim();
}

const listOf = (value: unknown): unknown[] =>
  (Array.isArray(value) ? value : value === undefined || value === null ? [] : [value]).slice(0, LISTED_MAX);

const scalar = (value: unknown): string | null => (typeof value === 'number' ? String(value) : ldText(value));

function plainText(value: unknown, charsMax: number): string | null {
  const text = listOf(value)
    .flatMap((one) => scalar(one) ?? [])
    .join(', ');
  return text.trim() === '' ? null : text.trim().slice(0, charsMax);
}

function productScopes(root: TreeElement): TreeElement[] {
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

/** The properties of a microdata element; those of what is nested in it hang below their own. */
function propertiesOf(scope: TreeElement): Named {
  const properties: Named = {};
  walk(scope, (element) => {
    if (element === scope) return true;
    const name = element.attributes.itemprop?.trim().split(/\s+/)[0];
    const isNested = isScope(element);
    if (name !== undefined && name !== '') {
      const value = isNested ? propertiesOf(element) : propertyText(element);
      const before = Object.hasOwn(properties, name) ? properties[name] : undefined;
      properties[name] = before === undefined ? value : [...listOf(before), value];
    }
    return !isNested;
  });
  return properties;
}

const isScope = ({ attributes }: TreeElement): boolean => attributes.itemscope !== undefined;

function propertyText(element: TreeElement): string {
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

/** Visits elements in page order, not below those for which `enter` says false. */
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
