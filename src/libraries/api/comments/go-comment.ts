import { type Comment, fitMarkdown } from './markdown-comment.ts';

const DEPRECATED = /^Deprecated: */;
const LIST_ITEM = /^\s+(?:[-*+•]|\d+[.)])\s+/;
const DOC_LINK = /(?<![\]\w`])\[\*?([A-Za-z_][\w.]*)\](?![([\w])/g;
const LINK_TARGET = /^\[([^\]]+)\]:\s+(\S+)\s*$/;

/** Converts a Go doc comment (go.dev/doc/comment), without its marks: indented blocks are code, `[Name]` names an item. */
export function convertGoComment(text: string): Comment {
  const blocks: string[] = [];
  let deprecated: string | null = null;
  for (const paragraph of splitParagraphs(text.replaceAll('\t', '    '))) {
    const [first = ''] = paragraph;
    if (DEPRECATED.test(first)) deprecated = linkNames(paragraph.join('\n').replace(DEPRECATED, ''));
    else if (LIST_ITEM.test(first)) blocks.push(writeList(paragraph));
    else if (first.startsWith(' ')) blocks.push(writeCode(paragraph));
    else blocks.push(paragraph.map((line) => (LINK_TARGET.test(line) ? line : linkNames(line))).join('\n'));
  }
  return { docs: fitMarkdown(blocks.join('\n\n')), deprecated, isInternal: false };
}

/** Lines that are indented belong together, also over empty lines. */
function splitParagraphs(text: string): string[][] {
  const paragraphs: string[][] = [];
  let current: string[] = [];
  const end = (): void => {
    while (current.at(-1)?.trim() === '') current.pop();
    if (current.length > 0) paragraphs.push(current);
    current = [];
  };
  for (const line of text.split('\n')) {
    const isIndented = line.startsWith(' ');
    const inIndented = current[0]?.startsWith(' ') ?? false;
    if (line.trim() === '') {
      if (inIndented) current.push('');
      else end();
    } else {
      if (isIndented !== inIndented) end();
      current.push(line);
    }
  }
  end();
  return paragraphs;
}

function writeList(lines: readonly string[]): string {
  return lines
    .filter((line) => line !== '')
    .map((line) => {
      const [mark] = LIST_ITEM.exec(line) ?? [];
      if (mark === undefined) return `  ${linkNames(line.trim())}`;
      return `${/\d/.test(mark) ? mark.trim() : '-'} ${linkNames(line.slice(mark.length))}`;
    })
    .join('\n');
}

function writeCode(lines: readonly string[]): string {
  const indent = Math.min(
    ...lines.filter((line) => line !== '').map((line) => line.length - line.trimStart().length),
  );
  return `\`\`\`go\n${lines.map((line) => line.slice(indent)).join('\n')}\n\`\`\``;
}

function linkNames(text: string): string {
  return text.replace(DOC_LINK, '`$1`');
}
