import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { extractHtml } from '../extract-html.ts';

const PROSE = `<p>${'The keeper trims the wick before dusk and again at midnight. '.repeat(12)}</p>`;

/** A page of a manual whose theme writes the name of the manual as the first heading. */
const page = (head: string, body: string): string =>
  `<!doctype html><html><head>${head}</head><body><div id="hd">${body}</div></body></html>`;

const titleOf = (html: string): string => extractHtml(html, 'https://docs.a.example/ref/lamp.html').title;

describe('the title of a page whose theme has a heading', () => {
  const theme = '<h1><a href="../index.html">Lamp 3.2 manual</a></h1><a href="/">Home</a></div>';

  test('is the one of its text, not the name of the manual', () => {
    const html = page(
      '<title>Lamp settings &#8212; Lamp 3.2 manual</title>',
      `${theme}<div class="section"><h1>Settings<a href="#settings">¶</a></h1>${PROSE}`,
    );
    assert.equal(titleOf(html), 'Lamp settings');
  });

  test('is its heading where no other title is declared', () => {
    const html = page('', `${theme}<div class="section"><h1>Settings</h1>${PROSE}`);
    assert.equal(titleOf(html), 'Settings');
  });

  test('is declared where its text begins with a lesser heading', () => {
    const html = page(
      '<title>Trimming | Lamp 3.2 manual</title>',
      `${theme}<div class="section"><h2>Trimming the wick</h2>${PROSE}`,
    );
    assert.equal(titleOf(html), 'Trimming');
  });

  test('stays the only heading of a start page', () => {
    const html = page('<title>Lamp 3.2 manual</title>', `${theme}<div class="section">${PROSE}`);
    assert.equal(titleOf(html), 'Lamp 3.2 manual');
  });

  test('the heading of the theme is not part of the text', () => {
    const html = page('', `${theme}<div class="section"><h1>Settings</h1>${PROSE}`);
    const { markdown } = extractHtml(html, 'https://docs.a.example/ref/lamp.html');
    assert.match(markdown, /^# Settings\n/);
  });
});
