import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { cpuMsOf } from '../../../test/fixtures/cpu-time.ts';
import { type Chunk, chunkMarkdown } from './chunk-markdown.ts';

const sentence = 'A wader runs along the edge of each wave and picks what the water leaves behind. ';
const paragraph = (sentences: number): string => sentence.repeat(sentences).trim();

describe('chunkMarkdown', () => {
  test('a page shorter than 400 characters is one chunk', () => {
    const [chunk, ...rest] = chunkMarkdown('# Title\n\nShort text.');
    assert.equal(chunk?.markdown, '# Title\n\nShort text.');
    assert.deepEqual(rest, []);
  });

  test('nothing gives no chunk', () => {
    assert.deepEqual(chunkMarkdown(' \n\n'), []);
  });

  test('a new chunk begins at a heading and knows the headings above it', () => {
    const chunks = chunkMarkdown(`# Birds\n\n${paragraph(6)}\n\n## Waders\n\n${paragraph(6)}`);
    assert.equal(chunks.length, 2);
    assert.match(chunks[1]?.markdown ?? '', /^## Waders/);
    assert.deepEqual(chunks[1]?.headingPath, ['Birds', 'Waders']);
  });

  test('a long table is cut on rows and repeats its header', () => {
    const header = '| Name | Length |\n| --- | --- |';
    const rows = Array.from({ length: 60 }, (_, row) => `| bird number ${row} | ${row} cm |`);
    const chunks = chunkMarkdown([header, ...rows].join('\n'));
    assert.ok(chunks.length > 2);
    for (const chunk of chunks) {
      assert.ok(chunk.markdown.startsWith(header));
      for (const line of chunk.markdown.split('\n')) assert.match(line, /^\|.*\|$/);
    }
    assert.equal(
      chunks.map((chunk) => chunk.markdown.split('\n').length - 2).reduce((a, b) => a + b),
      60,
    );
  });

  test('a long code block is cut on line ends, its fence closed and its language kept', () => {
    const lines = Array.from({ length: 60 }, (_, line) => `    print("line number ${line}")`);
    const chunks = chunkMarkdown(['```python', ...lines, '```'].join('\n'));
    assert.ok(chunks.length > 2);
    for (const chunk of chunks) assert.match(chunk.markdown, /^```python\n {4}print[\s\S]*\)\n```$/);
  });

  test('a closing fence never stands without code, however many lines there are', () => {
    for (let lines = 20; lines < 120; lines += 1) {
      const code = `\`\`\`js\n${'const wader = "sanderling";\n'.repeat(lines)}\`\`\``;
      const chunks = chunkMarkdown(`${code}\n\n${paragraph(6)}`);
      for (const { markdown } of chunks) assert.doesNotMatch(markdown, /```js\n```/, `${lines} lines`);
      const shown = chunks.map(({ markdown }) => markdown.match(/const wader/g)?.length ?? 0);
      assert.equal(
        shown.reduce((a, b) => a + b),
        lines,
      );
    }
  });

  test('hash signs inside code are no headings', () => {
    const chunks = chunkMarkdown(`\`\`\`sh\n# not a heading\n\`\`\`\n\n${paragraph(2)}`);
    assert.deepEqual(chunks[0]?.headingPath, []);
  });

  test('a fence inside a quote is closed and opened again with the quote marks', () => {
    const chunks = chunkMarkdown(['> ```js', ...Array(60).fill('> const wader = 1;'), '> ```'].join('\n'));
    assert.ok(chunks.length > 1);
    for (const { markdown } of chunks) assert.match(markdown, /^> ```js\n(?:> const.*\n)+> ```$/);
  });

  test('a quoted paragraph that is cut goes on with its quote marks', () => {
    const chunks = chunkMarkdown(`> ${paragraph(20)}`);
    assert.ok(chunks.length > 1);
    for (const { markdown } of chunks) assert.match(markdown, /^> A wader/);
  });

  test('a fence ends with the quote that it stands in', () => {
    const [first] = chunkMarkdown(`> \`\`\`\n> open\n\n# Waders\n\n${paragraph(3)}`);
    assert.deepEqual(first?.headingPath, []);
    assert.deepEqual(chunkMarkdown(`> \`\`\`\n> open\n\n# Waders\n\n${paragraph(30)}`).at(-1)?.headingPath, [
      'Waders',
    ]);
  });

  test('a fence that is never closed is closed in every chunk', () => {
    const chunks = chunkMarkdown(`\`\`\`\n${'never(closed);\n'.repeat(100)}`);
    for (const { markdown } of chunks) assert.match(markdown, /^```\n[\s\S]*;\n```$/);
  });

  test('a list item that fits is not cut, even where chunks become short', () => {
    const items = Array.from({ length: 9 }, (_, at) => `- Item ${at}. ${sentence.repeat(4).trim()}`);
    const chunks = chunkMarkdown(items.join('\n'));
    for (const { markdown } of chunks) assert.match(markdown, /^- Item \d[\s\S]*behind\.$/);
  });

  test('what was added is told apart from the slice', () => {
    const page = `| Name |\n| --- |\n${'| a bird |\n'.repeat(200)}`;
    for (const { markdown, start, end, added } of chunkMarkdown(page).slice(1)) {
      assert.equal(added?.before, '| Name |\n| --- |\n');
      assert.equal(markdown, `${added?.before}${page.slice(start, end).trimEnd()}`);
    }
  });

  test('a table too wide to repeat its header is cut at cells, never above the bound', () => {
    const row = (cell: string): string => `| ${Array(80).fill(cell).join(' | ')} |`;
    const chunks = chunkMarkdown([row('Head of a column'), row('---'), row('a cell'), row('b')].join('\n'));
    for (const { markdown } of chunks) {
      assert.ok(markdown.length <= 700);
      assert.match(markdown, /^\|/);
    }
  });

  test('lines that end in a carriage return are read alike', () => {
    const page = `# Birds\n\n${paragraph(6)}\n\n## Waders\n\n${paragraph(6)}`;
    const wide = chunkMarkdown(page.replaceAll('\n', '\r\n'));
    assert.deepEqual(
      wide.map(({ headingPath }) => headingPath),
      chunkMarkdown(page).map(({ headingPath }) => headingPath),
    );
  });

  test('an underlined line is a heading', () => {
    const [, second] = chunkMarkdown(`Birds\n=====\n\n${paragraph(6)}\n\nWaders\n---\n\n${paragraph(6)}`);
    assert.deepEqual(second?.headingPath, ['Birds', 'Waders']);
  });

  test('no sentence ends inside a link, behind an initial or an abbreviation', () => {
    const link = `[Dr. A. Smith et al. wrote. Then more.](https://example.test/) ${'word '.repeat(30)}`;
    for (const { markdown } of chunkMarkdown(link.repeat(12)))
      assert.equal(markdown.split('[').length, markdown.split('](').length);
  });

  test('text without spaces is cut between characters', () => {
    const chunks = chunkMarkdown('鷸'.repeat(2_000));
    for (const chunk of chunks) assert.ok(chunk.markdown.length <= 700);
  });

  test('no chunk begins with the backticks of a sentence, which would open a code fence', () => {
    const link = '[a link](https://example.test/a/b?c=d)';
    for (let length = 25; length <= 45; length += 1) {
      const first = `${'w'.repeat(length)}${' sand wave '.repeat(3)}${link} the picks`;
      const line = `${first} \`\`\` sand ${'sand wave '.repeat(24)}.`;
      for (const { markdown } of chunkMarkdown(`${line}\n${line}`)) assert.doesNotMatch(markdown, /^\s*```/);
    }
  });

  test('what a cut leaves of a long run of backticks opens no code fence', () => {
    for (const mark of ['`', '~'])
      for (let left = 0; left <= 25; left += 1) {
        const chunks = chunkMarkdown(`${mark.repeat(1_400 + left)}\n# Heading\n\n${paragraph(12)}`);
        for (const { markdown } of chunks) assert.doesNotMatch(markdown, /^(?:`{3,20}|~{3,20})(?![`~])/m);
      }
  });

  test('law: no chunk above 700, few below 400, every word of the page in a chunk, in order', () => {
    const block = fc.oneof(
      fc.integer({ min: 1, max: 12 }).map(paragraph),
      fc.constantFrom('# One', '## Two', '### Three'),
      fc
        .array(fc.constantFrom('- item', '- a longer item with words', '  - nested'), {
          minLength: 1,
          maxLength: 40,
        })
        .map((items) => items.join('\n')),
      fc.integer({ min: 1, max: 50 }).map((lines) => `\`\`\`js\n${'call(argument);\n'.repeat(lines)}\`\`\``),
    );
    fc.assert(
      fc.property(fc.array(block, { minLength: 1, maxLength: 12 }), (blocks) => {
        const markdown = blocks.join('\n\n');
        const chunks = chunkMarkdown(markdown);
        for (const chunk of chunks)
          assert.ok(chunk.markdown.length <= 700, `${chunk.markdown.length} characters`);
        let covered = '';
        for (const { start, end } of chunks) covered += markdown.slice(start, end);
        assert.equal(covered.replace(/\s/g, ''), markdown.replace(/\s/g, ''));
        // A whole section or the end of one may have 200: what is shown of it reaches into its neighbour. A short one at both ends and one
        // between two that fill their room are unavoidable.
        const short = chunks.filter(({ markdown: text }) => text.length < 200).length;
        assert.ok(short <= 2 + chunks.length / 3, `${short} of ${chunks.length} are short`);
        // Whatever the length of the page, hardly any could be joined with a neighbour.
        const joinable = chunks.filter((chunk, at) => {
          const fits = (one?: Chunk, next?: Chunk): boolean =>
            one !== undefined &&
            next !== undefined &&
            markdown.slice(one.start, next.end).trim().length <= 700;
          return chunk.markdown.length < 200 && (fits(chunks[at - 1], chunk) || fits(chunk, chunks[at + 1]));
        });
        assert.ok(joinable.length <= 3, `${joinable.length} could be joined`);
      }),
      { numRuns: 200 },
    );
  });
});

describe('where a reader would cut', () => {
  const shownChars = (markdown: string): number => markdown.replace(/\]\([^)]*\)/g, ']').length;

  test('link targets do not count towards 400 characters, and never beyond 700', () => {
    const link = '[the wader](https://birds.example/wader.html)';
    const linked = `A ${link} runs along the edge of each wave and picks what the water leaves behind there. `;
    for (const { markdown } of chunkMarkdown(linked.repeat(40).trim())) {
      assert.ok(shownChars(markdown) >= 400, `${shownChars(markdown)} seen`);
      assert.ok(markdown.length <= 700);
    }
  });

  test('no chunk begins with the end of a section and goes on with the next', () => {
    for (let sentences = 4; sentences < 24; sentences += 1) {
      const section = (name: string): string => `## ${name}\n\n${paragraph(sentences)}`;
      const page = [section('Food'), section('Nest'), section('Moult')].join('\n\n');
      for (const { markdown } of chunkMarkdown(page))
        assert.doesNotMatch(markdown, /^[^#][\s\S]*\n## /, `${sentences} sentences`);
    }
  });

  test('an entry of a list of settings is not joined with the end of the one before', () => {
    const entry = (name: string): string => `- **${name}**: ${sentence.repeat(5)}\n\n  ${paragraph(5)}`;
    for (const { markdown } of chunkMarkdown(['wick', 'glass', 'oil', 'chain'].map(entry).join('\n')))
      assert.doesNotMatch(markdown, /^(?!- \*\*)[\s\S]*\n- \*\*/);
  });

  test('a heading without text of its own is not shown', () => {
    const page = `# Lamp\n\n${paragraph(6)}\n\n## See also\n\n## Parts of a lamp\n\n${paragraph(6)}`;
    const chunks = chunkMarkdown(page);
    assert.match(chunks[1]?.markdown ?? '', /^## Parts/);
    assert.deepEqual(chunks[1]?.headingPath, ['Lamp', 'Parts of a lamp']);
    assert.equal(chunks.map(({ start, end }) => page.slice(start, end)).join(''), page);
  });

  test('code stays with the sentence that leads to it, a default with its setting', () => {
    const code = '```sh\ntrim --wick 3\n```';
    for (let sentences = 1; sentences < 12; sentences += 1) {
      const page = `${paragraph(sentences)}\n\nThis trims the wick\n\n${code}\n\n${paragraph(8)}`;
      const holding = chunkMarkdown(page).find(({ markdown }) => markdown.includes('trim --wick'));
      assert.match(holding?.markdown ?? '', /This trims the wick/);
      const setting = `${paragraph(sentences)}\n\n## wick_length\n\nDefault: 3\n\n${paragraph(9)}`;
      const named = chunkMarkdown(setting).find(({ markdown }) => markdown.includes('Default: 3'));
      assert.match(named?.markdown ?? '', /wick_length[\s\S]*A wader/);
    }
  });

  test('where a frame takes all the room, the cuts still end', () => {
    const code = `> \`\`\`sh\n> ${'trim --wick 3 '.repeat(20)}\n> \`\`\``;
    const page = `${paragraph(3)}\n\n${code}\n\n${paragraph(3)}`;
    for (let charsMax = 1; charsMax < 60; charsMax += 1) {
      const chunks = chunkMarkdown(page, { charsMin: 1, charsMax });
      assert.equal(chunks.map(({ start, end }) => page.slice(start, end)).join(''), page);
    }
  });
});

test('a long run of ends of sentences takes linear time', () => {
  for (const run of ['.'.repeat(100_000), '."'.repeat(50_000)]) {
    const ms = cpuMsOf(() => chunkMarkdown(`A tide ${run}x`));
    assert.ok(ms < 1_500, `took ${ms} ms`);
  }
});
