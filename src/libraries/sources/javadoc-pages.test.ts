import assert from 'node:assert/strict';
import { test } from 'node:test';
import { cleanJavadoc } from './javadoc-pages.ts';

test('summaries that the details repeat are cut, and signatures become code', () => {
  const page = `<p>About.</p><section class="method-summary" id="s"><h2>Method Summary</h2></section>
<section class="details"><div class="member-signature"><span>void</span> add(<a href="x">Boolean</a> b)</div><p>Adds.</p></section>`;
  assert.equal(
    cleanJavadoc(page),
    `<p>About.</p>
<section class="details"><pre><code class="language-java"><span>void</span> add(<a href="x">Boolean</a> b)</code></pre><p>Adds.</p></section>`,
  );
});

test('pages of old generators too', () => {
  const page =
    '<p>About.</p><!-- ==== METHOD SUMMARY ==== --><ul>add</ul><!-- === METHOD DETAIL === --><h4>add</h4>';
  assert.equal(cleanJavadoc(page), '<p>About.</p><!-- === METHOD DETAIL === --><h4>add</h4>');
});

test('without details the summary is all there is', () => {
  const page = '<section class="method-summary"><p>add</p></section>';
  assert.equal(cleanJavadoc(page), page);
});
