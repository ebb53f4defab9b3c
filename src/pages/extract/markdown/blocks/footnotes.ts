import { isElement, type TreeElement, type TreeNode } from '../../table-shape.ts';
import { findBelow, hasClass, readTextBelow, readTextStart } from '../tags.ts';

/** The footnotes of a page: marks in the text and the notes they point to. */
export type Footnotes = {
  /** Returns `[^1]` for a link that is a note's mark, '' for a back link or a mark without a note, null for other links. */
  referenceFor(link: TreeElement): string | null;
  /** Returns whether an element is a note's text, which is written at the end and not in its place. */
  isDefinition(element: TreeElement): boolean;
  /** Notes in the order of their first marks; grows while the text is written. */
  definitions: readonly { label: string; element: TreeElement }[];
};

const MARK_CLASS =
  /(?:^|\s)(?:footnote-ref\w*|footnote-reference|footnoteRef|fnref|footnote-anchor|footnote-link)(?=\s|$)/i;
const BACK_CLASS =
  /(?:^|\s)(?:footnote-back\w*|fn-backref|reversefootnote|footnote-return|data-footnote-backref|mw-cite-backlink)(?=\s|$)/i;
const NOTE_CLASS = /(?:^|[\s_-])(?:footnotes?|endnotes?|references|reflist)(?=[\s_-]|$)/i;
const NOTE_ID =
  /^(?:user-content-)?(?:fn|footnote|ftnt?|endnote|note|cite_note|_ftn|sdfootnote)[-_:.]?[\w.:-]*$/i;
const MARK_TEXT = /^[[(]?(?:\d{1,4}|[*†‡§¶]{1,3}|[a-z]|[ivx]{1,5})[\])]?$/i;
const BACK_TEXT = /^(?:↩︎?|↑|\^|⤴|⏎|back|return)+$/iu;

/** Finds footnotes by the links to them. `anchors` are all links of the page, `elements` all elements. */
export function findFootnotes(
  anchors: TreeElement[],
  elements: TreeElement[],
  resolve: (href: string) => string | null,
): Footnotes {
  const links = anchors.filter((anchor) => isInternalLink(anchor, resolve));
  const marked = links.filter(isFootnoteMark);
  if (marked.length === 0) return createFootnotes(new Map(), new Set(), new Set());
  const byId = mapById(elements);
  const noteOf = new Map<TreeElement, TreeElement>();
  const notes = new Set<TreeElement>();
  const waysBack = new Set<TreeElement>();
  for (const link of marked) {
    const name = readFragment(link);
    const target = byId.get(name) ?? byId.get(decodeFragment(name));
    const note = target === undefined ? null : findNote(target, link);
    if (note === null || contains(note, link)) continue;
    noteOf.set(link, note);
    notes.add(note);
  }
  const marks = new Set<TreeElement>([...noteOf.keys()]);
  for (const link of links) {
    const target = byId.get(readFragment(link));
    const isMark =
      target !== undefined &&
      (marks.has(target) || target.children.some((node) => isElement(node) && marks.has(node)));
    if (isMark && !marks.has(link)) waysBack.add(link);
  }
  return createFootnotes(noteOf, notes, waysBack);
}

function mapById(elements: TreeElement[]): Map<string, TreeElement> {
  const byId = new Map<string, TreeElement>();
  for (const element of elements) {
    const { tag, attributes } = element;
    const id = attributes.id ?? (tag === 'a' ? attributes.name : undefined);
    if (id !== undefined && !byId.has(id)) byId.set(id, element);
  }
  return byId;
}

/** Returns whether a link points into this page; such links resolve to null. */
function isInternalLink(
  { attributes: { href = '' } }: TreeElement,
  resolve: (href: string) => string | null,
): boolean {
  return href.startsWith('#') || (href.includes('#') && resolve(href) === null);
}

function readFragment({ attributes: { href = '' } }: TreeElement): string {
  return href.slice(href.indexOf('#') + 1);
}

function createFootnotes(
  noteOf: Map<TreeElement, TreeElement>,
  notes: Set<TreeElement>,
  waysBack: Set<TreeElement>,
): Footnotes {
  const labels = new Map<TreeElement, string>();
  const written: { label: string; element: TreeElement }[] = [];
  return {
    referenceFor(link) {
      const note = noteOf.get(link);
      if (note === undefined) return waysBack.has(link) || isBackLink(link) ? '' : null;
      if (!note.kept) return '';
      const label = labels.get(note) ?? String(labels.size + 1);
      if (!labels.has(note)) written.push({ label, element: note });
      labels.set(note, label);
      return `[^${label}]`;
    },
    isDefinition: (element) => notes.has(element),
    definitions: written,
  };
}

function isFootnoteMark(link: TreeElement): boolean {
  const { role, rel } = link.attributes;
  if (
    role === 'doc-noteref' ||
    hasClass(link, MARK_CLASS) ||
    link.attributes['data-footnote-ref'] !== undefined
  )
    return true;
  if (rel === 'footnote' || link.attributes['data-type'] === 'noteref') return true;
  if (role === 'doc-backlink' || hasClass(link, BACK_CLASS)) return false;
  const raised =
    link.parent?.tag === 'sup' ||
    link.parent?.parent?.tag === 'sup' ||
    link.children.some((node) => isElement(node) && node.tag === 'sup');
  const classed = [link.parent, ...link.children].some(
    (node) =>
      node !== null && isElement(node) && hasClass(node, /(?:^|\s)(?:fn|fnref|footnote\S*|noteref)(?=\s|$)/i),
  );
  return (raised || classed) && MARK_TEXT.test(readTextBelow(link, false).replace(/\s+/g, ''));
}

function isBackLink(link: TreeElement): boolean {
  if (link.attributes.role === 'doc-backlink' || hasClass(link, BACK_CLASS)) return true;
  return (
    (link.attributes.href?.startsWith('#') ?? false) &&
    BACK_TEXT.test(readTextBelow(link, false).replace(/\s+/g, ''))
  );
}

/** Finds the list item or box that is one note; null when the link leads to something larger. */
function findNote(target: TreeElement, link: TreeElement): TreeElement | null {
  let note: TreeElement = target;
  for (let steps = 0; steps < 3 && !BOX.test(note.tag); steps += 1) {
    if (note.parent === null) return null;
    note = note.parent;
  }
  if (!BOX.test(note.tag)) return null;
  const named = NOTE_ID.test(target.attributes.id ?? '') || NOTE_ID.test(target.attributes.name ?? '');
  if (note.tag === 'li' || named || hasClass(note, NOTE_CLASS) || isInNotes(note)) return note;
  return startsWithMark(note, link) || containsBackLink(note, link) ? note : null;
}
const BOX = /^(?:li|aside|dd|div|p)$/;

/** Returns whether a paragraph begins with the mark that leads to it ("1. See ..."). */
function startsWithMark(note: TreeElement, link: TreeElement): boolean {
  const mark = readTextStart(link, 20).replace(/[^\p{L}\p{N}*†‡]/gu, '');
  return (
    mark !== '' &&
    readTextStart(note, 40)
      .replace(/^[\s[(^]+/, '')
      .startsWith(mark)
  );
}

function containsBackLink(note: TreeElement, link: TreeElement): boolean {
  const ids = [link, link.parent].map((element) => element?.attributes.id ?? element?.attributes.name);
  return (
    findBelow(
      note,
      ({ tag, attributes }) =>
        tag === 'a' &&
        attributes.href !== undefined &&
        ids.includes(attributes.href.slice(attributes.href.indexOf('#') + 1)),
    ) !== null
  );
}

function isInNotes(element: TreeElement): boolean {
  let above = element.parent;
  for (let steps = 0; above !== null && steps < 4; above = above.parent, steps += 1) {
    if (
      hasClass(above, NOTE_CLASS) ||
      above.attributes.role === 'doc-endnotes' ||
      above.attributes.role === 'doc-footnote'
    )
      return true;
  }
  return false;
}

function contains(element: TreeElement, node: TreeNode): boolean {
  for (let above = node.parent; above !== null; above = above.parent) if (above === element) return true;
  return false;
}

function decodeFragment(fragment: string): string {
  try {
    return decodeURIComponent(fragment);
  } catch (error) {
    if (error instanceof URIError) return fragment;
    throw error;
  }
}
