import assert from 'node:assert/strict';
import { test } from 'node:test';
import { cpuMsOf } from '../../../test/fixtures/cpu-time.ts';
import { type MarkdownStyle, restyleMarkdown } from './restyle-markdown.ts';

const PAGE = `# Tides

The *moon* pulls, **strongly**, at 2 \\* 3 \`*stars*\` [twice](https://example.org/a_b) a day ![A pier](https://example.org/p.png).

- one
  - two [twice](https://example.org/a_b)

---

## Code

\`\`\`md
- *kept* [as](it) is
\`\`\``;

const line = (style: MarkdownStyle, at: number): string | undefined =>
  restyleMarkdown(PAGE, style).split('\n')[at];

test('without a style nothing changes', () => assert.equal(restyleMarkdown(PAGE, {}), PAGE));

test('headings of two levels are underlined', () => {
  const lines = restyleMarkdown(PAGE, { heading: 'setext' }).split('\n');
  assert.deepEqual(lines.slice(0, 2), ['Tides', '=====']);
  assert.deepEqual(lines.slice(10, 12), ['Code', '----']);
});

test('bullets and rules', () => {
  const lines = restyleMarkdown(PAGE, { bullet: '*', rule: '***' }).split('\n');
  assert.equal(lines[4], '* one');
  assert.match(lines[5] ?? '', /^ {2}\* two/);
  assert.equal(lines[7], '***');
});

test('emphasis, but not what is escaped, code or an address', () => {
  assert.equal(
    line({ em: '_', strong: '__' }, 2),
    'The _moon_ pulls, __strongly__, at 2 \\* 3 `*stars*` [twice](https://example.org/a_b) a day ![A pier](https://example.org/p.png).',
  );
  assert.equal(restyleMarkdown('un*believ*able', { em: '_' }), 'un*believ*able');
});

test('links are referenced once each, or dropped', () => {
  assert.match(
    restyleMarkdown(PAGE, { links: 'referenced' }),
    /\[twice\]\[1\] a day[\s\S]+two \[twice\]\[1\][\s\S]+\n\n\[1\]: https:\/\/example\.org\/a_b$/,
  );
  assert.match(line({ links: 'discarded' }, 2) ?? '', / twice a day !\[A pier\]/);
});

test('images are dropped, or leave their text', () => {
  assert.match(line({ images: 'none' }, 2) ?? '', / a day \.$/);
  assert.match(line({ images: 'alt' }, 2) ?? '', / a day A pier\.$/);
});

test('code stays as it is', () => {
  const style: MarkdownStyle = { bullet: '+', em: '_', links: 'discarded', heading: 'setext' };
  assert.match(restyleMarkdown(PAGE, style), /```md\n- \*kept\* \[as\]\(it\) is\n```/);
});

test('addresses below a text take linear time, and one address has one number', () => {
  const urls = Array.from({ length: 60_000 }, (_, at) => `https://example.org/${at}`);
  const page = [...urls, urls[7]].map((url) => `[x](${url})`).join('\n');
  let written = '';
  const ms = cpuMsOf(() => {
    written = restyleMarkdown(page, { links: 'referenced' });
  });
  assert.ok(ms < 1_500, `took ${ms} ms`);
  assert.match(written, /\[x\]\[60000\]\n\[x\]\[8\]\n\n\[1\]: https:\/\/example\.org\/0\n/);
});
