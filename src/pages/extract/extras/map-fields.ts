import { collapse } from '../markdown/inline/escape-text.ts';
import type { UrlResolver } from '../metadata/addresses.ts';
import { findMatchingElements, readFullText, type Selector } from '../selector.ts';
import type { Tree, TreeElement } from '../table-shape.ts';

/** Maps a JSON value to the page: it is read from the first matching element, or from the enclosing one without a selector. */
export type FieldMapping = { selector: Selector | null } & (
  | { kind: 'text' | 'number' | 'integer'; attribute: string | null }
  /** True when an element matches. */
  | { kind: 'boolean' }
  /** One item per matching element. */
  | { kind: 'list'; items: FieldMapping }
  | { kind: 'object'; fields: Record<string, FieldMapping> }
);

/** A field without a matching element is null; a list is empty. */
type Json = string | number | boolean | null | Json[] | { [name: string]: Json };

const LIST_MAX = 1_000;
const VALUES_MAX = 20_000;
const TEXT_CHARS_MAX = 10_000;
const ADDRESSES = new Set(['href', 'src']);

/** Reads the values of a mapping from a page. The caller bounds the mapping's depth. */
export function mapFields({ root }: Tree, mapping: FieldMapping, resolve: UrlResolver): Json {
  let values = 0;
  return readField(root, mapping);

  function readField(around: TreeElement, field: FieldMapping): Json {
    values += 1;
    if (values > VALUES_MAX) return null;
    const { selector, kind } = field;
    const matching = selector === null ? [around] : findMatchingElements(around, selector);
    if (kind === 'boolean') return matching.length > 0;
    if (kind === 'list') return matching.slice(0, LIST_MAX).map((element) => readField(element, field.items));
    const [element] = matching;
    if (element === undefined) return null;
    if (kind === 'object')
      return Object.fromEntries(
        Object.entries(field.fields).map(([name, inner]) => [name, readField(element, inner)]),
      );
    const text = readText(element, field.attribute);
    return kind === 'text' || text === null ? text : parseNumber(text, kind);
  }

  function readText(element: TreeElement, attribute: string | null): string | null {
    if (attribute === null) return collapse(readFullText(element)).trim().slice(0, TEXT_CHARS_MAX);
    const value = Object.hasOwn(element.attributes, attribute) ? element.attributes[attribute] : undefined;
    if (value === undefined) return null;
    return (ADDRESSES.has(attribute) ? (resolve(value) ?? value) : value).slice(0, TEXT_CHARS_MAX);
  }
}

/** Parses the first number in a text, in English or continental notation: 1,299.50 and 1.299,50. */
function parseNumber(text: string, kind: 'number' | 'integer'): number | null {
  const [written] = /-?\d+(?:[.,]\d+)*/.exec(text) ?? [];
  if (written === undefined) return null;
  const mark = findDecimalMark(written);
  const digits = [...written].filter((letter) => letter === mark || !/[.,]/.test(letter)).join('');
  const value = Number(mark === null ? digits : digits.replace(mark, '.'));
  if (!Number.isFinite(value)) return null;
  return kind === 'integer' ? Math.trunc(value) : value;
}

/** Finds the decimal mark: the last mark, unless it groups digits (it repeats, or is a lone comma before exactly three digits). */
function findDecimalMark(written: string): '.' | ',' | null {
  const last = Math.max(written.lastIndexOf('.'), written.lastIndexOf(','));
  const mark = written[last];
  if (mark !== '.' && mark !== ',') return null;
  if (written.indexOf(mark) !== last) return null;
  const groups = mark === ',' && written.length - last === 4 && !written.includes('.');
  return groups ? null : mark;
}

/** The part of a page that a caller wants instead of its main content. */
export type Selection = {
  /** Only the contents of these elements; when empty, the main content, or everything if `whole`. */
  include: Selector[];
  /** Elements to leave out in any case. */
  exclude: Selector[];
  /** Include everything visible, menus too. */
  whole: boolean;
  /** Include the comments below an article, which are not part of its main content. */
  comments?: boolean;
};

/** Extras that a caller wants besides the article. Each name has its counterpart in `PageExtras`. */
export type ExtrasRequest = {
  /** Null for the main content, as in the article. */
  selection: Selection | null;
  /** The selection as clean HTML with absolute addresses: no scripts, styles, comments or event handlers. */
  html?: boolean;
  /** The decoded source. */
  rawHtml?: boolean;
  /** Links and images, of the selection or of the whole page. */
  links?: Scope;
  images?: Scope;
  /** Attributes of elements anywhere on the page. */
  attributes?: AttributeRequest[];
  /** A JSON value whose parts are read from elements anywhere on the page. */
  fields?: FieldMapping;
  /** A picture of the viewport or of the whole page; only with a browser. */
  screenshot?: 'viewport' | 'page';
};

type Scope = 'selection' | 'page';

export type AttributeRequest = { selector: Selector; attribute: string };

export type PageLink = { url: string; text: string };

export type PageImage = { url: string; alt: string };

/** The extras that were requested; others are absent. Plain data, sent between threads and never cached. */
export type PageExtras = {
  /** The Markdown of the selection, or of the article when nothing was selected. */
  markdown: string;
  html?: string;
  rawHtml?: string;
  links?: PageLink[];
  images?: PageImage[];
  /** One list of values per requested attribute, in order. */
  attributes?: string[][];
  fields?: Json;
  /** A PNG in base64. */
  screenshot?: string;
};
