import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { gunzipSync } from 'node:zlib';
import { cpuMsOf } from '../../../../test/fixtures/cpu-time.ts';
import { extractHtml } from '../extract-html.ts';
import { parseTree } from '../parse/build-tree.ts';
import { isElement, TREE_DEPTH_MAX, TREE_NODES_MAX, type TreeElement } from '../table-shape.ts';
import { chooseContent } from './choose-content.ts';
import { BLOCKS_MAX, cutBlocks } from './regions.ts';

const page = { url: 'https://hostile.example/page' };

function measured(root: TreeElement): { nodes: number; depth: number } {
  const size = { nodes: 0, depth: 0 };
  const waiting: [element: TreeElement, depth: number][] = [[root, 0]];
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    const [element, depth] = next;
    size.depth = Math.max(size.depth, depth);
    for (const child of element.children) {
      size.nodes += 1;
      if (isElement(child)) waiting.push([child, depth + 1]);
    }
  }
  return size;
}

describe('hostile pages stay within the bounds', () => {
  const pages: [name: string, html: string][] = [
    ['100,000 nested divs', `${'<div>'.repeat(100_000)}x${'</div>'.repeat(100_000)}`],
    ['tags never closed', '<b><i><div>'.repeat(60_000)],
    ['tables in tables', '<table><tr><td>x'.repeat(40_000)],
    ['lists in lists', '<ul><li>x'.repeat(40_000)],
    ['250,000 paragraphs', '<p>word</p>'.repeat(250_000)],
    ['250,000 spans in a paragraph', `<p>${'<span>a</span> '.repeat(250_000)}`],
    ['100,000 attributes', `<p ${Array.from({ length: 100_000 }, (_, at) => `a${at}=x`).join(' ')}>x</p>`],
    ['a class of a megabyte', `<p class="${'related-'.repeat(130_000)}">x</p>`],
    ['a style of a megabyte', `<p style="${'display '.repeat(130_000)}">x</p>`],
    ['noscripts in noscripts', '<noscript><p>x'.repeat(40_000)],
    ['a text of a megabyte', `<p>${'word, '.repeat(170_000)}</p>`],
  ];
  for (const [name, html] of pages) {
    test(name, () => {
      const tree = parseTree(html);
      const { nodes, depth } = measured(tree.root);
      assert.ok(nodes <= TREE_NODES_MAX, `${nodes} nodes`);
      assert.ok(depth <= TREE_DEPTH_MAX, `${depth} levels`);
      assert.ok(cutBlocks(tree).blocks.length <= BLOCKS_MAX);
      chooseContent(tree, page);
    });
  }

  test('a page nested too deep says that it was cut', () => {
    assert.equal(parseTree('<div>'.repeat(2_000)).truncated, true);
    assert.equal(parseTree('<div>'.repeat(50)).truncated, false);
  });

  test('a page nested within reason loses no text', () => {
    const html = `${'<div>'.repeat(900)}deep${'</div>'.repeat(900)}<p>after</p>`;
    assert.deepEqual(
      cutBlocks(parseTree(html)).blocks.map(({ texts }) => texts[0]?.text),
      ['deep', 'after'],
    );
  });
});

describe('malformed pages of the parsers’ own test suites', () => {
  const file = join(
    process.env.EVAL_DATA ?? '../shared/data',
    'hostile_html/html5lib_tree_construction.jsonl.gz',
  );

  test('each is read without an exception', (t) => {
    if (!existsSync(file)) return t.skip(`no data set at ${file}; set EVAL_DATA`);
    const lines = gunzipSync(readFileSync(file)).toString('utf8').split('\n');
    for (const line of lines) if (line !== '') chooseContent(parseTree(JSON.parse(line).html), page);
  });
});

describe('pages made to be costly take little time', () => {
  const many = (count: number, part: (at: number) => string): string =>
    Array.from({ length: count }, (_, at) => part(at)).join('');
  const pages: [name: string, html: string][] = [
    ['many tags of the page', many(8_000, (at) => `<html a${at}=b>`)],
    ['many tags of the body', many(8_000, (at) => `<body a${at}=b>`)],
    ['many blocks of code', many(20_000, () => '<pre>a</pre>')],
    [
      'many children beside a shadow root',
      `<div><template shadowrootmode=open><slot></slot></template>${many(60_000, () => '<b>x</b>')}</div>`,
    ],
  ];
  for (const [name, html] of pages)
    test(name, () => {
      const ms = cpuMsOf(() => void extractHtml(html, page.url));
      assert.ok(ms < 2_000, `took ${ms} ms`);
    });

  test('attributes of a second tag of the page join those of the first', () => {
    const attributesOf = (html: string) =>
      parseTree(html)
        .root.children.filter(isElement)
        .find(({ tag }) => tag === 'html')?.attributes;
    assert.deepEqual({ ...attributesOf('<html a=1><p>x<html a=2 b=3>') }, { a: '1', b: '3' });
    assert.deepEqual({ ...attributesOf('<html><p>x<html b=3>') }, { b: '3' });
    assert.deepEqual({ ...attributesOf('<html><p>x') }, {});
  });
});
