import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { quotablesOf } from './quotable.ts';
import { textOf, windowAround } from './windows.ts';

/** The quotation that grows from the sentence with `words`, where no word of the question stands anywhere else. */
function grownFrom(markdown: string, words: string): string | null {
  const quotables = quotablesOf(markdown);
  const place = quotables.findIndex(({ start, end }) => markdown.slice(start, end).includes(words));
  const window = windowAround(quotables, place, (at) => (at === place ? 1 : 0));
  return window === null ? null : textOf(markdown, window).text;
}

const long = 'This sentence only fills the paragraph so that it is a long one. '.repeat(9).trim();

describe('windowAround', () => {
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
