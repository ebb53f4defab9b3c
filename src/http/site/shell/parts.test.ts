import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { html } from '../html.ts';
import { renderCodeBlock, renderEmptyState, renderTabs } from './parts.ts';

describe('the parts of pages', () => {
  test('a code block shows its code as text, and its button names what it copies', () => {
    const { text } = renderCodeBlock({ id: 'a', label: 'curl', code: "curl -d '<b>'" });
    assert.match(
      text,
      /<code id="a">curl -d &apos;&lt;b&gt;&apos;<\/code>|<code id="a">curl -d '&lt;b&gt;'<\/code>/,
    );
    assert.match(text, /data-copy="a" aria-label="Copy curl"/);
  });

  test('tabs are radio buttons of one group, the first of them chosen, each before its panel', () => {
    const panels = ['One', 'Two'].map((title) => ({ title, body: html`<p>${title}.</p>` }));
    const { text } = renderTabs({ name: 'n', legend: 'Both', panels });
    assert.equal(text.match(/type="radio" name="n"/g)?.length, 2);
    assert.equal(text.match(/ checked/g)?.length, 1);
    assert.match(text, /id="n-2"><label for="n-2">Two<\/label><div class="tab-panel"><p>Two\.<\/p><\/div>/);
  });

  test('an empty state has a title, a text and perhaps a way on', () => {
    const plain = renderEmptyState({ title: 'None', text: html`They appear <b>here</b>.` });
    assert.match(plain.text, /None.*They appear <b>here<\/b>\./);
    const withAction = renderEmptyState({ title: 'None', text: html`t`, action: html`<a href="/">Go</a>` });
    assert.match(withAction.text, /<a href="\/">Go<\/a>/);
  });
});
