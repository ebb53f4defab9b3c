import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { parseTree } from '../../parse/build-tree.ts';
import { buildPageView } from '../page-view.ts';
import { fillHoles, keepUnexplained } from './fill-holes.ts';

function filled(html: string, probabilities: number[], url = 'https://a.example/x'): string {
  const view = buildPageView(parseTree(html), url);
  const kept = probabilities.map((probability) => probability > 0.5);
  fillHoles(view, Float32Array.from(probabilities), kept);
  return kept.map((each) => (each ? '+' : '-')).join('');
}

const PARAGRAPHS = '<p>one</p><p>two</p><p>three</p>';

describe('fillHoles', () => {
  test('an entry between kept entries of a reference is kept', () => {
    assert.equal(
      filled('<dl><dt>a</dt><dd>one</dd><dt>b</dt><dd>two</dd></dl>', [0.9, 0.9, 0.3, 0.9]),
      '++++',
    );
    assert.equal(filled(PARAGRAPHS, [0.9, 0.3, 0.9], 'https://docs.a.example/x'), '+++');
  });

  test('code between kept texts is kept on any page', () => {
    const prose = `<p>${'word '.repeat(60)}</p>`;
    assert.equal(
      filled(`${prose}<pre>make</pre>${prose}<p>x</p>${prose}`, [0.9, 0.2, 0.9, 0.2, 0.9]),
      '+++-+',
    );
  });

  test('code between kept texts is kept whatever it looks like, and behind the last text of a section', () => {
    const prose = `<p>${'word '.repeat(60)}</p>`;
    const code = '<pre><a href="/open">open</a>(<a href="/path">path</a>)</pre>';
    assert.equal(filled(`<div>${prose}${code}${prose}</div>`, [0.9, 0.01, 0.9]), '+++');
    assert.equal(filled(`<div>${prose}${code}${code}</div><p>x</p>`, [0.9, 0.01, 0.01, 0.2]), '+++-');
    assert.equal(filled(`<div>${prose}${code}<p>x</p></div>${prose}`, [0.9, 0.01, 0.2, 0.9]), '+--+');
  });

  test('what holds the whole text is no margin, whatever it is called', () => {
    const text = '<p>one</p><pre>make</pre><p>three</p>';
    assert.equal(
      filled(`<div class="nav-content sidebar">${text}</div>`, [0.9, 0.3, 0.9], 'https://docs.a.example/x'),
      '+++',
    );
  });

  test('other pages keep their holes, and references the clear ones, links and edges', () => {
    assert.equal(filled(PARAGRAPHS, [0.9, 0.3, 0.9]), '+-+');
    assert.equal(filled(PARAGRAPHS, [0.9, 0.05, 0.9], 'https://docs.a.example/x'), '+-+');
    assert.equal(filled(PARAGRAPHS, [0.3, 0.9, 0.3], 'https://docs.a.example/x'), '-+-');
    const menu = '<p>one</p><p><a href="/b">two</a></p><p>three</p>';
    assert.equal(filled(menu, [0.9, 0.3, 0.9], 'https://docs.a.example/x'), '+-+');
  });
});

const DOCUMENTATION = `<main><p>one two three four</p><div class="field-items"><div>five six seven eight</div></div>
  <div><a href="/a">nine ten</a></div></main><footer>eleven</footer>`;

/** What is kept, as + and -, where the model has kept the blocks marked so. */
function keptOf(url: string, marks: string): string {
  const view = buildPageView(parseTree(DOCUMENTATION), url);
  const kept = [...marks].map((mark) => mark === '+');
  keepUnexplained(view, kept);
  return kept.map((each) => (each ? '+' : '-')).join('');
}

test('documentation keeps what it would lose for its score alone, but no links and no footer', () => {
  assert.equal(keptOf('https://docs.a.example/x', '+---'), '++--');
  assert.equal(keptOf('https://a.example/x', '+---'), '+---');
});
