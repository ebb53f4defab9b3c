import type { TreeElement, TreeNode } from '../table-shape.ts';
import type { CodeLabels } from './blocks/code-labels.ts';
import type { Footnotes } from './blocks/footnotes.ts';
import type { Tabs } from './blocks/tabs.ts';
import type { LineWriter } from './line-writer.ts';

/** State shared by the block and inline rules while one page is written. */
export type WriterContext = {
  writer: LineWriter;
  footnotes: Footnotes;
  /** Labels and buttons around code, and the languages that they name. */
  code: CodeLabels;
  tabs: Tabs;
  /** True while line feeds of the text are shown (`white-space: pre-wrap`). */
  keepsLines: boolean;
  /** Inline elements that hold blocks somewhere below and are therefore written as blocks. */
  blocky: ReadonlySet<TreeElement>;
  /** Makes an address as written in the page absolute; null when a reader cannot follow it. */
  resolve(href: string): string | null;
  /** Plain texts of the headings written so far. */
  headings: string[];
  /** Level of the heading above, 0 before the first; signatures are one level below it. */
  headingLevel: number;
  /** True while the list being written has no blank lines between its items. */
  tight: boolean;
  /** Marker of the list that ended last, so that an adjacent list takes another and stays separate. */
  endedList: { marker: string; line: number };
  /** The target of a link around whole blocks (a card); it is put on the first text in them. */
  pendingLink: string | null;
  /** Tables nested in the cells of another, which are written below it. */
  writtenLater: Set<TreeElement>;
  /** Returns whether the page's scripts draw the formulas that its text contains. */
  drawsMath(): boolean;
  /** Writes nodes as blocks. */
  blocks(nodes: TreeNode[]): void;
  /** Renders nodes as inline Markdown with marks. */
  inline(nodes: TreeNode[]): string;
  /** Renders blocks as one line with marks, for places without blocks (table cells). */
  flat(nodes: TreeNode[]): string;
};
