import { isElement, type TreeElement } from '../tree.ts';
import { BLOCK_TAGS } from './tags.ts';

/** What must be known of the whole tree before its first block is written. */
type Survey = { elements: TreeElement[]; blocky: Set<TreeElement> };

/** Walks the kept tree once, without recursion. */
export function surveyTree(root: TreeElement): Survey {
  const elements: TreeElement[] = [];
  const blocky = new Set<TreeElement>();
  const waiting: TreeElement[] = [root];
  for (let element = waiting.pop(); element !== undefined; element = waiting.pop()) {
    elements.push(element);
    if (BLOCK_TAGS.has(element.tag)) markAbove(element, blocky);
    for (let at = element.children.length - 1; at >= 0; at -= 1) {
      const child = element.children[at];
      if (child !== undefined && isElement(child)) waiting.push(child);
    }
  }
  return { elements, blocky };
}

/** Every element is marked once, so that the whole survey stays linear. */
function markAbove(block: TreeElement, blocky: Set<TreeElement>): void {
  for (let above = block.parent; above !== null && !BLOCK_TAGS.has(above.tag); above = above.parent) {
    if (blocky.has(above)) return;
    blocky.add(above);
  }
}
