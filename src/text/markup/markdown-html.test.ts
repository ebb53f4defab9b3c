import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { type MarkupOptions, renderMarkdown } from './markdown-html.ts';

const html = (markdown: string, options: Partial<MarkupOptions> = {}): string =>
  renderMarkdown(markdown, { base: 'https://example.org/a/', headings: 2, query: null, ...options });

describe('renderMarkdown', () => {
  const table: [what: string, markdown: string, markup: string][] = [
    ['headings start at the level asked for', '# A\n\n## B', '<h2>A</h2>\n<h3>B</h3>'],
    ['and skip no level', '## A\n\n###### B\n\n# C', '<h2>A</h2>\n<h3>B</h3>\n<h2>C</h2>'],
    ['emphasis', '*a* **b** ~~c~~', '<p><em>a</em> <strong>b</strong> <del>c</del></p>'],
    ['code in a line', '`a < b & c`', '<p><code>a &lt; b &amp; c</code></p>'],
    [
      'code in a block',
      '```js\nif (a < b) {\n  c()\n}\n```',
      '<pre tabindex="0"><code>if (a &lt; b) {\n  c()\n}</code></pre>',
    ],
    ['lists in lists', '3. a\n   - b', '<ol start="3"><li>a<ul><li>b</li></ul>\n</li></ol>'],
    ['tasks', '- [x] a\n- [ ] b', '<ul><li>☑ a</li><li>☐ b</li></ul>'],
    ['a quotation', '> a', '<blockquote><p>a</p>\n</blockquote>'],
    [
      'a table that scrolls by itself',
      '| a | b |\n| --- | --- |\n| 1 | **2** |',
      '<div class="scroll" tabindex="0"><table><thead><tr><th>a</th><th>b</th></tr></thead><tbody><tr><td>1</td><td><strong>2</strong></td></tr></tbody></table></div>',
    ],
    ['a rule', 'a\n\n---', '<p>a</p>\n<hr>'],
    ['escapes', '2 \\* 3 \\<b>', '<p>2 * 3 &lt;b&gt;</p>'],
    ['character references', 'a &lt; b &amp;amp; &copy;', '<p>a &lt; b &amp;amp; ©</p>'],
    [
      'a link stands on the page',
      '[b](../b?x=1&y=2)',
      '<p><a href="https://example.org/b?x=1&amp;y=2" rel="noreferrer nofollow">b</a></p>',
    ],
    [
      'mail',
      '<a@example.org>',
      '<p><a href="mailto:a@example.org" rel="noreferrer nofollow">a@example.org</a></p>',
    ],
    ['no link to a script', '[a](javascript:alert(1)) [b](data:text/html,x) [c](vbscript:x)', '<p>a b c</p>'],
    ['nor by a character reference', '[a](java&#115;cript:alert(1)) [b](&#106;avascript:x)', '<p>a b</p>'],
    ['nor by a broken scheme', '[a](java\nscript:x)', '<p>[a](java\nscript:x)</p>'],
    [
      'a picture becomes a link',
      '![A "pier"](p.png)',
      '<p><span class="picture"><a href="https://example.org/a/p.png" rel="noreferrer nofollow">Picture: A &quot;pier&quot;</a></span></p>',
    ],
    [
      'a picture within a link is the text of the link',
      '[![A pier](p.png)](b)',
      '<p><a href="https://example.org/a/b" rel="noreferrer nofollow"><span class="picture">Picture: A pier</span></a></p>',
    ],
    [
      'HTML loses its tags',
      'a <b onclick="x()">b</b> <sub>2</sub><img src=x onerror=y>',
      '<p>a b <sub>2</sub></p>',
    ],
    [
      'HTML blocks too',
      '<div align="center"><img src="x" onerror="y()">\nhi & ho</div>',
      '<p>hi &amp; ho</p>',
    ],
    ['scripts leave nothing', '<script>alert(1)</script>', ''],
    ['nor do styles in a block', '<div><style>a{b:c}</style>d</div>', '<p>d</p>'],
    ['footnotes stay as they are', 'a[^1]\n\n[^1]: note', '<p>a[^1]</p>\n<p>[^1]: note</p>'],
  ];
  for (const [what, markdown, markup] of table) test(what, () => assert.equal(html(markdown), markup));

  test('without headings they are bold', () => {
    assert.equal(html('## A', { headings: null }), '<p><strong>A</strong></p>');
  });

  test('the telling words of a query are marked, but not in code and links', () => {
    assert.equal(
      html('The logs are `logs`, [logs](b), **Logs** and catalogs.', { query: 'the logs' }),
      '<p>The <mark>logs</mark> are <code>logs</code>, <a href="https://example.org/a/b" rel="noreferrer nofollow">logs</a>, <strong><mark>Logs</mark></strong> and catalogs.</p>',
    );
  });

  test('what nests too deep is shown as text', () => {
    assert.ok(html('>'.repeat(200)).length < 5_000);
    assert.ok(html(`${'>'.repeat(20_000)}a`).startsWith('<p'));
    assert.ok(!html(`${'*'.repeat(300)}a${'*'.repeat(300)}`).includes('undefined'));
  });

  test('whatever comes in, only elements that are written here come out', () => {
    const piece = fc.oneof(
      fc.constantFrom(
        '<',
        '>',
        '"',
        "'",
        '`',
        '[',
        '](',
        ')',
        '![',
        '\n',
        '> ',
        '- ',
        '|',
        '*',
        '_',
        '&#',
        ';',
        '\\',
      ),
      fc.constantFrom(
        '<script>',
        '</script>',
        '<img src=x onerror=',
        'javascript:',
        '<!--',
        '<svg/onload=',
        'data:',
      ),
      fc.string({ maxLength: 5, unit: 'binary' }),
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 60 }), (pieces) => {
        const markup = html(pieces.join(''), { query: 'script img' });
        const known =
          /<\/?(?:h[2-6]|p|strong|em|del|code|ul|li|blockquote|table|thead|tbody|tr|th|td|mark|sub|sup)>|<(?:hr|br)>|<ol(?: start="\d+")?>|<\/(?:ol|a|span|div|pre)>|<p class="plain">|<pre tabindex="0">|<span class="picture">|<div class="scroll" tabindex="0">|<a href="(?:https?:|mailto:)[^"<>]*" rel="noreferrer nofollow">/g;
        assert.doesNotMatch(markup.replace(known, ''), /[<>"]/);
      }),
      { numRuns: 2_000 },
    );
  });
});
