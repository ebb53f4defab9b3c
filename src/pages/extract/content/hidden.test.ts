import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { parseTree } from '../parse/build-tree.ts';
import { HINTS } from './hints.ts';
import { cutBlocks } from './regions.ts';

function shown(html: string): string {
  return cutBlocks(parseTree(html))
    .blocks.flatMap(({ texts }) => texts.map(({ text }) => text.trim()))
    .join(' ');
}

describe('text that readers do not see is not a block', () => {
  const unseen = [
    '<script>let x</script>',
    '<style>p{}</style>',
    '<template><p>later</p></template>',
    '<p hidden>secret</p>',
    '<div style="color:red; DISPLAY : none">secret</div>',
    '<span style="visibility:hidden">secret</span>',
    '<span style="font-size:0">secret</span>',
    '<div style="position:absolute;left:-9999px">secret</div>',
    '<p aria-hidden="true">secret</p>',
    '<a class="sr-only" href="#main">Skip to content</a>',
    '<noscript><img src="https://stats.example/1"> please switch scripts on</noscript>',
    '<h2><a class="headerlink" href="#a">¶</a></h2>',
    '<h2><a href="#a">#</a></h2>',
    '<span class="sortkey">Bell, Ann</span>',
    '<li class="slick-cloned" aria-hidden="true">copy</li>',
  ];
  for (const html of unseen) test(html, () => assert.equal(shown(`<body><p>seen</p>${html}</body>`), 'seen'));
});

describe('what is kept', () => {
  test('a page that scripts uncover as a whole', () => {
    assert.equal(shown('<body style="visibility:hidden"><main hidden>seen</main></body>'), 'seen');
  });

  test('text of a small size, and aria-hidden="false"', () => {
    assert.equal(shown('<p style="font-size:0.9em">seen</p><p aria-hidden="false">too</p>'), 'seen too');
  });

  test('parts that are streamed out of place', () => {
    assert.equal(shown('<div hidden id="S:1">seen</div>'), 'seen');
  });

  test('a noscript with the page for readers without scripts', () => {
    const post = 'A post of the thread, long enough to be one. '.repeat(12).trim();
    assert.equal(shown(`<p></p><noscript><div>${post}</div></noscript>`), post);
  });

  test('tab panels and answers are folded, not hidden', () => {
    const { blocks } = cutBlocks(
      parseTree(
        '<div role="tabpanel" hidden>one</div><div class="faq-answer" style="display:none">two</div>',
      ),
    );
    assert.equal(blocks.length, 2);
    for (const { region } of blocks) assert.notEqual(region.hints & HINTS.folded, 0);
  });
});
