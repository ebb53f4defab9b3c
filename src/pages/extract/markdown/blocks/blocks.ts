/**
 * Rules for block elements: each writes an element's blocks to the line writer of the context. Inline content goes through
 * `inline.ts`; which elements are written was decided before.
 */

import { isElement, isTable, NO_ATTRIBUTES, type TreeElement, type TreeNode } from '../../table-shape.ts';
import { emphasize } from '../inline/emphasis.ts';
import { escapeText } from '../inline/escape-text.ts';
import { finishLine, finishParagraphs } from '../inline/finish-inline.ts';
import { resolveLinkTarget, wrapInLink } from '../inline/link.ts';
import { BREAK, STRONG_CLOSE, STRONG_OPEN } from '../inline/marks.ts';
import { renderMath } from '../inline/math.ts';
import {
  BLOCK_TAGS,
  filterKeptElements,
  findBelow,
  hasClass,
  isShown,
  isSilent,
  readTextBelow,
} from '../tags.ts';
import type { WriterContext } from '../writer-context.ts';
import { isMermaid, writeCodeBlock } from './code-block.ts';
import { writeDefinitionList } from './definition-list.ts';
import { writeHeadingElement } from './heading.ts';
import { writeTable } from './table.ts';

/** Class names of callout boxes, mapped to the five kinds of GitHub's alert syntax. */
const KINDS: Record<string, string> = {
  note: 'NOTE',
  info: 'NOTE',
  seealso: 'NOTE',
  abstract: 'NOTE',
  summary: 'NOTE',
  todo: 'NOTE',
  question: 'NOTE',
  example: 'NOTE',
  admonition: 'NOTE',
  tip: 'TIP',
  hint: 'TIP',
  success: 'TIP',
  check: 'TIP',
  important: 'IMPORTANT',
  warning: 'WARNING',
  attention: 'WARNING',
  warn: 'WARNING',
  caution: 'CAUTION',
  danger: 'CAUTION',
  error: 'CAUTION',
  bug: 'CAUTION',
  failure: 'CAUTION',
};
const BOX =
  /(?:^|\s)(?:admonition|markdown-alert|callout|theme-admonition|alert|hint|notification|custom-block|docutils-admonition|admonitionblock)(?=\s|$|-)/i;
/** Classes of boxes that are named by their kind alone, as in DocBook. */
const BARE = /^(?:note|tip|important|warning|caution|sidebar)$/;
const TAGS = new Set(['div', 'aside', 'section', 'blockquote', 'details']);
const TITLE =
  /(?:^|[\s_-])(?:title|admonition-title|markdown-alert-title|callout-title|heading|admonition-heading|custom-block-title)(?=\s|$)/i;

const LISTS = new Set(['ul', 'ol', 'menu', 'dir']);

type BlockRule = (element: TreeElement, context: WriterContext) => void;

const RULES = new Map<string, BlockRule>(
  Object.entries({
    h1: writeHeadingElement,
    h2: writeHeadingElement,
    h3: writeHeadingElement,
    h4: writeHeadingElement,
    h5: writeHeadingElement,
    h6: writeHeadingElement,
    pre: writeCodeBlock,
    listing: writeCodeBlock,
    xmp: writeCodeBlock,
    plaintext: writeCodeBlock,
    ul: writeList,
    ol: writeList,
    menu: writeList,
    dir: writeList,
    dl: writeDefinitionList,
    blockquote: writeQuote,
    hr: writeRule,
    details: writeDetails,
    legend: writeBoldLine,
    a: writeLinkedBlocks,
  }),
);

/** Writes nodes as blocks: runs of text and inline elements as paragraphs, other elements by their rules. */
export function writeBlocks(nodes: TreeNode[], context: WriterContext): void {
  let run: TreeNode[] = [];
  for (const node of nodes) {
    if (!isShown(node) || (isElement(node) && isWrittenElsewhere(node, context))) continue;
    if (!isElement(node) || !isBlock(node, context)) {
      run.push(node);
      continue;
    }
    writeInlineRun(run, context);
    run = [];
    if (!isSilent(node) && !context.footnotes.isDefinition(node)) writeBlock(node, context);
  }
  writeInlineRun(run, context);
}

/** Returns whether an element is a code label or a tab list; those are written with the code or panel they name. */
function isWrittenElsewhere(element: TreeElement, { code, tabs }: WriterContext): boolean {
  return code.labels.has(element) || tabs.lists.has(element);
}

function isBlock(element: TreeElement, context: WriterContext): boolean {
  return BLOCK_TAGS.has(element.tag) || context.blocky.has(element) || isCodeWithLines(element);
}

/** Returns whether a `code` shows several lines without a `pre` around it. */
function isCodeWithLines(element: TreeElement): boolean {
  return element.tag === 'code' && keepsLines(element) && readTextBelow(element, true).trim().includes('\n');
}

function writeBlock(element: TreeElement, context: WriterContext): void {
  const kept = context.keepsLines;
  if (keepsLines(element)) context.keepsLines = true;
  writeByRule(element, context);
  context.keepsLines = kept;
}

/** Returns whether an element shows the line feeds of its text. */
function keepsLines({ attributes }: TreeElement): boolean {
  if (attributes === NO_ATTRIBUTES) return false;
  const { style, class: classes } = attributes;
  if (style !== undefined && /white-space\s*:\s*(?:pre|break-spaces)/i.test(style)) return true;
  return (
    classes !== undefined &&
    /(?:^|\s)(?:whitespace-pre(?:-wrap|-line)?|pre-wrap|ws-pre(?:-wrap)?)(?=\s|$)/.test(classes)
  );
}

function writeByRule(element: TreeElement, context: WriterContext): void {
  const tab = context.tabs.names.get(element);
  const kind = detectCalloutKind(element);
  const formula = kind === null ? renderMath(element) : null;
  const own = isTable(element) ? writeTable : RULES.get(element.tag);
  if (tab !== undefined) writeTabPanel(element, tab, context);
  else if (element.attributes.role === 'heading') writeHeadingElement(element, context);
  else if (kind !== null) writeCallout(element, kind, context);
  else if (formula !== null) writeParagraphs(formula, context);
  else if (own !== undefined) own(element, context);
  else if (isMermaid(element) || isCodeWithLines(element)) writeCodeBlock(element, context);
  else if (isVerse(element)) writeVerse(element, context);
  else context.blocks(element.children);
}

function writeInlineRun(run: TreeNode[], context: WriterContext): void {
  if (run.length === 0) return;
  const raw = context.inline(run);
  if (raw.trim() === '' || SEPARATORS.test(raw)) return;
  const href = context.pendingLink;
  context.pendingLink = null;
  writeParagraphs(href === null ? raw : wrapInLink(raw, href), context);
}

/** Separators between links or buttons that are not part of the text. */
const SEPARATORS = /^\s*[/|·•»«›‹>,;–—]{1,3}\s*$/;

function writeParagraphs(raw: string, context: WriterContext): void {
  for (const lines of finishParagraphs(raw)) context.writer.block(lines);
}

const VERSES = /(?:^|[\s_-])(?:poem|poetry|verses?|stanza|strophe|line-?block|line-?group|lg)(?=[\s_-]|$)/i;
const VERSE_LINE = /(?:^|[\s_-])(?:line|verse|vers|l)(?=[\s_-]|$)/i;

/** Returns whether an element holds the lines of a poem or of an address, each in an element of its own. */
const isVerse = (element: TreeElement): boolean =>
  element.attributes !== NO_ATTRIBUTES && element.children.length > 1 && holdsVerseLines(element);

function holdsVerseLines(element: TreeElement): boolean {
  return (
    hasClass(element, VERSES) &&
    element.children.some(isElement) &&
    element.children.every((child) =>
      isElement(child) ? isVerseLine(child) || holdsVerseLines(child) : child.text.trim() === '',
    )
  );
}

const isVerseLine = (line: TreeElement): boolean =>
  hasClass(line, VERSE_LINE) && findBelow(line, ({ tag }) => BLOCK_TAGS.has(tag)) === null;

/** Writes lines of a poem as lines of one paragraph; an empty line separates paragraphs. */
function writeVerse(element: TreeElement, context: WriterContext): void {
  const renderLine = (line: TreeElement): string =>
    isVerseLine(line)
      ? context.inline(line.children).replaceAll(BREAK, '').trim()
      : line.children.filter(isElement).map(renderLine).join(BREAK);
  writeParagraphs(element.children.filter(isElement).map(renderLine).join(BREAK), context);
}

/** Turns a link around whole blocks (a card) into a link on their first text. */
function writeLinkedBlocks(element: TreeElement, context: WriterContext): void {
  context.pendingLink = resolveLinkTarget(element, context);
  context.blocks(element.children);
  context.pendingLink = null;
}

function writeBoldLine(element: TreeElement, context: WriterContext): void {
  writeParagraphs(emphasize(context.inline(element.children), STRONG_OPEN, STRONG_CLOSE), context);
}

/** Writes a tab panel with the tab's name in bold above it. */
function writeTabPanel(panel: TreeElement, name: string, context: WriterContext): void {
  const bold = emphasize(escapeText(name), STRONG_OPEN, STRONG_CLOSE);
  if (bold !== '') context.writer.block([finishLine(bold, ' ')]);
  context.blocks(panel.children);
}

/** Writes `blockquote` as a quote. A quote of code alone is written as code: old pages use the tag to indent. */
function writeQuote(element: TreeElement, context: WriterContext): void {
  if (isIndentedCode(element)) {
    context.blocks(element.children);
    return;
  }
  const wasTight = context.tight;
  context.tight = false;
  context.writer.enter('> ', '> ');
  context.blocks(element.children);
  context.writer.leave();
  context.tight = wasTight;
}

/** Returns whether a quote shows only `pre` without `code`; converters of Markdown write `code` within it. */
function isIndentedCode({ children }: TreeElement): boolean {
  const shown = children.filter((child) => isElement(child) || child.text.trim() !== '');
  return (
    shown.length > 0 &&
    shown.every(
      (child) =>
        isElement(child) &&
        child.tag === 'pre' &&
        !child.children.some((inner) => isElement(inner) && inner.tag === 'code'),
    )
  );
}

/** Writes `details` as its summary in bold, then its contents, since Markdown cannot fold them. */
function writeDetails(element: TreeElement, context: WriterContext): void {
  for (const child of element.children) {
    if (!isElement(child) || child.tag !== 'summary' || !child.kept) continue;
    const bold = emphasize(context.inline(child.children).trim(), STRONG_OPEN, STRONG_CLOSE);
    if (bold !== '') context.writer.block([finishLine(bold, ' ')]);
  }
  context.blocks(element.children.filter((child) => !isElement(child) || child.tag !== 'summary'));
}

/** Writes `hr` as `***`, but not before the first text; `---` would be read as a heading's underline or as a list. */
function writeRule({ parent }: TreeElement, context: WriterContext): void {
  // The rule above the footnotes is dropped; the notes are written elsewhere.
  if (parent !== null && hasClass(parent, /(?:^|\s)footnotes?(?=\s|$)/)) return;
  if (context.writer.count() > 0) context.writer.block(['***']);
}

/** Classes of lists whose items are numbered lines of code. */
const CODE_LINES = /(?:^|\s)(?:linenums|code-?lines|dp-\w+|hljs-ln)(?=\s|$)/i;

/** Writes `ul` and `ol` as a list; nested lists are indented by the width of their marker. */
function writeList(element: TreeElement, context: WriterContext): void {
  if (element.tag === 'ol' && hasClass(element, CODE_LINES)) {
    writeCodeBlock(element, context);
    return;
  }
  const wasTight = context.tight;
  // Only a list after its item's own text follows without a blank line.
  if (wasTight) context.writer.closeUp();
  context.tight = !isLoose(element);
  const bullet = chooseBullet(element, context);
  let wrote = false;
  let number = readStart(element);
  for (const item of element.children) {
    if (!item.kept || (!isElement(item) && item.text.trim() === '')) continue;
    if (isElement(item) && context.footnotes.isDefinition(item)) continue;
    if (isElement(item) && item.attributes.value !== undefined)
      number = Number.parseInt(item.attributes.value, 10) || number;
    const marker = element.tag === 'ol' ? `${number}${bullet} ` : `${bullet} `;
    if (wrote && context.tight) context.writer.closeUp();
    if (writeItem(item, marker, context)) wrote = true;
    number += 1;
  }
  context.writer.setOff();
  if (wrote) context.endedList = { marker: bullet, line: context.writer.count() };
  context.tight = wasTight;
}

function writeItem(item: TreeNode, marker: string, context: WriterContext): boolean {
  const nested = isElement(item) && LISTS.has(item.tag);
  const box = isElement(item) && !nested ? renderCheckbox(item) : '';
  // A list directly within a list belongs to the item before it.
  context.writer.enter(nested ? ' '.repeat(marker.length) : marker + box, ' '.repeat(marker.length));
  context.blocks(isElement(item) && !nested ? item.children : [item]);
  return context.writer.leave();
}

const BEFORE_NO_BOX: ReadonlySet<string> = new Set([...LISTS, 'pre', 'table']);

/** Returns the mark of a task, unless code or a table comes before its box: they would stand behind the mark and be none. */
function renderCheckbox(item: TreeElement): string {
  const input = findBelow(item, ({ tag }) => tag === 'input' || BEFORE_NO_BOX.has(tag));
  if (input?.tag !== 'input' || input.attributes.type !== 'checkbox') return '';
  return input.attributes.checked === undefined ? '[ ] ' : '[x] ';
}

/** Returns whether an item holds more than one block besides nested lists; blank lines then separate the blocks. */
function isLoose(element: TreeElement): boolean {
  return filterKeptElements(element.children).some(({ children }) => {
    const blocks = filterKeptElements(children).filter(({ tag }) =>
      /^(?:p|pre|blockquote|table|dl|h[1-6]|figure)$/.test(tag),
    );
    return blocks.length > 1;
  });
}

function readStart({ attributes }: TreeElement): number {
  const start = Number.parseInt(attributes.start ?? '1', 10);
  return start >= 0 && start < 1e9 ? start : 1;
}

function chooseBullet({ tag }: TreeElement, { endedList, writer }: WriterContext): string {
  const [usual, other] = tag === 'ol' ? ['.', ')'] : ['-', '*'];
  return endedList.marker === usual && endedList.line === writer.count() ? other : usual;
}

/** Detects the kind of callout that an element is, or null. */
function detectCalloutKind({ tag, attributes }: TreeElement): string | null {
  if (attributes === NO_ATTRIBUTES || !TAGS.has(tag)) return null;
  const { class: classes = '' } = attributes;
  if (classes === '' && attributes['data-callout'] === undefined) return null;
  const words = classes.toLowerCase().split(/\s+/);
  if (words.length === 1 && BARE.test(words[0] ?? '')) return KINDS[words[0] ?? ''] ?? null;
  const named =
    attributes['data-callout'] ??
    (BOX.test(classes)
      ? words
          .map((word) => word.split('-').at(-1) ?? '')
          .find((word) => Object.hasOwn(KINDS, word) && word !== 'admonition')
      : undefined);
  if (named !== undefined) return Object.hasOwn(KINDS, named) ? (KINDS[named] ?? 'NOTE') : 'NOTE';
  return words.includes('admonition') ? 'NOTE' : null;
}

/** Writes a note, tip or warning box as a quote that begins with its kind; a title that differs from the kind is kept. */
function writeCallout(element: TreeElement, kind: string, context: WriterContext): void {
  const title = findCalloutTitle(element);
  const before = context.writer.count();
  const wasTight = context.tight;
  context.tight = false;
  context.writer.enter('> ', '> ');
  const rest = selectCalloutBody(element, title);
  const text = title === null ? '' : finishLine(context.inline(title.children), ' ');
  const says = text.toLowerCase().replace(/[^\p{L}]/gu, '');
  const hasBody = rest.some((node) => readTextBelow(node, true).trim() !== '');
  if (hasBody || text !== '') {
    context.writer.block([`[!${kind}]`]);
    context.writer.closeUp();
    if (text !== '' && says !== kind.toLowerCase()) {
      context.writer.block([`**${text.replace(/^\*+|(?<!\*)\*+$/g, '')}**`]);
    }
    context.blocks(rest);
    context.writer.setOff();
  }
  context.writer.leave();
  context.tight = wasTight;
  if (context.writer.count() > before) context.pendingLink = null;
}

function findCalloutTitle(element: TreeElement): TreeElement | null {
  const [first] = filterKeptElements(element.children);
  if (first === undefined) return null;
  if (hasClass(first, TITLE) || /^h[1-6]$/.test(first.tag)) return first;
  const [inner] = first.tag === 'div' || first.tag === 'header' ? filterKeptElements(first.children) : [];
  return inner !== undefined && hasClass(inner, TITLE) ? inner : null;
}

function selectCalloutBody(element: TreeElement, title: TreeElement | null): TreeElement['children'] {
  if (title === null) return element.children;
  return element.children.flatMap((node) =>
    node === title
      ? []
      : node === title.parent
        ? title.parent.children.filter((other) => other !== title)
        : [node],
  );
}
