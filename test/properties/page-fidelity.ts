import { chooseContent } from '../../src/pages/extract/content/choose-content.ts';
import { findEmbed } from '../../src/pages/extract/embeds.ts';
import { findImageTex } from '../../src/pages/extract/markdown/inline/math.ts';
import { findBelow } from '../../src/pages/extract/markdown/tags.ts';
import { writeMarkdown } from '../../src/pages/extract/markdown/write-markdown.ts';
import { parseTree } from '../../src/pages/extract/parse/build-tree.ts';
import {
  detectTableKind,
  isElement,
  isTable,
  listCells,
  listRows,
  type TreeElement,
} from '../../src/pages/extract/table-shape.ts';

/** How much of a kind of content in the kept part of a page is in its Markdown. */
export type Share = { wanted: number; found: number };
export type Fidelity = {
  code: Share;
  cells: Share;
  embeds: Share;
  formulas: Share;
  /** Faults of form: an open fence, a table whose rows differ in length. */
  faults: string[];
  markdown: string;
};

/** Extracts a page and compares the Markdown with the kept part of its tree. */
export function pageFidelity(html: string, url: string): Fidelity {
  const tree = parseTree(html);
  chooseContent(tree, { url });
  const resolve = (href: string): string | null => URL.parse(href, url)?.href ?? null;
  const { markdown } = writeMarkdown(tree, resolve);
  const plain = bare(withoutAddresses(markdown).replaceAll('<br>', ' '));
  const result: Fidelity = {
    code: { wanted: 0, found: 0 },
    cells: { wanted: 0, found: 0 },
    embeds: { wanted: 0, found: 0 },
    formulas: { wanted: 0, found: 0 },
    faults: faultsOf(markdown),
    markdown,
  };
  for (const element of keptElements(tree.root)) {
    if (element.tag === 'pre') {
      const source = bare(textOf(element, isLineNumber));
      if (source !== '') count(result.code, source.length, plain.includes(source));
    }
    if (isTable(element) && detectTableKind(element) === 'data') cellsFound(element, plain, result.cells);
    const embed = element.tag === 'script' ? null : findEmbed(element);
    const address = embed === null ? null : resolve(embed.href);
    if (address !== null)
      count(
        result.embeds,
        1,
        markdown.includes(address.replaceAll('(', '%28')) || markdown.includes(address),
      );
    const tex = bare(texOf(element));
    if (tex !== '') count(result.formulas, 1, plain.includes(tex));
  }
  return result;
}

function cellsFound(table: TreeElement, plain: string, share: Share): void {
  for (const { row } of listRows(table)) {
    if (!row.kept) continue;
    for (const cell of listCells(row)) {
      // A table within a cell stands below its table and is counted by itself; marks of notes get other numbers.
      const text = bare(textOf(cell, (inner) => isTable(inner) || isNoteMark(inner)));
      if (text !== '') count(share, 1, plain.includes(text));
    }
  }
}

const isNoteMark = ({ tag, children }: TreeElement): boolean =>
  tag === 'sup' &&
  children.some((child) => isElement(child) && child.attributes.href?.includes('#') === true);

/** The numbers beside the lines of code. */
const isLineNumber = ({ attributes }: TreeElement): boolean => NUMBERS.test(attributes.class ?? '');
const NUMBERS =
  /(?:^|[\s_-])(?:line-?numbers?|linenos?|lineno|linenodiv|gutter|ln|lnt|lntd-numbers|hljs-ln-numbers)(?=\s|$)/i;

/** Markdown without the addresses of its links and without its pictures, which no text of the page contains. */
const withoutAddresses = (markdown: string): string =>
  markdown
    .replace(/!\[(?:\\.|[^[\]\\])*\]\((?:[^()\s]|\([^()\s]*\))*\)/g, '')
    .replace(/\]\((?:[^()\s]|\([^()\s]*\))*\)/g, ']');

/** The LaTeX that a page gives for a formula, without the wrapper that some converters put around all of them. */
function texOf(element: TreeElement): string {
  return sourceOf(element)
    .trim()
    .replace(/^\{\\(?:display|text)style\s*([\s\S]*)\}$/, '$1');
}

function sourceOf(element: TreeElement): string {
  const { tag, attributes, children } = element;
  if (tag === 'math') return findTex(element) === null ? (attributes.alttext ?? '') : '';
  if (tag === 'img') return findImageTex(element) ?? '';
  const isSource =
    (tag === 'script' && /^math\/tex/.test(attributes.type ?? '')) ||
    (tag === 'annotation' && /tex/i.test(attributes.encoding ?? ''));
  const [text] = children;
  return isSource && text !== undefined && !isElement(text) ? text.text : '';
}

const findTex = (math: TreeElement): TreeElement | null =>
  findBelow(math, ({ tag, attributes }) => tag === 'annotation' && /tex/i.test(attributes.encoding ?? ''));

function count(share: Share, size: number, isFound: boolean): void {
  share.wanted += size;
  if (isFound) share.found += size;
}

/** Letters and digits only: notation, raised digits, white space and escapes differ. */
const bare = (text: string): string => text.normalize('NFKC').replace(/[^\p{L}\p{N}]+/gu, '');

/** The text of the kept part of an element; what only scripts and readers of screens see is left out. */
function textOf(element: TreeElement, leftOut: (element: TreeElement) => boolean = () => false): string {
  return element.children
    .map((child) => {
      if (!child.kept) return '';
      if (!isElement(child)) return child.text;
      return SILENT.test(child.tag) || child.attributes['aria-hidden'] === 'true' || leftOut(child)
        ? ''
        : textOf(child, leftOut);
    })
    .join('');
}
const SILENT = /^(?:math|script|style|template|svg|button|select|textarea|noscript)$/;

function* keptElements(root: TreeElement): Generator<TreeElement> {
  const waiting = [root];
  for (let element = waiting.pop(); element !== undefined; element = waiting.pop()) {
    yield element;
    for (const child of element.children) if (isElement(child) && child.kept) waiting.push(child);
  }
}

/** Open fences, and tables whose rows have more or fewer cells than their header. */
function faultsOf(markdown: string): string[] {
  const faults: string[] = [];
  let fence: string | null = null;
  let columns = 0;
  for (const line of markdown.split('\n')) {
    const text = line.replace(/^(?:\s|> ?|[-*] |\d+[.)] |\[\^\d+\]: )*/, '');
    const run = /^`{3,}/.exec(text)?.[0];
    if (fence !== null) {
      if (run !== undefined && run === text && run.length >= fence.length) fence = null;
      continue;
    }
    if (run !== undefined) {
      fence = run;
      continue;
    }
    if (!/^\|.*\|$/.test(text)) columns = 0;
    else {
      const cells = text.replace(/\\./g, '').split('|').length;
      if (columns !== 0 && cells !== columns)
        faults.push(`a row of ${cells - 2} cells in a table of ${columns - 2}`);
      columns = cells;
    }
  }
  if (fence !== null) faults.push('a fence is open at the end');
  return faults;
}
