/** A block of Markdown as it lies in the page: `markdown.slice(start, end)`, without the line break at its end. */
export type MarkdownBlock = {
  kind: 'heading' | 'paragraph' | 'list' | 'quote' | 'table' | 'code' | 'rule';
  start: number;
  end: number;
  /** Texts of the headings above it, outermost first; a heading's own path ends with itself. */
  headingPath: string[];
};

const FENCE = /^ {0,3}(`{3,}|~{3,})/;
const HEADING = /^ {0,3}(#{1,6})\s+(.*?)\s*#*$/;
const LIST_ITEM = /^\s*(?:[-*+]|\d{1,9}[.)])\s/;
const RULE = /^ {0,3}(?:(?:\*\s*){3,}|(?:-\s*){3,}|(?:_\s*){3,})$/;

/** Cuts Markdown into its top-level blocks in page order. Reads lines once; no block overlaps another. */
export function markdownBlocks(markdown: string): MarkdownBlock[] {
  const blocks: MarkdownBlock[] = [];
  const path: { level: number; text: string }[] = [];
  let open: MarkdownBlock | null = null;
  let fence: string | null = null;

  for (const { line, start, end } of linesOf(markdown)) {
    if (fence !== null && open !== null) {
      open.end = end;
      if (closesFence(line, fence)) {
        fence = null;
        open = null;
      }
      continue;
    }
    if (line.trim() === '') {
      // A list or quote goes on over blank lines when the next line is indented; that is settled when it comes.
      if (open !== null && open.kind !== 'list') open = null;
      continue;
    }
    const opened = FENCE.exec(line);
    if (opened !== null) fence = opened[1] ?? '```';
    const kind: MarkdownBlock['kind'] = opened === null ? kindOf(line, open) : 'code';
    if (kind === 'heading') follow(path, line);
    if (open !== null && continues(open, kind, line)) {
      open.end = end;
      continue;
    }
    open = { kind, start, end, headingPath: path.map(({ text }) => text) };
    blocks.push(open);
    if (kind === 'heading' || kind === 'rule') open = null;
  }
  return blocks;
}

function* linesOf(text: string): Generator<{ line: string; start: number; end: number }> {
  let start = 0;
  while (start < text.length) {
    const found = text.indexOf('\n', start);
    const end = found === -1 ? text.length : found;
    yield { line: text.slice(start, end), start, end };
    start = end + 1;
  }
}

function closesFence(line: string, fence: string): boolean {
  const closing = line.trim();
  return closing.length >= fence.length && closing === (fence[0] ?? '`').repeat(closing.length);
}

function kindOf(line: string, open: MarkdownBlock | null): MarkdownBlock['kind'] {
  if (HEADING.test(line)) return 'heading';
  if (RULE.test(line)) return 'rule';
  if (LIST_ITEM.test(line)) return 'list';
  if (/^\s/.test(line) && open?.kind === 'list') return 'list';
  if (/^ {0,3}>/.test(line)) return 'quote';
  if (/^ {0,3}\|/.test(line)) return 'table';
  return 'paragraph';
}

function continues(open: MarkdownBlock, kind: MarkdownBlock['kind'], line: string): boolean {
  if (open.kind === kind) return true;
  // A lazy line belongs to the item or quote above it, unless a blank line ended that block.
  return kind === 'paragraph' && open.kind === 'list' && /^\s/.test(line);
}

function follow(path: { level: number; text: string }[], line: string): void {
  const [, marks = '#', text = ''] = HEADING.exec(line) ?? [];
  while ((path.at(-1)?.level ?? 0) >= marks.length) path.pop();
  path.push({ level: marks.length, text });
}
