import { type MarkdownBlock, parseMarkdownBlocks } from '../markup/markdown-blocks.ts';
import { toVisibleText } from '../markup/visible-text.ts';

/** A part of a page that is compared as a whole: `markdown.slice(start, end)`. Table rows and list items are parts of their own. */
export type ComparableBlock = {
  kind: 'heading' | 'text' | 'item' | 'row' | 'code';
  start: number;
  end: number;
  /** The text of the headings above it, outermost first; without its own. */
  headings: readonly string[];
  /** True for an item of a numbered list. */
  isNumbered: boolean;
  /** Equal blocks have equal keys: the text without list markers and column widths, its white space folded. */
  key: string;
  /** Lower-case words of the visible text, each number as `#`. */
  words: readonly string[];
};

/** A block with more words is judged by its first ones. */
const WORDS_MAX = 300;
const WORD = /\p{N}+|\p{Script=Han}|\p{Script=Hiragana}|\p{Script=Katakana}|[\p{L}\p{M}_]+/gu;
const MARKER = /^[ \t]*(?:>[ \t]?)*(?:[-*+]|(\d{1,9})[.)])[ \t]+/;
const DELIMITER_ROW = /^[ \t>|:-]+$/;

/** Splits the Markdown of a page into the blocks that two of its versions are compared by, in page order. */
export function cutComparableBlocks(markdown: string): ComparableBlock[] {
  return parseMarkdownBlocks(markdown).flatMap((block) =>
    block.kind === 'table' ? cutRows(markdown, block) : [toComparableBlock(markdown, block)],
  );
}

function toComparableBlock(markdown: string, block: MarkdownBlock): ComparableBlock {
  const { start, end, kind } = block;
  const text = markdown.slice(start, end);
  const marker = kind === 'text' && block.item > 0 ? MARKER.exec(text) : null;
  return {
    kind: marker === null ? (kind === 'table' ? 'row' : kind) : 'item',
    start,
    end,
    headings: listHeadings(block),
    isNumbered: marker?.[1] !== undefined,
    key: kind === 'code' ? text.trim() : foldSpace(text.slice(marker?.[0].length ?? 0)),
    words: listWords(kind === 'code' ? text : toVisibleText(text)),
  };
}

/** Splits a table into its rows. The rule below its head says only how wide the columns are. */
function cutRows(markdown: string, table: MarkdownBlock): ComparableBlock[] {
  const rows: ComparableBlock[] = [];
  for (let start = table.start; start < table.end; ) {
    const found = markdown.indexOf('\n', start);
    const end = found === -1 || found > table.end ? table.end : found;
    const text = markdown.slice(start, end);
    if (!DELIMITER_ROW.test(text.trim()) && text.trim() !== '')
      rows.push({
        kind: 'row',
        start,
        end,
        headings: listHeadings(table),
        isNumbered: false,
        key: foldSpace(text).replaceAll(/ ?\| ?/g, '|'),
        words: listWords(toVisibleText(text)),
      });
    start = end + 1;
  }
  return rows;
}

/** Lists the headings above a block; a heading's own path ends with itself. */
function listHeadings({ kind, headings }: MarkdownBlock): string[] {
  const above = kind === 'heading' ? headings.slice(0, -1) : headings;
  return above.map(({ text }) => text);
}

const foldSpace = (text: string): string => text.replaceAll(/\s+/g, ' ').trim();

function listWords(text: string): string[] {
  const words: string[] = [];
  for (const [word] of text.matchAll(WORD)) {
    if (words.length === WORDS_MAX) break;
    words.push(/^\p{N}/u.test(word) ? '#' : word.toLowerCase());
  }
  return words;
}
