import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseTree } from '../parse/build-tree.ts';
import { isInMargin } from './margin.ts';
import { cutBlocks } from './regions.ts';

test('menus, sidebars and footers are margins, the rest is not', () => {
  const { blocks } = cutBlocks(
    parseTree(
      '<body class="has-sidebar"><nav><div>menu</div></nav><p>text</p><div class="sidebar"><p>beside</p></div>' +
        '<div id="footer">end</div></body>',
    ),
  );
  assert.deepEqual(
    blocks.map(({ region }) => isInMargin(region)),
    [true, false, true, true],
  );
});
