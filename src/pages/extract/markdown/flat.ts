import { isElement, type TreeElement, type TreeNode } from '../tree.ts';
import { codeText } from './blocks/code-block.ts';
import { fenced } from './inline/code-span.ts';
import { BREAK } from './inline/marks.ts';
import type { Scribe } from './scribe.ts';
import { BLOCK_TAGS, isSilent, keptElements } from './tags.ts';

/** Blocks -> one line with marks; a break stands between blocks, code keeps its lines, list items get a dash. */
export function flatOf(nodes: TreeNode[], scribe: Scribe): string {
  let line = '';
  let run: TreeNode[] = [];
  for (const node of nodes) {
    if (!node.kept) continue;
    if (!isElement(node) || !(BLOCK_TAGS.has(node.tag) || scribe.blocky.has(node))) {
      run.push(node);
      continue;
    }
    line += scribe.inline(run);
    run = [];
    if (!isSilent(node)) line += BREAK + flatBlock(node, scribe) + BREAK;
  }
  return line + scribe.inline(run);
}

function flatBlock(element: TreeElement, scribe: Scribe): string {
  if (element.tag === 'pre') return codeText(element).split('\n').map(fenced).join(BREAK);
  if (element.tag === 'ul' || element.tag === 'ol') return flatList(element, scribe);
  if (element.tag === 'tr')
    return keptElements(element.children)
      .map((cell) => scribe.flat(cell.children).trim())
      .join(' ');
  return scribe.flat(element.children);
}

function flatList(element: TreeElement, scribe: Scribe): string {
  return keptElements(element.children)
    .map((item, place) => {
      const text = scribe.flat(item.children).trim();
      if (text === '') return '';
      return element.tag === 'ol' ? `${place + 1}. ${text}` : `- ${text}`;
    })
    .join(BREAK);
}
