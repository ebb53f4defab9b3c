/**
 * Writes the kept part of a page's tree as Markdown. Blocks go line by line to a writer; inline text is built with placeholder
 * marks that are resolved once a paragraph is complete. The choice of content happens elsewhere: every kept node is written.
 */

import { isElement, NO_ATTRIBUTES, type Tree, type TreeElement, type TreeNode } from '../table-shape.ts';
import { writeBlocks } from './blocks/blocks.ts';
import { readCode } from './blocks/code-block.ts';
import { findCodeLabels } from './blocks/code-labels.ts';
import { findFootnotes } from './blocks/footnotes.ts';
import { findTabs, isTabPart } from './blocks/tabs.ts';
import { formatCodeSpan, renderInlineNodes } from './inline/inline.ts';
import { BREAK } from './inline/marks.ts';
import { createLineWriter } from './line-writer.ts';
import { BLOCK_TAGS, filterKeptElements, isSilent } from './tags.ts';
import type { WriterContext } from './writer-context.ts';

/** Markdown and the plain texts of its headings, in page order. */
export type MarkdownWithHeadings = { markdown: string; headings: string[] };

/**
 * Writes the kept nodes of a tree as CommonMark with GFM tables, task lists, footnotes and `$` formulas, in one pass.
 * `resolve` makes an address absolute or refuses it. Recursion goes as deep as the tree, which the parser bounds.
 */
export function writeMarkdown(tree: Tree, resolve: (href: string) => string | null): MarkdownWithHeadings {
  const { elements, blocky, links, codes, tabs, scripts } = scanTree(tree.root);
  const context: WriterContext = {
    writer: createLineWriter(),
    footnotes: findFootnotes(links, elements, resolve),
    code: findCodeLabels(codes),
    tabs: findTabs(tabs, elements),
    keepsLines: false,
    blocky,
    resolve,
    headings: [],
    headingLevel: 0,
    tight: false,
    endedList: { marker: '', line: -1 },
    pendingLink: null,
    writtenLater: new Set(),
    drawsMath: createMathCheck(scripts),
    blocks: (nodes) => writeBlocks(nodes, context),
    inline: (nodes) => renderInlineNodes(nodes, context),
    flat: (nodes) => renderFlat(nodes, context),
  };
  context.blocks([tree.root]);
  writeFootnotes(context);
  return { markdown: context.writer.text(), headings: context.headings };
}

/** Writes the footnotes at the end. A note may refer to further notes, which are appended to the list while it is read. */
function writeFootnotes(context: WriterContext): void {
  for (const { label, element } of context.footnotes.definitions) {
    context.writer.enter(`[^${label}]: `, '    ');
    context.blocks(element.children);
    context.writer.leave();
    context.writer.closeUp();
  }
}

/** Facts about the whole tree that the writer needs before it writes the first block. */
type TreeScan = {
  elements: TreeElement[];
  blocky: Set<TreeElement>;
  links: TreeElement[];
  codes: TreeElement[];
  /** Tabs, their panels, and sets of both. */
  tabs: TreeElement[];
  scripts: TreeElement[];
};

/** Walks the kept tree once, without recursion. */
function scanTree(root: TreeElement): TreeScan {
  const survey: TreeScan = { elements: [], blocky: new Set(), links: [], codes: [], tabs: [], scripts: [] };
  const waiting: TreeElement[] = [root];
  for (let element = waiting.pop(); element !== undefined; element = waiting.pop()) {
    recordElement(element, survey);
    const { children } = element;
    for (let at = children.length - 1; at >= 0; at -= 1) {
      const child = children[at];
      if (child !== undefined && isElement(child)) waiting.push(child);
    }
  }
  return survey;
}

function recordElement(
  element: TreeElement,
  { elements, blocky, links, codes, tabs, scripts }: TreeScan,
): void {
  const { tag, attributes } = element;
  elements.push(element);
  if (BLOCK_TAGS.has(tag)) markAbove(element, blocky);
  if (tag === 'a') links.push(element);
  else if (tag === 'pre') codes.push(element);
  else if (tag === 'script') scripts.push(element);
  if (attributes !== NO_ATTRIBUTES && isTabPart(element)) tabs.push(element);
}

const MATH_SCRIPT = /mathjax|katex/i;

/** Creates a check for scripts that draw formulas; it looks for them once, at the first text that may contain a formula. */
function createMathCheck(scripts: TreeElement[]): () => boolean {
  let answer: boolean | null = null;
  const isMathScript = ({ attributes, children: [text] }: TreeElement): boolean =>
    MATH_SCRIPT.test(attributes.src ?? '') ||
    (text !== undefined && !isElement(text) && MATH_SCRIPT.test(text.text));
  return () => {
    answer ??= scripts.some(isMathScript);
    return answer;
  };
}

/** Marks the inline ancestors of a block. Stops at a marked one, so that the scan stays linear. */
function markAbove(block: TreeElement, blocky: Set<TreeElement>): void {
  for (let above = block.parent; above !== null && !BLOCK_TAGS.has(above.tag); above = above.parent) {
    if (blocky.has(above)) return;
    blocky.add(above);
  }
}

/** Renders blocks as one line with marks: breaks separate blocks, code keeps its lines, list items get a dash. */
function renderFlat(nodes: TreeNode[], context: WriterContext): string {
  let line = '';
  let run: TreeNode[] = [];
  for (const node of nodes) {
    if (!node.kept || (isElement(node) && context.writtenLater.has(node))) continue;
    if (!isElement(node) || !(BLOCK_TAGS.has(node.tag) || context.blocky.has(node))) {
      run.push(node);
      continue;
    }
    line += context.inline(run);
    run = [];
    if (!isSilent(node)) line += BREAK + renderFlatBlock(node, context) + BREAK;
  }
  return line + context.inline(run);
}

function renderFlatBlock(element: TreeElement, context: WriterContext): string {
  if (element.tag === 'pre') return readCode(element).split('\n').map(formatCodeSpan).join(BREAK);
  if (element.tag === 'ul' || element.tag === 'ol') return renderFlatList(element, context);
  if (element.tag === 'tr')
    return filterKeptElements(element.children)
      .map((cell) => context.flat(cell.children).trim())
      .join(' ');
  return context.flat(element.children);
}

function renderFlatList(element: TreeElement, context: WriterContext): string {
  return filterKeptElements(element.children)
    .map((item, place) => {
      const text = context.flat(item.children).trim();
      if (text === '') return '';
      return element.tag === 'ol' ? `${place + 1}. ${text}` : `- ${text}`;
    })
    .join(BREAK);
}
