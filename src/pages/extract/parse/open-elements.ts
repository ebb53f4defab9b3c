import type { TreeElement } from '../table-shape.ts';

const parseNames = (list: string): ReadonlySet<string> => new Set(list.split(' '));
/** Names of elements in the groups that the tree construction of the HTML standard uses (HTML, 13.2.4 and 13.2.6). */
export const VOID: ReadonlySet<string> = parseNames(
  'area base basefont bgsound br col embed hr img input keygen link meta param source track wbr',
);
/** Elements that end a paragraph when they begin. */
export const CLOSES_P: ReadonlySet<string> = parseNames(
  'address article aside blockquote center details dialog dir div dl fieldset figcaption figure footer header hgroup ' +
    'main menu nav ol p search section summary ul',
);
/** Elements whose end tag closes the elements open inside them. */
export const ENDS_BLOCK: ReadonlySet<string> = parseNames(
  'address article aside blockquote button center details dialog dir div dl fieldset figcaption figure footer header ' +
    'hgroup listing main menu nav ol pre search section select summary ul',
);
export const FORMATTING: ReadonlySet<string> = parseNames(
  'a b big code em font i nobr s small strike strong tt u',
);
export const HEADINGS: ReadonlySet<string> = parseNames('h1 h2 h3 h4 h5 h6');
const SPECIAL: ReadonlySet<string> = parseNames(
  'address applet area article aside base basefont bgsound blockquote body br button caption center col colgroup dd ' +
    'details dir div dl dt embed fieldset figcaption figure footer form frame frameset h1 h2 h3 h4 h5 h6 head header ' +
    'hgroup hr html iframe img input keygen li link listing main marquee menu meta nav noembed noframes noscript object ' +
    'ol p param plaintext pre script search section select source style summary table tbody td template textarea tfoot ' +
    'th thead title tr track ul wbr xmp',
);
/** Elements of SVG and MathML that count as special, and as the limits of scopes. */
const SPECIAL_FOREIGN: ReadonlySet<string> = parseNames(
  'mi mo mn ms mtext annotation-xml foreignobject desc title',
);
const IMPLIED_END: ReadonlySet<string> = parseNames('dd dt li optgroup option p rb rp rt rtc');
export const IMPLIED_END_THOROUGH: ReadonlySet<string> = parseNames(
  'caption colgroup dd dt li optgroup option p rb rp rt rtc tbody td tfoot th thead tr',
);
export const HEAD_CONTENT: ReadonlySet<string> = parseNames(
  'base basefont bgsound link meta noframes script style template title',
);
export const TABLE_PARTS: ReadonlySet<string> = parseNames('caption col colgroup tbody td tfoot th thead tr');
/** Elements whose stray content is put before the table. */
export const TABLE_CONTEXT: ReadonlySet<string> = parseNames('table tbody tfoot thead tr');
export const SCOPE: ReadonlySet<string> = parseNames(
  'applet caption html table td th marquee object select template',
);
export const BUTTON_SCOPE: ReadonlySet<string> = new Set([...SCOPE, 'button']);
export const LIST_SCOPE: ReadonlySet<string> = new Set([...SCOPE, 'ol', 'ul']);
export const TABLE_SCOPE: ReadonlySet<string> = parseNames('html table template');
/** HTML elements that end SVG and MathML. */
export const BREAKS_OUT: ReadonlySet<string> = parseNames(
  'b big blockquote body br center code dd div dl dt em embed h1 h2 h3 h4 h5 h6 head hr i img li listing menu meta nobr ' +
    'ol p pre ruby s small span strong strike sub sup table tt u ul var',
);

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
