import { isElement, type TreeElement, type TreeNode } from '../tree.ts';
import { hasClass, textBelow } from './tags.ts';

/** The notes of a page: marks in the text and what they point to. */
export type Footnotes = {
  /** `[^1]` for a link that is a note's mark, '' for a way back or a mark whose note is not there, null for other links. */
  referenceFor(link: TreeElement): string | null;
  /** Whether an element is a note's text, which is written at the end and not in its place. */
  isDefinition(element: TreeElement): boolean;
  /** Notes in the order of their first marks; grows while the text is written. */
  definitions: readonly { label: string; element: TreeElement }[];
};

const MARK_CLASS =
  /(?:^|\s)(?:footnote-ref\w*|footnote-reference|footnoteRef|fnref|footnote-anchor|footnote-link)(?=\s|$)/i;
const BACK_CLASS =
  /(?:^|\s)(?:footnote-back\w*|fn-backref|reversefootnote|footnote-return|data-footnote-backref|mw-cite-backlink)(?=\s|$)/i;
const NOTE_CLASS = /(?:^|\s)(?:footnotes?|endnotes?|references|reflist)(?=\s|$)/i;
const NOTE_ID =
  /^(?:user-content-)?(?:fn|footnote|ftnt?|endnote|note|cite_note|_ftn|sdfootnote)[-_:.]?[\w.:-]*$/i;
const MARK_TEXT = /^[[(]?(?:\d{1,4}|[*†‡§¶]{1,3}|[a-z]|[ivx]{1,5})[\])]?$/i;
const BACK_TEXT = /^(?:↩︎?|↩|↑|\^|⤴|⏎|back|return)+$/iu;

/** Finds notes by the links into them. `elements` is every element of the page. */
export function findFootnotes(elements: TreeElement[]): Footnotes {
  const byId = new Map<string, TreeElement>();
  const links: TreeElement[] = [];
  for (const element of elements) {
    const id = element.attributes.id ?? (element.tag === 'a' ? element.attributes.name : undefined);
    if (id !== undefined && !byId.has(id)) byId.set(id, element);
    if (element.tag === 'a' && element.attributes.href?.startsWith('#')) links.push(element);
  }
  const noteOf = new Map<TreeElement, TreeElement>();
  const notes = new Set<TreeElement>();
  for (const link of links.filter(looksLikeMark)) {
    const name = link.attributes.href?.slice(1) ?? '';
    const target = byId.get(name) ?? byId.get(decoded(name));
    const note = target === undefined ? null : noteAround(target);
    if (note === null || contains(note, link)) continue;
    noteOf.set(link, note);
    notes.add(note);
  }
  return reading(noteOf, notes);
}

function reading(noteOf: Map<TreeElement, TreeElement>, notes: Set<TreeElement>): Footnotes {
  const labels = new Map<TreeElement, string>();
  const written: { label: string; element: TreeElement }[] = [];
  return {
    referenceFor(link) {
      const note = noteOf.get(link);
      if (note === undefined) return isWayBack(link) ? '' : null;
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

function looksLikeMark(link: TreeElement): boolean {
  const { role, rel } = link.attributes;
  if (
    role === 'doc-noteref' ||
    hasClass(link, MARK_CLASS) ||
    link.attributes['data-footnote-ref'] !== undefined
  )
    return true;
  if (rel === 'footnote') return true;
  if (role === 'doc-backlink' || hasClass(link, BACK_CLASS)) return false;
  const raised =
    link.parent?.tag === 'sup' ||
    link.parent?.parent?.tag === 'sup' ||
    link.children.some((node) => isElement(node) && node.tag === 'sup');
  return raised && MARK_TEXT.test(textBelow(link, false).replace(/\s+/g, ''));
}

function isWayBack(link: TreeElement): boolean {
  if (link.attributes.role === 'doc-backlink' || hasClass(link, BACK_CLASS)) return true;
  return (
    (link.attributes.href?.startsWith('#') ?? false) &&
    BACK_TEXT.test(textBelow(link, false).replace(/\s+/g, ''))
  );
}

/** The list item or box that is one note, or null when the link leads to something larger. */
function noteAround(target: TreeElement): TreeElement | null {
  let note: TreeElement = target;
  for (let steps = 0; steps < 3 && !/^(?:li|aside|dd|div|p|section|tr)$/.test(note.tag); steps += 1) {
    if (note.parent === null) return null;
    note = note.parent;
  }
  const named = NOTE_ID.test(target.attributes.id ?? '') || NOTE_ID.test(target.attributes.name ?? '');
  if (note.tag === 'li' || note.tag === 'p' || note.tag === 'aside' || note.tag === 'div') {
    return named || hasClass(note, NOTE_CLASS) || insideNotes(note) ? note : null;
  }
  return null;
}

function insideNotes(element: TreeElement): boolean {
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

function decoded(fragment: string): string {
  try {
    return decodeURIComponent(fragment);
  } catch (error) {
    if (error instanceof URIError) return fragment;
    throw error;
  }
}
