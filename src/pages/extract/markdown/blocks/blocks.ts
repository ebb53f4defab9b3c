import { isTable } from '../../table-shape.ts';
import { isElement, NO_ATTRIBUTES, type TreeElement, type TreeNode } from '../../tree.ts';
import { emphasise } from '../inline/emphasis.ts';
import { escapeText } from '../inline/escape-text.ts';
import { finishLine, finishParagraphs } from '../inline/finish-inline.ts';
import { linked, linkTarget } from '../inline/link.ts';
import { STRONG_CLOSE, STRONG_OPEN } from '../inline/marks.ts';
import { mathIn } from '../inline/math.ts';
import { BLOCK_TAGS, isShown, isSilent } from '../tags.ts';
import type { WriterContext } from '../writer-context.ts';
import { callout, calloutKind } from './callout.ts';
import { codeBlock } from './code-block.ts';
import { details, quote, rule } from './containers.ts';
import { definitionList } from './definition-list.ts';
import { heading } from './heading.ts';
import { list } from './list.ts';
import { table } from './table.ts';

type BlockRule = (element: TreeElement, context: WriterContext) => void;

const RULES = new Map<string, BlockRule>(
  Object.entries({
    h1: heading,
    h2: heading,
    h3: heading,
    h4: heading,
    h5: heading,
    h6: heading,
    pre: codeBlock,
    listing: codeBlock,
    xmp: codeBlock,
    plaintext: codeBlock,
    ul: list,
    ol: list,
    menu: list,
    dir: list,
    dl: definitionList,
    blockquote: quote,
    hr: rule,
    details,
    legend: boldLine,
    a: linkedBlocks,
  }),
);

/** Writes nodes as blocks: runs of text and inline elements as paragraphs, the rest by its rule. */
export function blocksOf(nodes: TreeNode[], context: WriterContext): void {
  let run: TreeNode[] = [];
  for (const node of nodes) {
    if (!isShown(node) || (isElement(node) && isWrittenElsewhere(node, context))) continue;
    if (!isElement(node) || !isBlock(node, context)) {
      run.push(node);
      continue;
    }
    paragraph(run, context);
    run = [];
    if (!isSilent(node) && !context.footnotes.isDefinition(node)) writeBlock(node, context);
  }
  paragraph(run, context);
}

/** Labels of code and lists of tabs stand where what they name stands. */
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

/** Whether an element shows the line feeds of its text. */
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
  const kind = calloutKind(element);
  const formula = kind === null ? mathIn(element) : null;
  const own = isTable(element) ? table : RULES.get(element.tag);
  if (tab !== undefined) tabPanel(element, tab, context);
  else if (element.attributes.role === 'heading') heading(element, context);
  else if (kind !== null) callout(element, kind, context);
  else if (formula !== null) writeParagraphs(formula, context);
  else if (own !== undefined) own(element, context);
  else context.blocks(element.children);
}

function paragraph(run: TreeNode[], context: WriterContext): void {
  if (run.length === 0) return;
  const raw = context.inline(run);
  if (raw.trim() === '' || SEPARATORS.test(raw)) return;
  const href = context.pendingLink;
  context.pendingLink = null;
  writeParagraphs(href === null ? raw : linked(raw, href), context);
}

/** Separators between links or buttons that are not part of the text. */
const SEPARATORS = /^\s*[/|·•»«›‹>,;–—]{1,3}\s*$/;

function writeParagraphs(raw: string, context: WriterContext): void {
  for (const lines of finishParagraphs(raw)) context.writer.block(lines);
}

/** Turns a link around whole blocks (a card) into a link on their first text. */
function linkedBlocks(element: TreeElement, context: WriterContext): void {
  context.pendingLink = linkTarget(element, context);
  context.blocks(element.children);
  context.pendingLink = null;
}

function boldLine(element: TreeElement, context: WriterContext): void {
  writeParagraphs(emphasise(context.inline(element.children), STRONG_OPEN, STRONG_CLOSE), context);
}

/** A tab's panel -> the tab's name in bold above it. */
function tabPanel(panel: TreeElement, name: string, context: WriterContext): void {
  const bold = emphasise(escapeText(name), STRONG_OPEN, STRONG_CLOSE);
  if (bold !== '') context.writer.block([finishLine(bold, ' ')]);
  context.blocks(panel.children);
}
