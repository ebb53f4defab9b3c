import type { TreeElement, TreeNode } from '../tree.ts';
import { isNamed, makeElement, makeText, type Named, nodesOfHtml } from './make-element.ts';
import { parsedJson } from './read-literal.ts';

/** Deeper elements are left out. */
const DEPTH_MAX = 200;
const NODES_MAX = 200_000;
/** What a component shows in place of its content: for errors, or while it loads. */
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
 * The page that a stream of React Server Components describes, as a tree; null when it holds none. Rows are
 * `<id in hexadecimal>:<JSON>` or `<id>:T<bytes in hexadecimal>,<text>`; elements are `["$", type, key, props]`, and `$1`
 * stands for row 1.
 */
export function flightTree(stream: string): TreeElement | null {
  const rows = rowsOf(stream);
  const slots: TreeElement[] = [];
  const place: Place = { rows, slots, left: { nodes: NODES_MAX }, depth: 0, inside: false };
  const nodes = nodesOf(rows.get('0') ?? [...rows.values()][0], place);
  return nodes.length === 0 ? null : makeElement('#root', nested(nodes, slots));
}

/** Layouts and the page come one after another; each belongs where the one before it has its slot. */
function nested(nodes: TreeNode[], slots: readonly TreeElement[]): TreeNode[] {
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

/** The rows by id. Lengths count bytes of UTF-8. */
function rowsOf(stream: string): Rows {
  const bytes = new TextEncoder().encode(stream);
  const decoder = new TextDecoder();
  const rows: Rows = new Map();
  for (let at = 0; at < bytes.length; ) {
    const colon = bytes.indexOf(COLON, at);
    if (colon === -1) break;
    const id = decoder.decode(bytes.subarray(at, colon)).trim();
    if (!/^[\da-f]{1,8}$/.test(id)) {
      at = nextLine(bytes, at);
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
    const end = nextLine(bytes, colon);
    const value = parsedJson(decoder.decode(bytes.subarray(colon + 1, end)));
    if (value !== undefined) rows.set(id, value);
    at = end;
  }
  return rows;
}
const COLON = 58;
const COMMA = 44;
const LETTER_T = 84;
const LINE_END = 10;

function nextLine(bytes: Uint8Array, at: number): number {
  const end = bytes.indexOf(LINE_END, at);
  return end === -1 ? bytes.length : end + 1;
}

/** `slots`: where layouts show the layout or page below them. `inside`: within an element, where texts are shown; outside they name segments of the route. */
type Place = { rows: Rows; slots: TreeElement[]; left: { nodes: number }; depth: number; inside: boolean };

function nodesOf(value: unknown, place: Place): TreeNode[] {
  const { left, depth, inside, rows } = place;
  if (depth > DEPTH_MAX || left.nodes <= 0) return [];
  left.nodes -= 1;
  const inner = { ...place, depth: depth + 1 };
  if (typeof value === 'number') return inside ? [makeText(String(value))] : [];
  if (typeof value === 'string') {
    const found = referred(value, rows);
    if (found === undefined) return isReference(value) || !inside ? [] : [makeText(unescaped(value))];
    return nodesOf(found, inner);
  }
  if (Array.isArray(value)) {
    if (value[0] === '$' && value.length >= 4) return elementOf(value, { ...inner, inside: true });
    return value.flatMap((each) => nodesOf(each, inner));
  }
  // The envelope of a whole page, whose parts hold elements.
  return isNamed(value)
    ? Object.values(value)
        .filter(holdsElement)
        .flatMap((each) => nodesOf(each, inner))
    : [];
}

const holdsElement = (value: unknown): boolean => typeof value === 'object' && value !== null;

function elementOf([, type, , props]: unknown[], place: Place): TreeNode[] {
  const given = propsOf(props, place.rows);
  if (given.parallelRouterKey === 'children') {
    const slot = makeElement('div', []);
    place.slots.push(slot);
    return [slot];
  }
  const children = childrenOf(given, place);
  if (typeof type !== 'string' || type.startsWith('$')) return [...children, ...inProps(given, place)];
  const tag = type.toLowerCase();
  return [makeElement(tag, children, attributesOf(given))];
}

function propsOf(props: unknown, rows: Rows): Named {
  const found = typeof props === 'string' ? referred(props, rows) : props;
  return isNamed(found) ? found : {};
}

function childrenOf(props: Named, place: Place): TreeNode[] {
  const { dangerouslySetInnerHTML: inner } = props;
  const html = isNamed(inner) ? inner.__html : undefined;
  if (typeof html === 'string') {
    const found = referred(html, place.rows);
    return nodesOfHtml(typeof found === 'string' ? found : unescaped(html));
  }
  return props.children === undefined || props.children === null ? [] : nodesOf(props.children, place);
}

/** Elements that a component gets under other names than `children`. */
function inProps(props: Named, place: Place): TreeNode[] {
  return Object.entries(props)
    .filter(([name, value]) => name !== 'children' && !OTHER_STATES.has(name) && isElementLike(value))
    .flatMap(([, value]) => nodesOf(value, place));
}

const isElementLike = (value: unknown): boolean =>
  Array.isArray(value) &&
  (value[0] === '$' || value.some((inner) => Array.isArray(inner) && inner[0] === '$'));

const WRITTEN = ['href', 'src', 'alt', 'title', 'id', 'datetime', 'colspan', 'rowspan', 'start', 'hidden'];

function attributesOf(props: Named): Record<string, string> {
  const attributes: Record<string, string> = {};
  for (const [name, value] of Object.entries(props)) {
    const lower = name === 'className' ? 'class' : name.toLowerCase();
    if (lower !== 'class' && !WRITTEN.includes(lower)) continue;
    if (typeof value === 'string' || typeof value === 'number') attributes[lower] = String(value);
    else if (value === true) attributes[lower] = '';
  }
  return attributes;
}

/** `$12`, `$L12` (loaded later) and `$@12` (a promise) stand for row 12; `$12:props:children` for a part of it. */
const REFERENCE = /^\$[L@]?([\da-f]{1,8})(?::(.{1,200}))?$/;

const isReference = (text: string): boolean => /^\$(?!\$)/.test(text);

function referred(text: string, rows: Rows): unknown {
  const [, id = '', path] = REFERENCE.exec(text) ?? [];
  let value = rows.get(id);
  for (const name of path?.split(':') ?? []) value = memberOf(value, name);
  return value;
}

function memberOf(value: unknown, name: string): unknown {
  if (Array.isArray(value)) {
    const at = value[0] === '$' ? { type: 1, key: 2, props: 3 }[name] : Number(name);
    return at === undefined ? undefined : value[at];
  }
  return isNamed(value) && Object.hasOwn(value, name) ? value[name] : undefined;
}

/** A text that begins with a dollar sign is sent with two. */
const unescaped = (text: string): string => (text.startsWith('$$') ? text.slice(1) : text);
