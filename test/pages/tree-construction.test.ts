import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { gunzipSync } from 'node:zlib';
import { parseTree } from '../../src/pages/extract/parse/build-tree.ts';
import { isElement, type TreeElement } from '../../src/pages/extract/table-shape.ts';

/**
 * The tree-construction cases of html5lib-tests, as data: whole documents only, since pages are documents. Compared without
 * what the tree has no place for: comments, document types, namespaces, the case of SVG names, and a template's content as a node of its own.
 */
type Case = { id: string; html: string; document: string; fragment: boolean };

/** Cases that differ, and why; anything else must be as the standard says. */
const DIFFERENT: [reason: string, fits: (test: Case) => boolean][] = [
  // With scripts, noscript is text; without them, it is parsed in place. We parse its text apart, so that it ends where browsers end it.
  ['noscript is parsed apart', ({ html }) => /<noscript/i.test(html)],
  ['scripts are not run', ({ html }) => /<script>[^<]*(?:document\.|\.setAttribute)/.test(html)],
  ['the chosen option is not copied into the button', ({ html }) => html.includes('<selectedcontent>')],
  ['plaintext is one text', ({ html }) => html.includes('<plaintext>')],
];
/** How many of the cases above may differ. */
const DIFFERENT_MAX = 35;

const file = join(
  process.env.EVAL_DATA ?? '../shared/data',
  'hostile_html/html5lib_tree_construction.jsonl.gz',
);

test('trees are those of the HTML standard', (t) => {
  if (!existsSync(file)) return t.skip(`no data set at ${file}; set EVAL_DATA`);
  const cases = gunzipSync(readFileSync(file)).toString('utf8').split('\n').filter(Boolean);
  let different = 0;
  let same = 0;
  for (const line of cases) {
    // The README of the set names the fields.
    const each = JSON.parse(line) as Case;
    if (each.fragment) continue;
    const wanted = expectedTree(each.document);
    const got = treeOf(parseTree(each.html).root);
    if (got === wanted) same += 1;
    else if (DIFFERENT.some(([, fits]) => fits(each))) different += 1;
    else assert.equal(got, wanted, `${each.id}: ${each.html}`);
  }
  assert.ok(same > 1_500, `${same} as the standard says`);
  assert.ok(different <= DIFFERENT_MAX, `${different} differ for known reasons`);
});

type Item = { depth: number; text: string };

function treeOf(root: TreeElement): string {
  const items: Item[] = [];
  const walk = (element: TreeElement, depth: number): void => {
    for (const child of element.children) {
      if (!isElement(child)) items.push({ depth, text: `"${child.text}"` });
      else {
        items.push({ depth, text: `<${child.tag}>` });
        for (const name of Object.keys(child.attributes))
          items.push({ depth: depth + 1, text: `@${name}=${child.attributes[name]}` });
        walk(child, depth + 1);
      }
    }
  };
  walk(root, 0);
  return joined(items);
}

/** The expected tree in the notation of the set, one node a line after `| `. */
function expectedTree(document: string): string {
  const nodes: string[] = [];
  for (const line of document.split('\n')) {
    if (line.startsWith('| ')) nodes.push(line.slice(2));
    else if (nodes.length > 0) nodes.push(`${nodes.pop()}\n${line}`);
  }
  const items: Item[] = [];
  const templates: number[] = [];
  for (const node of nodes) {
    const text = /^\s*"/.test(node) ? node.trimStart().replace(/"\n+$/, '"') : node.trim();
    let depth = (node.length - node.trimStart().length) / 2;
    if (/^<(?:!--|!DOCTYPE|\?)/.test(text)) continue;
    while (templates.length > 0 && depth <= (templates.at(-1) ?? 0)) templates.pop();
    if (text === 'content') templates.push(depth);
    else {
      depth -= templates.length;
      items.push({ depth, text: plainNode(text) });
    }
  }
  return joined(items);
}

function plainNode(text: string): string {
  if (text.startsWith('"')) return text;
  const tag = /^<(?:svg |math )?([^>]*)>$/.exec(text)?.[1];
  if (tag !== undefined) return `<${tag.toLowerCase()}>`;
  const attribute = /^(\S+?(?: \S+?)?)="([\s\S]*)"$/.exec(text);
  return attribute === null ? text : `@${attribute[1]?.toLowerCase().replace(' ', ':')}=${attribute[2]}`;
}

/** Texts that touch are one text; attributes have no order. */
function joined(items: Item[]): string {
  const lines: Item[] = [];
  for (const item of items) {
    const last = lines.at(-1);
    if (
      last !== undefined &&
      last.depth === item.depth &&
      last.text.startsWith('"') &&
      item.text.startsWith('"')
    )
      last.text = last.text.slice(0, -1) + item.text.slice(1);
    else lines.push({ ...item });
  }
  const sorted: string[] = [];
  for (let at = 0; at < lines.length; at += 1) {
    let end = at;
    while (lines[end]?.text.startsWith('@')) end += 1;
    const written = (item: Item): string => `${'  '.repeat(item.depth)}${item.text}`;
    if (end > at) {
      sorted.push(...lines.slice(at, end).map(written).sort());
      at = end - 1;
    } else sorted.push(written(lines[at] as Item));
  }
  return sorted.join('\n');
}
