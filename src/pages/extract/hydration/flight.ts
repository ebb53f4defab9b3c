import type { TreeElement, TreeNode } from '../table-shape.ts';
import { findLongestProse } from './prose.ts';
import { parseJsonText } from './read-literal.ts';
import { type DataObject, isDataObject, makeElement, makeText, parseNodes } from './rich-text.ts';

/** Maximum depth; deeper elements are left out. */
const DEPTH_MAX = 200;
const NODES_MAX = 200_000;
/** Props with alternatives to a component's content: for errors, or while it loads. */
const OTHER_STATES = new Set([
  'notFound',
  'forbidden',
  'unauthorized',
  'error',
  'loading',
  'fallback',
  'errorStyles',
]);

type Rows = Map<string, unknown>;

/**
 * Parses a stream of React Server Components into the tree of the page; null when it describes none. Rows are
 * `<id in hexadecimal>:<JSON>` or `<id>:T<bytes in hexadecimal>,<text>`; elements are `["$", type, key, props]`, and `$1`
 * refers to row 1.
 */
export function parseFlight(stream: string): TreeElement | null {
  const rows = parseRows(stream);
  const slots: TreeElement[] = [];
  const place: FlightContext = { rows, slots, left: { nodes: NODES_MAX }, depth: 0, inside: false };
  const nodes = buildNodes(rows.get('0') ?? [...rows.values()][0], place);
  return nodes.length === 0 ? null : makeElement('#root', nestInSlots(nodes, slots));
}

/** Nests layouts and the page, which come one after another: each goes into the slot of the one before it. */
function nestInSlots(nodes: TreeNode[], slots: readonly TreeElement[]): TreeNode[] {
  const outermost: TreeNode[] = [];
  let slot: TreeElement | undefined;
  let next = 0;
  for (const node of nodes) {
    if (slot === undefined) outermost.push(node);
    else {
      slot.children.push(node);
      node.parent = slot;
    }
    while (next < slots.length && isWithin(slots[next], node)) {
      slot = slots[next];
      next += 1;
    }
  }
  return outermost;
}

function isWithin(element: TreeElement | undefined, node: TreeNode): boolean {
  for (let above = element ?? null; above !== null; above = above.parent) if (above === node) return true;
  return false;
}

/** Parses the rows by id. Lengths count bytes of UTF-8. */
function parseRows(stream: string): Rows {
  const bytes = new TextEncoder().encode(stream);
  const decoder = new TextDecoder();
  const rows: Rows = new Map();
  for (let at = 0; at < bytes.length; ) {
    const colon = bytes.indexOf(COLON, at);
    if (colon === -1) break;
    const id = decoder.decode(bytes.subarray(at, colon)).trim();
    if (!/^[\da-f]{1,8}$/.test(id)) {
      at = findNextLine(bytes, at);
      continue;
    }
    if (bytes[colon + 1] === LETTER_T) {
      const comma = bytes.indexOf(COMMA, colon);
      const length = Number.parseInt(decoder.decode(bytes.subarray(colon + 2, comma)), 16);
      if (comma === -1 || Number.isNaN(length)) break;
      rows.set(id, decoder.decode(bytes.subarray(comma + 1, comma + 1 + length)));
      at = comma + 1 + length;
      continue;
    }
    const end = findNextLine(bytes, colon);
    const value = parseJsonText(decoder.decode(bytes.subarray(colon + 1, end)));
    if (value !== undefined) rows.set(id, value);
    at = end;
  }
  return rows;
}
const COLON = 58;
const COMMA = 44;
const LETTER_T = 84;
const LINE_END = 10;

function findNextLine(bytes: Uint8Array, at: number): number {
  const end = bytes.indexOf(LINE_END, at);
  return end === -1 ? bytes.length : end + 1;
}

/**
 * `slots` are the places where layouts show the layout or page below them. `inside` is true within an element, where texts are
 * shown; elsewhere they name segments of the route.
 */
type FlightContext = {
  rows: Rows;
  slots: TreeElement[];
  left: { nodes: number };
  depth: number;
  inside: boolean;
};

function buildNodes(value: unknown, place: FlightContext): TreeNode[] {
  const { left, depth, inside, rows } = place;
  if (depth > DEPTH_MAX || left.nodes <= 0) return [];
  left.nodes -= 1;
  const inner = { ...place, depth: depth + 1 };
  if (typeof value === 'number') return inside ? [makeText(String(value))] : [];
  if (typeof value === 'string') {
    const found = resolveReference(value, rows);
    if (found === undefined) return isReference(value) || !inside ? [] : [makeText(unescapeText(value))];
    return buildNodes(found, inner);
  }
  if (Array.isArray(value)) {
    if (value[0] === '$' && value.length >= 4) return buildElement(value, { ...inner, inside: true });
    return value.flatMap((each) => buildNodes(each, inner));
  }
  // The envelope of a whole page, whose parts hold elements.
  return isDataObject(value)
    ? Object.values(value)
        .filter(isObject)
        .flatMap((each) => buildNodes(each, inner))
    : [];
}

const isObject = (value: unknown): boolean => typeof value === 'object' && value !== null;

function buildElement([, type, , props]: unknown[], place: FlightContext): TreeNode[] {
  const given = readProps(props, place.rows);
  if (given.parallelRouterKey === 'children') {
    const slot = makeElement('div', []);
    place.slots.push(slot);
    return [slot];
  }
  const children = buildChildren(given, place);
  if (typeof type !== 'string' || type.startsWith('$'))
    return [...children, ...buildPropNodes(given, place), ...buildPropProse(given, place)];
  const tag = type.toLowerCase();
  return [makeElement(tag, children, buildAttributes(given))];
}

function readProps(props: unknown, rows: Rows): DataObject {
  const found = typeof props === 'string' ? resolveReference(props, rows) : props;
  return isDataObject(found) ? found : {};
}

function buildChildren(props: DataObject, place: FlightContext): TreeNode[] {
  const { dangerouslySetInnerHTML: inner } = props;
  const html = isDataObject(inner) ? inner.__html : undefined;
  if (typeof html === 'string') {
    const found = resolveReference(html, place.rows);
    return parseNodes(typeof found === 'string' ? found : unescapeText(html));
  }
  return props.children === undefined || props.children === null ? [] : buildNodes(props.children, place);
}

/** Builds the elements that a component receives in other props than `children`. */
function buildPropNodes(props: DataObject, place: FlightContext): TreeNode[] {
  return Object.entries(props)
    .filter(([name, value]) => name !== 'children' && !OTHER_STATES.has(name) && isElementLike(value))
    .flatMap(([, value]) => buildNodes(value, place));
}

/** Builds the texts that a component receives as data; its code, which a browser would run, shows them. */
function buildPropProse(props: DataObject, { rows, left }: FlightContext): TreeNode[] {
  const texts = Object.entries(props)
    .filter(([name, value]) => name !== 'children' && !OTHER_STATES.has(name) && !isElementLike(value))
    .map(([name, value]) => [name, resolveTexts(value, { rows, left, depth: 0 })] as const);
  const prose = findLongestProse(Object.fromEntries(texts), PROP_CHARS_MIN);
  if (prose === null) return [];
  return 'nodes' in prose ? prose.nodes : [makeElement('pre', [makeText(prose.markdown)])];
}
/** Minimum length of a text in props that is shown; shorter ones are labels and settings. */
const PROP_CHARS_MIN = 60;
const PROP_DEPTH_MAX = 12;
/** Characters of a text that count as much as one node against the bound on nodes. */
const CHARS_PER_NODE = 100;

/** Copies data with the references in it replaced by the texts of their rows. */
function resolveTexts(value: unknown, walk: { rows: Rows; left: { nodes: number }; depth: number }): unknown {
  walk.left.nodes -= 1;
  if (walk.left.nodes < 0 || walk.depth > PROP_DEPTH_MAX) return undefined;
  const inner = { ...walk, depth: walk.depth + 1 };
  if (typeof value === 'string') {
    walk.left.nodes -= value.length / CHARS_PER_NODE;
    if (!isReference(value)) return unescapeText(value);
    const row = resolveReference(value, walk.rows);
    return isElementLike(row) ? undefined : resolveTexts(row, inner);
  }
  if (Array.isArray(value))
    return isElementLike(value) ? undefined : value.map((each) => resolveTexts(each, inner));
  if (!isDataObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, resolveTexts(each, inner)]));
}

const isElementLike = (value: unknown): boolean =>
  Array.isArray(value) &&
  (value[0] === '$' || value.some((inner) => Array.isArray(inner) && inner[0] === '$'));

const WRITTEN = ['href', 'src', 'alt', 'title', 'id', 'datetime', 'colspan', 'rowspan', 'start', 'hidden'];

function buildAttributes(props: DataObject): Record<string, string> {
  const attributes: Record<string, string> = {};
  for (const [name, value] of Object.entries(props)) {
    const lower = name === 'className' ? 'class' : name.toLowerCase();
    if (lower !== 'class' && !WRITTEN.includes(lower)) continue;
    if (typeof value === 'string' || typeof value === 'number') attributes[lower] = String(value);
    else if (value === true) attributes[lower] = '';
  }
  return attributes;
}

/** `$12`, `$L12` (loaded later) and `$@12` (a promise) refer to row 12; `$12:props:children` to a part of it. */
const REFERENCE = /^\$[L@]?([\da-f]{1,8})(?::(.{1,200}))?$/;

const isReference = (text: string): boolean => /^\$(?!\$)/.test(text);

function resolveReference(text: string, rows: Rows): unknown {
  const [, id = '', path] = REFERENCE.exec(text) ?? [];
  let value = rows.get(id);
  for (const name of path?.split(':') ?? []) value = findMember(value, name);
  return value;
}

function findMember(value: unknown, name: string): unknown {
  if (Array.isArray(value)) {
    const at = value[0] === '$' ? { type: 1, key: 2, props: 3 }[name] : Number(name);
    return at === undefined ? undefined : value[at];
  }
  return isDataObject(value) && Object.hasOwn(value, name) ? value[name] : undefined;
}

/** Unescapes a text: one that begins with a dollar sign is sent with two. */
const unescapeText = (text: string): string => (text.startsWith('$$') ? text.slice(1) : text);
