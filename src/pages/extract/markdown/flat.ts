import { isElement, type TreeElement, type TreeNode } from '../tree.ts';
import { readCode } from './blocks/code-block.ts';
import { formatCodeSpan } from './inline/code-span.ts';
import { BREAK } from './inline/marks.ts';
import { BLOCK_TAGS, filterKeptElements, isSilent } from './tags.ts';
import type { WriterContext } from './writer-context.ts';

/** Renders blocks as one line with marks: breaks separate blocks, code keeps its lines, list items get a dash. */
export function renderFlat(nodes: TreeNode[], context: WriterContext): string {
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
