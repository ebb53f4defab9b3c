import type { Tree } from '../tree.ts';
import { blocksOf } from './blocks/blocks.ts';
import { findFootnotes } from './blocks/footnotes.ts';
import { flatOf } from './flat.ts';
import { inlineOf } from './inline/inline.ts';
import { createLineWriter } from './line-writer.ts';
import type { Scribe } from './scribe.ts';
import { surveyTree } from './survey.ts';

/** Markdown and the plain texts of its headings, in page order. */
export type Written = { markdown: string; headings: string[] };

/**
 * Writes the kept nodes of a tree as CommonMark with GFM tables, task lists, footnotes and `$` formulas, in one pass.
 * `resolve` makes an address absolute or refuses it. Recursion goes as deep as the tree, which the parser bounds.
 */
export function writeMarkdown(tree: Tree, resolve: (href: string) => string | null): Written {
  const { elements, blocky } = surveyTree(tree.root);
  const scribe: Scribe = {
    writer: createLineWriter(),
    footnotes: findFootnotes(elements, resolve),
    blocky,
    resolve,
    headings: [],
    headingLevel: 0,
    tight: false,
    endedList: { marker: '', line: -1 },
    pendingLink: null,
    blocks: (nodes) => blocksOf(nodes, scribe),
    inline: (nodes) => inlineOf(nodes, scribe),
    flat: (nodes) => flatOf(nodes, scribe),
  };
  scribe.blocks([tree.root]);
  writeFootnotes(scribe);
  return { markdown: scribe.writer.text(), headings: scribe.headings };
}

/** Notes stand at the end; a note may bring marks of further notes, which are added while the list is read. */
function writeFootnotes(scribe: Scribe): void {
  for (const { label, element } of scribe.footnotes.definitions) {
    scribe.writer.enter(`[^${label}]: `, '    ');
    scribe.blocks(element.children);
    scribe.writer.leave();
    scribe.writer.closeUp();
  }
}
