import type { TreeElement } from '../tree.ts';
import { IMPLIED_END, SCOPE, SPECIAL, SPECIAL_FOREIGN } from './names.ts';

export type Namespace = 'html' | 'svg' | 'math';

/** The stack of open elements with the namespace of each. */
export type OpenElements = { elements: TreeElement[]; spaces: Namespace[] };

/** Returns the innermost open element. */
export function findCurrentElement({ elements }: OpenElements): TreeElement | undefined {
  return elements[elements.length - 1];
}

export function findCurrentNamespace({ spaces }: OpenElements): Namespace {
  return spaces[spaces.length - 1] ?? 'html';
}

/** Returns whether the innermost open element is this HTML element. */
export function isCurrent(open: OpenElements, tag: string): boolean {
  return findCurrentElement(open)?.tag === tag && findCurrentNamespace(open) === 'html';
}

export function popOne({ elements, spaces }: OpenElements): void {
  elements.pop();
  spaces.pop();
}

/** Finds the innermost open HTML element whose name fits, without one of `limits` in between; returns its index or -1. */
export function findInScope(
  { elements, spaces }: OpenElements,
  fits: (tag: string) => boolean,
  limits: ReadonlySet<string>,
): number {
  for (let at = elements.length - 1; at >= 0; at -= 1) {
    const tag = (elements[at] as TreeElement).tag;
    if (spaces[at] !== 'html') {
      if (limits.size >= SCOPE.size && SPECIAL_FOREIGN.has(tag)) return -1;
    } else if (fits(tag)) return at;
    else if (limits.has(tag)) return -1;
  }
  return -1;
}

export function isInScope(open: OpenElements, tag: string, limits: ReadonlySet<string>): boolean {
  const { elements, spaces } = open;
  for (let at = elements.length - 1; at >= 0; at -= 1) {
    const each = (elements[at] as TreeElement).tag;
    if (spaces[at] !== 'html') return findInScope(open, (name) => name === tag, limits) !== -1;
    if (each === tag) return true;
    if (limits.has(each)) return false;
  }
  return false;
}

/** Returns whether the element at `place` is in scope: no limit between it and the innermost element. */
export function isReached({ elements, spaces }: OpenElements, place: number): boolean {
  for (let at = elements.length - 1; at > place; at -= 1) {
    const tag = (elements[at] as TreeElement).tag;
    if ((spaces[at] === 'html' ? SCOPE : SPECIAL_FOREIGN).has(tag)) return false;
  }
  return true;
}

/** Closes the elements down to and including the one at `place`. */
export function closeFrom({ elements, spaces }: OpenElements, place: number): void {
  elements.length = place;
  spaces.length = place;
}

/** Closes elements until one with one of the names has been closed. */
export function closeThrough(open: OpenElements, tags: ReadonlySet<string> | string): void {
  const { elements, spaces } = open;
  while (elements.length > 0) {
    const tag = findCurrentElement(open)?.tag ?? '';
    const isHtml = findCurrentNamespace(open) === 'html';
    elements.pop();
    spaces.pop();
    if (isHtml && (typeof tags === 'string' ? tag === tags : tags.has(tag))) return;
  }
}

/** Closes elements until one with one of the names is the innermost; the outermost element is never closed. */
export function closeTo(open: OpenElements, tags: ReadonlySet<string>): void {
  while (open.elements.length > 1) {
    if (findCurrentNamespace(open) === 'html' && tags.has(findCurrentElement(open)?.tag ?? '')) return;
    popOne(open);
  }
}

/** Closes the elements whose end tags are implied. */
export function closeImplied(
  open: OpenElements,
  except = '',
  names: ReadonlySet<string> = IMPLIED_END,
): void {
  while (findCurrentNamespace(open) === 'html') {
    const tag = findCurrentElement(open)?.tag ?? '';
    if (tag === except || !names.has(tag)) return;
    popOne(open);
  }
}

/** Returns whether the element at `place` is special: it ends the search for an inline element's start. */
export function isSpecial({ elements, spaces }: OpenElements, place: number): boolean {
  const tag = elements[place]?.tag ?? '';
  return spaces[place] === 'html' ? SPECIAL.has(tag) : SPECIAL_FOREIGN.has(tag);
}
