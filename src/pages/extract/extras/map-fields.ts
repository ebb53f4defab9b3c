import { collapse } from '../markdown/inline/escape-text.ts';
import type { Resolve } from '../metadata/addresses.ts';
import type { Tree, TreeElement } from '../tree.ts';
import { elementsMatching, type Selector, textWithin } from './selector.ts';

/** Where a JSON value stands on a page: in the first element that matches, or in the element around where there is no selector. */
export type FieldMapping = { selector: Selector | null } & (
  | { kind: 'text' | 'number' | 'integer'; attribute: string | null }
  /** Whether an element matches. */
  | { kind: 'boolean' }
  /** One item for each element that matches. */
  | { kind: 'list'; items: FieldMapping }
  | { kind: 'object'; fields: Record<string, FieldMapping> }
);

/** A value without an element is null, a list empty. */
export type Json = string | number | boolean | null | Json[] | { [name: string]: Json };

const LIST_MAX = 1_000;
const VALUES_MAX = 20_000;
const TEXT_CHARS_MAX = 10_000;
const ADDRESSES = new Set(['href', 'src']);

/** Reads the values of a mapping from a page. The mapping is as deep as its maker allows. */
export function mapFields({ root }: Tree, mapping: FieldMapping, resolve: Resolve): Json {
  let values = 0;
  return readField(root, mapping);

  function readField(around: TreeElement, field: FieldMapping): Json {
    values += 1;
    if (values > VALUES_MAX) return null;
    const { selector, kind } = field;
    const matching = selector === null ? [around] : elementsMatching(around, selector);
    if (kind === 'boolean') return matching.length > 0;
    if (kind === 'list') return matching.slice(0, LIST_MAX).map((element) => readField(element, field.items));
    const [element] = matching;
    if (element === undefined) return null;
    if (kind === 'object')
      return Object.fromEntries(
        Object.entries(field.fields).map(([name, inner]) => [name, readField(element, inner)]),
      );
    const text = textOf(element, field.attribute);
    return kind === 'text' || text === null ? text : numberIn(text, kind);
  }

  function textOf(element: TreeElement, attribute: string | null): string | null {
    if (attribute === null) return collapse(textWithin(element)).trim().slice(0, TEXT_CHARS_MAX);
    const value = Object.hasOwn(element.attributes, attribute) ? element.attributes[attribute] : undefined;
    if (value === undefined) return null;
    return (ADDRESSES.has(attribute) ? (resolve(value) ?? value) : value).slice(0, TEXT_CHARS_MAX);
  }
}

/** The first number in a text, as written in English or on the continent: 1,299.50 and 1.299,50. */
function numberIn(text: string, kind: 'number' | 'integer'): number | null {
  const [written] = /-?\d+(?:[.,]\d+)*/.exec(text) ?? [];
  if (written === undefined) return null;
  const mark = decimalMark(written);
  const digits = [...written].filter((letter) => letter === mark || !/[.,]/.test(letter)).join('');
  const value = Number(mark === null ? digits : digits.replace(mark, '.'));
  if (!Number.isFinite(value)) return null;
  return kind === 'integer' ? Math.trunc(value) : value;
}

/** The last mark, unless it only groups digits: it comes several times, or exactly three digits follow a lone comma. */
function decimalMark(written: string): '.' | ',' | null {
  const last = Math.max(written.lastIndexOf('.'), written.lastIndexOf(','));
  const mark = written[last];
  if (mark !== '.' && mark !== ',') return null;
  if (written.indexOf(mark) !== last) return null;
  const groups = mark === ',' && written.length - last === 4 && !written.includes('.');
  return groups ? null : mark;
}
