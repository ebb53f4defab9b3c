import { isElement, type TreeElement, type TreeNode } from '../tree.ts';
import { codeText } from './blocks/code-block.ts';
import { fenced } from './inline/code-span.ts';
import { BREAK } from './inline/marks.ts';
import { BLOCK_TAGS, isSilent, keptElements } from './tags.ts';
import type { WriterContext } from './writer-context.ts';

/** Blocks -> one line with marks; blocks are separated by breaks, code keeps its lines, list items get a dash. */
export function flatOf(nodes: TreeNode[], context: WriterContext): string {
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
    if (!isSilent(node)) line += BREAK + flatBlock(node, context) + BREAK;
  }
  return line + context.inline(run);
}

function flatBlock(element: TreeElement, context: WriterContext): string {
  if (element.tag === 'pre') return codeText(element).split('\n').map(fenced).join(BREAK);
  if (element.tag === 'ul' || element.tag === 'ol') return flatList(element, context);
  if (element.tag === 'tr')
    return keptElements(element.children)
      .map((cell) => context.flat(cell.children).trim())
      .join(' ');
  return context.flat(element.children);
}

function flatList(element: TreeElement, context: WriterContext): string {
  return keptElements(element.children)
    .map((item, place) => {
      const text = context.flat(item.children).trim();
      if (text === '') return '';
      return element.tag === 'ol' ? `${place + 1}. ${text}` : `- ${text}`;
    })
    .join(BREAK);
}
