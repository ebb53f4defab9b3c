import { isElement, type TreeElement, type TreeNode } from '../tree.ts';

/** Attaches declarative shadow roots as browsers do: a host shows its root, whose slots show the host's own children. */
export function attachShadowRoots(templates: TreeElement[]): void {
  for (const template of templates) {
    const host = template.parent;
    if (host === null) continue;
    const light = new Map<string, TreeNode[]>();
    for (const child of host.children) {
      if (child === template) continue;
      const name = (isElement(child) ? child.attributes.slot : undefined) ?? '';
      const others = light.get(name);
      if (others === undefined) light.set(name, [child]);
      else others.push(child);
    }
    if (light.size > 0) fillSlots(template, light);
    for (const child of template.children) child.parent = host;
    host.children = template.children;
  }
}

function fillSlots(root: TreeElement, light: Map<string, TreeNode[]>): void {
  const waiting: TreeElement[] = [root];
  for (let element = waiting.pop(); element !== undefined; element = waiting.pop()) {
    if (element.tag === 'slot') {
      const name = element.attributes.name ?? '';
      const assigned = light.get(name) ?? [];
      light.delete(name);
      // A slot without children of the host shows its own.
      if (!assigned.some((node) => isElement(node) || node.text.trim() !== '')) continue;
      for (const node of assigned) node.parent = element;
      element.children = assigned;
      continue;
    }
    for (const child of element.children) if (isElement(child)) waiting.push(child);
  }
}
