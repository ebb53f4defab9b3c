import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createFootnotes } from './writing.ts';

const PAGE = 'https://example.org/a,b';

const links: [link: string, footnote: string][] = [
  [
    `${PAGE}#:~:text=one%20two%20three%20four%20five,the%20end%2E`,
    '[1] #:~:text=one%20two%20three%20four%20five',
  ],
  // Three words may occur elsewhere: the end stays.
  [`${PAGE}#:~:text=one%20two%20three,the%20end%2E`, '[1] #:~:text=one%20two%20three,the%20end%2E'],
  [`${PAGE}#:~:text=Library,Environment`, '[1] #:~:text=Library,Environment'],
  [`${PAGE}#top:~:text=Knot`, '[1] #top:~:text=Knot'],
  ['https://other.org/#:~:text=Knot', '[1] https://other.org/#:~:text=Knot'],
];
for (const [link, footnote] of links)
  test(link, () => {
    const footnotes = createFootnotes();
    assert.equal(footnotes.mark(link, PAGE), '[1]');
    assert.equal(footnotes.text(), `Links to passages (add to the page's URL):\n${footnote}`);
  });

test('without links there are no footnotes', () => {
  const footnotes = createFootnotes();
  assert.equal(footnotes.mark('', PAGE), '');
  assert.equal(footnotes.mark(PAGE, PAGE), '');
  assert.equal(footnotes.text(), '');
});
