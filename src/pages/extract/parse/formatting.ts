import type { TreeElement } from '../table-shape.ts';
import { type Builder, countNode, findInsertionPlace, moveTo, openElement } from './builder.ts';
import { closeFrom, closeImplied, isReached, isSpecial } from './open-elements.ts';

/** Rounds of the adoption agency and elements moved in each (HTML, 13.2.6.4.7). */
const ROUNDS_MAX = 8;
const MOVED_MAX = 3;
/** Maximum equal entries, and entries in all, so that unclosed tags do not multiply. */
const EQUAL_MAX = 3;
const ENTRIES_MAX = 64;

/** Pushes an open formatting element on the list, so that it continues in blocks that cut it off. */
export function pushFormatting(builder: Builder, element: TreeElement): void {
  const { formatting } = builder;
  if (!builder.open.elements.includes(element, -1)) return;
  let equal = 0;
  for (let at = formatting.length - 1; at >= 0 && formatting[at] !== null; at -= 1) {
    const other = formatting[at] as TreeElement;
    if (other.tag !== element.tag || !hasSameAttributes(other, element)) continue;
    equal += 1;
    if (equal === EQUAL_MAX) {
      formatting.splice(at, 1);
      break;
    }
  }
  formatting.push(element);
  if (formatting.length > ENTRIES_MAX) formatting.shift();
}

function hasSameAttributes(one: TreeElement, other: TreeElement): boolean {
  const names = Object.keys(one.attributes);
  return (
    names.length === Object.keys(other.attributes).length &&
    names.every((name) => one.attributes[name] === other.attributes[name])
  );
}

/** Removes the formatting elements since the last marker. */
export function clearToMarker({ formatting }: Builder): void {
  while (formatting.length > 0 && formatting.pop() !== null);
}

/** Finds the entry with a name since the last marker. */
export function findActiveFormatting({ formatting }: Builder, tag: string): TreeElement | null {
  for (let at = formatting.length - 1; at >= 0; at -= 1) {
    const entry = formatting[at];
    if (entry == null) return null;
    if (entry.tag === tag) return entry;
  }
  return null;
}

/** Reopens the formatting elements that a block has cut off. */
export function reconstructFormatting(builder: Builder): void {
  const { formatting, open, depthMax } = builder;
  const last = formatting[formatting.length - 1];
  if (last == null || open.elements.lastIndexOf(last) !== -1 || open.elements.length > depthMax) return;
  let at = formatting.length - 1;
  while (at > 0) {
    const before = formatting[at - 1];
    if (before == null || open.elements.lastIndexOf(before) !== -1) break;
    at -= 1;
  }
  for (; at < formatting.length; at += 1) {
    const { tag, attributes } = formatting[at] as TreeElement;
    formatting[at] = openElement(builder, tag, { ...attributes });
  }
}

/** Ends a formatting element. */
export function endFormatting(builder: Builder, tag: string): void {
  if (runAdoptionAgency(builder, tag)) endInline(builder, tag);
}

/** Ends an element that has no rule of its own; a block in between keeps it open. */
export function endInline(builder: Builder, tag: string): void {
  const { open } = builder;
  for (let at = open.elements.length - 1; at >= 0; at -= 1) {
    if (open.elements[at]?.tag === tag && open.spaces[at] === 'html') {
      const element = open.elements[at];
      closeImplied(open, tag);
      const place = element === undefined ? -1 : open.elements.lastIndexOf(element);
      if (place !== -1) closeFrom(open, place);
      return;
    }
    if (isSpecial(open, at)) return;
  }
}

/**
 * Ends a formatting element that others overlap: `<b><p></b>` becomes a bold element before the block and another in it. Returns true
 * when the element is not active; the caller then handles the end tag.
 */
function runAdoptionAgency(builder: Builder, tag: string): boolean {
  const { open, formatting } = builder;
  const top = open.elements.at(-1);
  if (top?.tag === tag && !formatting.includes(top)) {
    closeFrom(open, open.elements.length - 1);
    return false;
  }
  for (let round = 0; round < ROUNDS_MAX; round += 1) {
    const element = findActiveFormatting(builder, tag);
    if (element === null) return round === 0;
    const place = open.elements.indexOf(element);
    if (place === -1) {
      formatting.splice(formatting.indexOf(element), 1);
      return false;
    }
    if (!isReached(open, place)) return false;
    const block = open.elements.findIndex((_, at) => at > place && isSpecial(open, at));
    if (block === -1) {
      closeFrom(open, place);
      formatting.splice(formatting.indexOf(element), 1);
      return false;
    }
    adoptContents(builder, element, block);
  }
  return false;
}

function adoptContents(builder: Builder, element: TreeElement, blockPlace: number): void {
  const { open, formatting } = builder;
  const block = open.elements[blockPlace] as TreeElement;
  const place = open.elements.indexOf(element);
  const ancestor = open.elements[place - 1] ?? builder.root;
  let bookmark = formatting.indexOf(element);
  let last = block;
  let at = blockPlace;
  for (let moved = 1; ; moved += 1) {
    at -= 1;
    const node = open.elements[at] as TreeElement;
    if (node === element) break;
    const entry = formatting.indexOf(node);
    if (entry !== -1 && moved > MOVED_MAX) {
      formatting.splice(entry, 1);
      if (entry < bookmark) bookmark -= 1;
    }
    if (!formatting.includes(node)) {
      open.elements.splice(at, 1);
      open.spaces.splice(at, 1);
      continue;
    }
    const copy = copyElement(builder, node);
    formatting[formatting.indexOf(node)] = copy;
    open.elements[at] = copy;
    if (last === block) bookmark = formatting.indexOf(copy) + 1;
    moveTo(last, { parent: copy, before: null });
    last = copy;
  }
  const fostering = builder.fostering;
  builder.fostering = true;
  moveTo(last, findInsertionPlace(builder, ancestor));
  builder.fostering = fostering;
  const copy = copyElement(builder, element);
  for (const child of block.children) child.parent = copy;
  copy.children = block.children;
  block.children = [];
  moveTo(copy, { parent: block, before: null });
  const own = formatting.indexOf(element);
  formatting.splice(own, 1);
  formatting.splice(own < bookmark ? bookmark - 1 : bookmark, 0, copy);
  const old = open.elements.indexOf(element);
  open.elements.splice(old, 1);
  open.spaces.splice(old, 1);
  const below = open.elements.indexOf(block) + 1;
  open.elements.splice(below, 0, copy);
  open.spaces.splice(below, 0, 'html');
}

function copyElement(builder: Builder, { tag, attributes }: TreeElement): TreeElement {
  countNode(builder);
  return { tag, attributes: { ...attributes }, children: [], parent: null, kept: true };
}
