import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { findQuotables } from './quotable.ts';
import { addSection, buildWindowText, growWindow } from './windows.ts';

/** The quotation that grows from the sentence with `words`, where no word of the question stands anywhere else. */
function grownFrom(markdown: string, words: string, isProse = false): string | null {
  const quotables = findQuotables(markdown);
  const place = quotables.findIndex(({ start, end }) => markdown.slice(start, end).includes(words));
  const window = growWindow(quotables, place, { worth: (at) => (at === place ? 1 : 0), isProse });
  return window === null ? null : buildWindowText(markdown, window).text;
}

const long = 'This sentence only fills the paragraph so that it is a long one. '.repeat(9).trim();

describe('growWindow', () => {
  it('adds to a short paragraph the next one of its section, but none of another section', () => {
    const called = 'Called at the beginning of a request.';
    const ends = 'It ends with one of the following keywords.';
    const page = ['## recv', called, ends, '## send', 'Called before a response is sent.'].join('\n\n');
    assert.equal(grownFrom(page, 'the beginning'), `${called}\n\n${ends}`);
  });

  it('does not join long paragraphs', () => {
    const page = ['## recv', `The first. ${long}`, `The second. ${long}`].join('\n\n');
    assert.doesNotMatch(grownFrom(page, 'The second.') ?? '', /The first\./);
  });

  it('adds whole code that its last sentence announces', () => {
    const code = '```sh\ntern keys make\n```';
    const page = ['Keys are random. Make one with this command:', code, 'It is printed.'].join('\n\n');
    assert.equal(
      grownFrom(page, 'Keys are random'),
      `Keys are random. Make one with this command:\n\n${code}`,
    );
  });

  it('does not add long code, nor code that is left open', () => {
    const lead = 'Keys are random. Make one with this command:';
    const code = `\`\`\`sh\n${'tern keys make --again\n'.repeat(40)}\`\`\``;
    assert.equal(grownFrom([lead, code].join('\n\n'), 'Keys are random'), lead);
    assert.equal(grownFrom([lead, '```sh\ntern keys make'].join('\n\n'), 'Keys are random'), lead);
  });

  it('adds a bold line to what it is the title of, and never ends with the title of something else', () => {
    const [asked, answered] = ['**(12) The file did not get smaller.**', 'Free pages are used again later.'];
    const next = '**(13) May I sell copies?**';
    const page = ['# Questions', asked, answered, next, 'You may.'].join('\n\n');
    assert.equal(grownFrom(page, 'Free pages'), `${asked}\n\n${answered}`);
  });

  it('prefers the sentence that a word such as "It" refers back to', () => {
    const page = `The tern shell reads commands. It ends with the input. Colours are set elsewhere. ${long}`;
    assert.match(grownFrom(page, 'It ends') ?? '', /^The tern shell reads commands\. It ends/);
  });
});

describe('growWindow in prose', () => {
  it('adds one neighbour, the one with more of the question', () => {
    const page =
      'It was built early. The bridge opened in May. It has four lanes. Ships pass below it. Boats too.';
    assert.equal(grownFrom(page, 'opened in May', true)?.match(/\./g)?.length, 2);
    assert.ok(
      (grownFrom(page, 'opened in May') ?? '').includes('Ships pass'),
      'a manual keeps the paragraph',
    );
  });
});

describe('addSection', () => {
  /** What is quoted of a page for a window that is the sentence with `words`. */
  function quotedWith(markdown: string, words: string): string {
    const quotables = findQuotables(markdown);
    const best = quotables.find(({ start, end }) => markdown.slice(start, end).includes(words));
    if (best === undefined) throw new Error(`nothing says ${words}`);
    return buildWindowText(markdown, addSection(markdown, quotables, { best, first: best, last: best })).text;
  }

  it('goes on to the end of the section, then back to its beginning', () => {
    const [before, own, after] = ['The account must exist.', 'Remove it with `tern rm`.', 'Or lock it.'];
    const page = ['## Other', 'Elsewhere.', '## Users', before, own, after, '## Groups', 'Later.'].join(
      '\n\n',
    );
    assert.equal(quotedWith(page, 'tern rm'), [before, own, after].join('\n\n'));
  });

  it('takes whole code along, and stops before code that is left open, a table or the name of something else', () => {
    const code = '```sh\ntern lock user\n```';
    assert.equal(quotedWith(['Lock it.', code].join('\n\n'), 'Lock it'), `Lock it.\n\n${code}`);
    for (const stop of ['```sh\ntern lock user', '| a | b |\n| --- | --- |\n| c | d |', '**(2) Why?**'])
      assert.equal(quotedWith(['Lock it.', stop].join('\n\n'), 'Lock it'), 'Lock it.');
  });

  it('begins with the heading that names an entry, and not with one of prose', () => {
    const told = ['Removes the folder.', 'Its files go first.'];
    const entry = ['## `rmtree(path)`', ...told].join('\n\n');
    assert.equal(quotedWith(`${entry}\n\n## \`walk(path)\`\n\nVisits all.`, 'files go'), entry);
    assert.equal(quotedWith(['## Folders', ...told].join('\n\n'), 'files go'), told.join('\n\n'));
  });

  it('stays within the entry of a list', () => {
    const own = '- **idle** (integer)\n\n  Closes what is idle.\n\n  The default is 90.';
    const page = ['## Settings', own, '- **size** (integer)\n\n  The size of a page.'].join('\n\n');
    assert.equal(quotedWith(page, 'default is 90'), own);
  });

  it('never makes a quotation longer than a highlight', () => {
    const page = ['## Users', 'Lock it.', ...Array.from({ length: 9 }, () => long.slice(0, 194))].join(
      '\n\n',
    );
    const { length } = quotedWith(page, 'Lock it');
    assert.ok(length > 500 && length <= 700, String(length));
  });

  it('quotes a row of a table as it is', () => {
    const page = '| a | b |\n| --- | --- |\n| lock | it |\n| free | it |\n\nBoth work.';
    assert.equal(quotedWith(page, 'lock'), '| a | b |\n| --- | --- |\n| lock | it |');
  });
});
