import { createPathReader } from '../text/xml/path-reader.ts';

/** An element of a small XML file such as a POM; `text` without the texts of its children. */
export type XmlElement = { name: string; text: string; children: XmlElement[] };

const ELEMENTS_MAX = 200_000;

/** Parses XML leniently to the element at its root; an empty element if there is none. */
export function parseXml(text: string): XmlElement {
  const root: XmlElement = { name: '', text: '', children: [] };
  const open = [root];
  let count = 0;
  const reader = createPathReader(
    {
      onOpen(path) {
        count += 1;
        const element = { name: path.at(-1) ?? '', text: '', children: [] };
        if (count <= ELEMENTS_MAX) open.at(-1)?.children.push(element);
        open.push(element);
      },
      onText(_path, part) {
        const element = open.at(-1);
        if (element !== undefined) element.text += part;
      },
      onClose() {
        if (open.length > 1) open.pop();
      },
    },
    (name) => name.replace(/^.*:/, ''),
  );
  reader.write(text);
  reader.end();
  return root.children[0] ?? root;
}

/** Finds all elements at a path below an element, such as `findElements(pom, 'dependencies', 'dependency')`. */
export function findElements(element: XmlElement, ...path: string[]): XmlElement[] {
  return path.reduce<XmlElement[]>(
    (found, name) => found.flatMap(({ children }) => children.filter((child) => child.name === name)),
    [element],
  );
}

/** Reads the trimmed text of the first element at a path; null if it is absent or empty. */
export function readElementText(element: XmlElement, ...path: string[]): string | null {
  const text = findElements(element, ...path)[0]?.text.trim() ?? '';
  return text === '' ? null : text;
}
