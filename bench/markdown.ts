import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { marked } from 'marked';
import { writeMarkdown } from '../src/pages/extract/markdown/write-markdown.ts';
import { parseTree } from '../src/pages/extract/parse/parse-tree.ts';
import { isElement, type TreeNode } from '../src/pages/extract/tree.ts';

/**
 * Round trip: HTML -> our Markdown -> HTML by another parser (marked), compared after normalising what the two may
 * differ in (white space, titles of links, which bold tag, paragraphs within list items) and what we leave out on
 * purpose (rules before the first text, empty blocks, links to the page itself, emphasis within itself). Baseline: turndown in the same
 * run. `--failures [section]` prints what is lost.
 */
type Example = { id: string; section?: string; extension?: string; html: string };
const DATA = join(process.env.EVAL_DATA ?? '../shared/data', 'html_to_markdown');
const SETS = [
  'commonmark_spec',
  'gfm_spec',
  'cmark_gfm_extensions',
  'turndown_cases',
  'html_to_markdown_go_golden',
];
const wanted = process.argv.indexOf('--failures');
const section = wanted === -1 ? null : (process.argv[wanted + 1] ?? '');

const SAME_TAG: Record<string, string> = {
  b: 'strong',
  i: 'em',
  s: 'del',
  strike: 'del',
  kbd: 'code',
  samp: 'code',
  tt: 'code',
  th: 'td',
};
const BASE = 'https://example.test/';
const LEFT_OUT = new Set(['script', 'style', 'head', 'template', 'textarea', 'input']);
const WRITTEN = new Set(
  'h1 h2 h3 h4 h5 h6 p div ul ol li blockquote pre code table tr td hr br a img em strong del sup sub'.split(
    ' ',
  ),
);
const KEPT: Record<string, string[]> = { a: ['href'], img: ['src', 'alt'], ol: ['start'] };

const { default: TurndownService } = await import('turndown');
const turndown = new TurndownService({ codeBlockStyle: 'fenced', headingStyle: 'atx' });

console.log('set                          examples  same structure  same text  turndown structure  text');
for (const set of SETS) {
  const path = join(DATA, `${set}.jsonl`);
  if (existsSync(path))
    measure(
      set,
      readFileSync(path, 'utf8')
        .split('\n')
        .filter(Boolean)
        .map((line) => JSON.parse(line)),
    );
  else console.log(`${set}: not found at ${path}; set EVAL_DATA`);
}

function measure(set: string, examples: Example[]): void {
  const ours = { structure: 0, text: 0 };
  const theirs = { structure: 0, text: 0 };
  const bySection = new Map<string, { all: number; failed: number }>();
  for (const { id, html, ...example } of examples) {
    const name = example.section ?? example.extension ?? set;
    const { markdown } = writeMarkdown(parseTree(html), (href) => URL.parse(href, BASE)?.href ?? null);
    const same = compare(html, markdown);
    ours.structure += Number(same.structure);
    ours.text += Number(same.text);
    const other = compare(html, turndown.turndown(html || ' '));
    theirs.structure += Number(other.structure);
    theirs.text += Number(other.text);
    const count = bySection.get(name) ?? { all: 0, failed: 0 };
    bySection.set(name, { all: count.all + 1, failed: count.failed + Number(!same.structure) });
    if (section !== null && !same.structure && name.includes(section)) {
      console.log(
        `--- ${id} ${name}\n${html}\n~~~ markdown\n${markdown}\n~~~ ${same.wanted}\n~~~ ${same.got}`,
      );
    }
  }
  const percent = (count: number): string => `${((100 * count) / examples.length).toFixed(1)} %`.padStart(11);
  console.log(
    set.padEnd(30),
    String(examples.length).padStart(5),
    percent(ours.structure),
    percent(ours.text),
    '  ',
    percent(theirs.structure),
    percent(theirs.text),
  );
  for (const [name, { all, failed }] of bySection)
    if (failed > 0 && section === null) console.log(`    ${name}: ${failed} of ${all} differ`);
}

function compare(
  html: string,
  markdown: string,
): { structure: boolean; text: boolean; wanted: string; got: string } {
  const back = marked.parse(markdown, { async: false, gfm: true });
  const [wanted, got] = [normalised(html), normalised(back)];
  const words = (text: string): string => text.replace(/<[^>]*>/g, ' ').replace(/\s+/g, '');
  return { structure: wanted === got, text: words(wanted) === words(got), wanted, got };
}

/** Tags with the attributes that Markdown can carry, text with white space collapsed; `|` parts paragraphs. */
function normalised(html: string): string {
  return serialise(parseTree(html).root, false)
    .replace(/\s+/g, ' ')
    .replace(/ ?(<\/?(?:h\d|ul|ol|li|blockquote|pre|table|tr|td|hr|br)[^>]*>|\|) ?/g, '$1')
    .replace(/\|+/g, '|')
    .replace(/\|?(<\/?(?:h\d|ul|ol|li|blockquote|pre|table|tr|td|hr)[^>]*>)\|?/g, '$1')
    .replace(/<(pre|em|strong|del|a|li|blockquote|h\d|code)(?: [^>]*)?> *<\/\1>/g, '')
    .replace(/<(blockquote|ul|ol)(?: [^>]*)?> *<\/\1>/g, '')
    .replace(/(<h\d>)([^<]*)(<\/h\d>)(?:<h\d>\2<\/h\d>)+/g, '$1$2$3')
    .replace(/<(em|strong|del)>((?:(?!<\/?\1>).)*)<\1>((?:(?!<\/?\1>).)*)<\/\1>/g, '<$1>$2$3')
    .replace(/<a href="https:\/\/example.test\/(?:#[^"]*)?">((?:(?!<\/a>).)*)<\/a>/g, '$1')
    .replace(/ ?(<\/?(?:a|em|strong|del|code)(?: [^>]*)?>) ?/g, '$1')
    .replace(/^(?:[| ]|<hr><\/hr>)+|[| ]+$/g, '');
}

function serialise(node: TreeNode, inPre: boolean): string {
  if (!isElement(node)) {
    const text = node.text.replaceAll('<', '‹').replaceAll('|', '¦');
    return inPre ? text.replaceAll('\n', '⏎').replaceAll(' ', '·') : text;
  }
  const { tag, attributes } = node;
  if (LEFT_OUT.has(tag)) return '';
  const inner = node.children.map((child) => serialise(child, inPre || tag === 'pre')).join('');
  if (tag === 'pre') return `<pre>${inner.replace(/(?:⏎|·)+$/, '').replace(/^⏎/, '')}</pre>`;
  if (tag === 'code' && inPre) return inner;
  if (tag === 'p' || tag === 'div') return `|${inner}|`;
  if (!WRITTEN.has(SAME_TAG[tag] ?? tag)) return inner;
  const shown = (KEPT[tag] ?? []).flatMap((name) => {
    const value = attributes[name] ?? (name === 'alt' ? '' : undefined);
    if (value === undefined || (name === 'start' && value === '1')) return [];
    return [`${name}="${name === 'href' || name === 'src' ? address(value) : value}"`];
  });
  const name = SAME_TAG[tag] ?? tag;
  return `<${[name, ...shown].join(' ')}>${inner}</${name}>`;
}

function address(href: string): string {
  return (URL.parse(href, BASE)?.href ?? href).replaceAll('(', '%28').replaceAll(')', '%29');
}
