import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { extractHtml } from '../extract-html.ts';

const PROSE =
  '<p>The harbour master keeps a careful log of every ship that passes the lock, with its length.</p>';
const read = (html: string): string =>
  extractHtml(`<title>The lock</title>${html}`, 'https://example.org/').markdown;

describe('text that a page conceals', () => {
  test('is not kept when a rule hides it, not even within a paragraph', () => {
    const text = read(
      `<style>.x{display:none}</style>${PROSE}<p>It opens at eight<span class="x"> and lies</span>.</p>`,
    );
    assert.match(text, /It opens at eight\./);
  });

  test('is kept when it is most of the page, since a script shows it', () => {
    assert.match(
      read(`<style>.x{display:none}</style><p>Loading</p><div class="x">${PROSE}</div>`),
      /careful log/,
    );
  });

  test('is kept when a click opens it', () => {
    const rule = '<style>.x{display:none}</style>';
    assert.match(
      read(`${rule}${PROSE}<div class="x faq-text"><p>It opens at eight.</p></div>`),
      /opens at eight/,
    );
    assert.match(
      read(
        `${rule}${PROSE}<a aria-controls="b">More</a><div class="x" id="b"><p>It opens at eight.</p></div>`,
      ),
      /opens at eight/,
    );
  });

  test('is not kept in a dialog over the page, unless there is nothing else', () => {
    const dialog = `<div role="dialog" aria-modal="true"><p>We use cookies.</p>${PROSE}</div>`;
    assert.doesNotMatch(read(dialog + PROSE + PROSE), /cookies/);
    assert.match(read(`${dialog}<p>Loading</p>`), /cookies/);
  });
});
