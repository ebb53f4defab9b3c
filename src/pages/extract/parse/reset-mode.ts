import type { Builder, Mode } from './builder.ts';

const MODES: Record<string, Mode> = {
  td: 'inCell',
  th: 'inCell',
  tr: 'inRow',
  tbody: 'inTableBody',
  thead: 'inTableBody',
  tfoot: 'inTableBody',
  caption: 'inCaption',
  colgroup: 'inColumnGroup',
  table: 'inTable',
  head: 'inHead',
  body: 'inBody',
  frameset: 'inFrameset',
};

/** Resets the mode from the open elements, as after the end of a table (HTML, 13.2.4.1). */
export function resetMode(builder: Builder): void {
  const { elements, spaces } = builder.open;
  for (let at = elements.length - 1; at >= 0; at -= 1) {
    const tag = elements[at]?.tag ?? '';
    if (spaces[at] !== 'html') continue;
    if (tag === 'template') {
      builder.mode = builder.templateModes.at(-1) ?? 'inBody';
      return;
    }
    if (tag === 'html') {
      builder.mode = builder.head === null ? 'beforeHead' : 'afterHead';
      return;
    }
    const mode = Object.hasOwn(MODES, tag) ? MODES[tag] : undefined;
    if (mode !== undefined) {
      builder.mode = mode;
      return;
    }
  }
  builder.mode = 'inBody';
}
