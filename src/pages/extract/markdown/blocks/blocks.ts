/**
 * Rules for block elements: each writes an element's blocks to the line writer of the context. Inline content goes through
 * `inline.ts`; which elements are written was decided before.
 */
import { isTable } from '../../table-shape.ts';
import { isElement, NO_ATTRIBUTES, type TreeElement, type TreeNode } from '../../tree.ts';
import { emphasize } from '../inline/emphasis.ts';
import { escapeText } from '../inline/escape-text.ts';
import { finishLine, finishParagraphs } from '../inline/finish-inline.ts';
import { resolveLinkTarget, wrapInLink } from '../inline/link.ts';
import { STRONG_CLOSE, STRONG_OPEN } from '../inline/marks.ts';
import { renderMath } from '../inline/math.ts';
import { BLOCK_TAGS, isShown, isSilent } from '../tags.ts';
import type { WriterContext } from '../writer-context.ts';
import { detectCalloutKind, writeCallout } from './callout.ts';
import { writeCodeBlock } from './code-block.ts';
import { writeDetails, writeQuote, writeRule } from './containers.ts';
import { writeDefinitionList } from './definition-list.ts';
import { writeHeadingElement } from './heading.ts';
import { writeList } from './list.ts';
import { writeTable } from './table.ts';

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
  return BLOCK_TAGS.has(element.tag) || context.blocky.has(element);
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
