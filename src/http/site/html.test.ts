import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { Parser } from 'htmlparser2';
import { Html, html } from './html.ts';

test('markup is kept, text is escaped, lists are joined, null and false are omitted', () => {
  const items = ['a', '<b>'].map((item) => html`<li>${item}</li>`);
  assert.equal(
    html`<ul title="${'"'}">${items}</ul>${null}${false}${0}`.text,
    '<ul title="&quot;"><li>a</li><li>&lt;b&gt;</li></ul>0',
  );
});

test('any text survives parsing, in an element and in either kind of quotes', () => {
  const hostile = fc.oneof(
    fc.string(),
    fc
      .array(fc.constantFrom('<', '>', '"', "'", '&', '&lt;', '</p>', '<script>', 'x', '=', ' '))
      .map((signs) => signs.join('')),
  );
  fc.assert(
    fc.property(hostile, (text) => {
      const read = readBack(html`<p title="${text}" id='${text}'>${text}</p>`);
      assert.deepEqual(read, { elements: 1, title: text, id: text, text });
    }),
  );
});

test('nested lists are joined', () => {
  assert.equal(html`${[['a'], [new Html('<br>'), null]]}`.text, 'a<br>');
});

function readBack(page: Html): Record<string, unknown> {
  const read = { elements: 0, title: '', id: '', text: '' };
  const parser = new Parser({
    onopentag(_name, { title = '', id = '' }) {
      Object.assign(read, { elements: read.elements + 1, title, id });
    },
    ontext(text) {
      read.text += text;
    },
  });
  parser.end(page.text);
  return read;
}
