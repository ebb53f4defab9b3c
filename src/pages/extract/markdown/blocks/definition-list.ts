import { isElement, type TreeElement } from '../../table-shape.ts';
import { emphasize } from '../inline/emphasis.ts';
import { collapse } from '../inline/escape-text.ts';
import { finishLine } from '../inline/finish-inline.ts';
import { formatCodeSpan } from '../inline/inline.ts';
import * as marks from '../inline/marks.ts';
import { filterKeptElements, hasClass, readTextBelow } from '../tags.ts';
import type { WriterContext } from '../writer-context.ts';
import { HEADINGS_MAX, writeHeading } from './heading.ts';

/** Classes that documentation generators give to descriptions of functions, classes and options. */
const SIGNATURES =
  /(?:^|\s)(?:function|method|class|data|attribute|exception|describe|property|macro|type|struct|member|enum|option|cmdoption|opcode|envvar|setting|templatetag|templatefilter|django-admin(?:-option)?|fieldlookup|classmethod|staticmethod|decorator(?:method)?|module|object|var|enumerator|concept|directive|role|pdbcommand|coroutinefunction|2to3fixer|c:\w+)(?=\s|$)/;

const SIG = /(?:^|\s)sig(?=\s|$)/;

/** One or several terms with their meanings. */
type Entry = { terms: TreeElement[]; meanings: TreeElement[] };

/**
 * Writes `dl` as a list of bold terms, each followed by its meaning. Descriptions of functions and the like become a heading
 * with the signature: that is how readers see them, and a search for the name should find it.
 */
export function writeDefinitionList(element: TreeElement, context: WriterContext): void {
  const entries = groupEntries(element);
  if (entries.some(({ terms }) => terms.some((term) => isSignature(element, term)))) {
    for (const entry of entries) writeDescription(entry, context);
    return;
  }
  const wasTight = context.tight;
  context.tight = false;
  for (const [place, entry] of entries.entries()) {
    if (place > 0 && isShort(entry) && isShort(entries[place - 1])) context.writer.closeUp();
    writeDefinition(entry, context);
  }
  context.writer.setOff();
  context.tight = wasTight;
}

/** Groups the terms and meanings of a list into entries, `div` groups inside it included. */
function groupEntries(element: TreeElement): Entry[] {
  const entries: Entry[] = [];
  const parts = filterKeptElements(element.children).flatMap((child) =>
    child.tag === 'div' ? filterKeptElements(child.children) : [child],
  );
  for (const part of parts) {
    let last = entries.at(-1);
    if (last === undefined || (part.tag === 'dt' && last.meanings.length > 0)) {
      last = { terms: [], meanings: [] };
      entries.push(last);
    }
    if (part.tag === 'dt') last.terms.push(part);
    else last.meanings.push(part);
  }
  return entries;
}

function isSignature(list: TreeElement, term: TreeElement): boolean {
  if (hasClass(term, SIG)) return true;
  return term.attributes.id !== undefined && hasClass(list, SIGNATURES);
}

function writeDescription({ terms, meanings }: Entry, context: WriterContext): void {
  const level = Math.min(6, Math.max(2, context.headingLevel + 1));
  for (const term of terms) writeSignature(term, level, context);
  const above = context.headingLevel;
  context.headingLevel = level;
  for (const meaning of meanings) context.blocks(meaning.children);
  context.headingLevel = above;
}

/** Strips the links to its source and to itself from the end of a signature. */
function stripSourceLinks(signature: string): string {
  let text = signature.trim();
  for (let ending: string | undefined = ''; ending !== undefined; ) {
    text = text.slice(0, text.length - ending.length).trimEnd();
    ending = SOURCE_LINKS.find((sign) => text.endsWith(sign));
  }
  return text;
}
const SOURCE_LINKS = ['[source]', '¶'];

/** Writes a signature as code; its italics and links are typesetting. */
function writeSignature(term: TreeElement, level: number, context: WriterContext): void {
  if (!hasClass(term, SIG)) return void writeHeading(term, level, context);
  const text = stripSourceLinks(collapse(readTextBelow(term, true)));
  if (text === '') return;
  if (context.headings.length < HEADINGS_MAX) context.headings.push(text);
  context.writer.block([`${'#'.repeat(level)} ${formatCodeSpan(text)}`]);
}

function writeDefinition({ terms, meanings }: Entry, context: WriterContext): void {
  const written = terms
    .map((term) => renderTerm(context.inline(term.children)))
    .filter((term) => term !== '');
  if (written.length === 0) {
    for (const meaning of meanings) context.blocks(meaning.children);
    return;
  }
  const label = written.join(', ');
  context.writer.enter('- ', '  ');
  const [meaning, ...others] = meanings;
  if (meaning !== undefined && others.length === 0 && isPlain(meaning, context)) {
    const text = finishLine(context.inline(meaning.children), ' ');
    context.writer.block([text === '' ? label : `${label.replace(/:(\**)$/, '$1')}: ${text}`]);
  } else {
    context.writer.block([label]);
    for (const each of meanings) context.blocks(each.children);
  }
  context.writer.leave();
}

/** Renders a term in bold, unless it is code or a link and stands out already. */
function renderTerm(raw: string): string {
  const inner = raw.trim();
  const marked = /^[`[]/.test(inner) || inner.startsWith(marks.STRONG_OPEN);
  return finishLine(marked ? inner : emphasize(inner, marks.STRONG_OPEN, marks.STRONG_CLOSE), ' ');
}

const BLOCKS = /^(?:pre|ul|ol|dl|table|blockquote|figure|h[1-6]|details)$/;

/** Returns whether a meaning is one paragraph, which fits on the line of its term. */
function isPlain(meaning: TreeElement, context: WriterContext): boolean {
  const parts = filterKeptElements(meaning.children);
  if (parts.some(({ tag }) => BLOCKS.test(tag))) return false;
  const blocks = parts.filter(({ tag }) => tag === 'p' || tag === 'div');
  return blocks.length === 0
    ? !parts.some((part) => context.blocky.has(part))
    : blocks.length === 1 && blocks.every(isLeaf) && hasOnlyBlocks(meaning);
}

const isLeaf = ({ children }: TreeElement): boolean =>
  !children.some(
    (node) => isElement(node) && (BLOCKS.test(node.tag) || node.tag === 'p' || node.tag === 'div'),
  );
const hasOnlyBlocks = ({ children }: TreeElement): boolean =>
  children.every((node) =>
    isElement(node) ? node.tag === 'p' || node.tag === 'div' : node.text.trim() === '',
  );

const isShort = (entry: Entry | undefined): boolean =>
  entry !== undefined &&
  entry.meanings.length <= 1 &&
  entry.meanings.every(
    (meaning) =>
      meaning.children.every((node) => !isElement(node) || !BLOCKS.test(node.tag)) && isLeafOrPlain(meaning),
  );
const isLeafOrPlain = (meaning: TreeElement): boolean =>
  meaning.children.filter((node) => isElement(node) && node.tag === 'p').length <= 1;
