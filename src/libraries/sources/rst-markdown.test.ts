import assert from 'node:assert/strict';
import { test } from 'node:test';
import { convertRst } from './rst-markdown.ts';

const cases: [string, string, string][] = [
  [
    'sections by the order of their marks',
    '=====\nTitle\n=====\n\nText.\n\nPart\n====\n\nSub\n---\n\nPart two\n========\n',
    '# Title\n\nText.\n\n## Part\n\n### Sub\n\n## Part two',
  ],
  [
    'code and literal blocks',
    'Run this::\n\n    pip install x\n\n    run\n\n.. code-block:: python\n   :linenos:\n\n   def f():\n       pass\n\nEnd.',
    'Run this:\n\n```\npip install x\n\nrun\n```\n\n```python\ndef f():\n    pass\n```\n\nEnd.',
  ],
  [
    'roles, links and escapes',
    'See :ref:`the guide <guide>`, :class:`~a.b.Client`, ``x_y``, `here <https://example.org>`_, `Docs`_ and name_.\n\n.. _Docs: https://docs.example.org\n.. _name: https://name.example.org',
    'See the guide, `Client`, `x_y`, [here](https://example.org), [Docs](https://docs.example.org) and [name](https://name.example.org).',
  ],
  [
    'notes and versions',
    '.. note::\n\n    Mind ``this``.\n\n.. versionadded:: 4.2\n\n    New.\n',
    '**Note:**\nMind `this`.\n\n**Added in version 4.2:**\nNew.',
  ],
  [
    'descriptions of items become headings',
    'Api\n===\n\n.. function:: get(url, *, timeout=None)\n\n   Sends a request.\n\n.. class:: Client\n\n   A client.\n\n   .. method:: close()\n\n      Ends it.\n',
    '# Api\n\n## `get(url, *, timeout=None)`\n\nSends a request.\n\n## `Client`\n\nA client.\n\n### `close()`\n\nEnds it.',
  ],
  [
    'comments, tables of contents and images leave no trace',
    '.. a comment\n   of two lines\n\n.. toctree::\n   :maxdepth: 2\n\n   a\n   b\n\n.. image:: x.png\n\nText.',
    'Text.',
  ],
  [
    'tables stay as they are drawn',
    '===  ====\nA    B\n===  ====\n1    2\n===  ====\n\nEnd.',
    '```text\n===  ====\nA    B\n===  ====\n1    2\n===  ====\n```\n\nEnd.',
  ],
  ['doctests', '>>> 1 + 1\n2\n\nEnd.', '```pycon\n>>> 1 + 1\n2\n```\n\nEnd.'],
];
for (const [name, rst, markdown] of cases) test(name, () => assert.equal(convertRst(rst), markdown));

test('a line that is too long stays as it is', () => {
  const line = `${'word '.repeat(300)}:ref:\`x\``;
  assert.equal(convertRst(line), line);
});
