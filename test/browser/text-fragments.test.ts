import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { Browser, Page } from 'puppeteer-core';
import { readFormat } from '../../src/pages/formats/read-format.ts';
import { chunkMarkdown } from '../../src/text/chunk/chunk-markdown.ts';
import { buildTextFragmentLink } from '../../src/text/citations/text-fragment.ts';
import { type FakeWeb, startWeb } from '../fixtures/web.ts';
import { openTab, startBrowser, WITHOUT_BROWSER } from './chromium.ts';
import { followFragment, prepareTab } from './follow-fragment.ts';

const FILLER = Array.from(
  { length: 6 },
  (_, place) =>
    `Waders of the ${['northern', 'southern', 'eastern', 'western', 'inner', 'outer'][place]} shore rest above the tide line, where nobody walks before the tide has turned again.`,
).join(' ');

/** What pages are made of, each with the words that begin its quotation. */
const PIECES: Record<string, { html: string; quotation: RegExp }> = {
  'a callout': {
    html: '<div class="admonition note"><p class="admonition-title">Note</p><p>Fees for the ferry are due before the gate opens.</p></div>',
    quotation: /> \[!NOTE\][\s\S]*gate opens\./,
  },
  'a bare address': {
    html: '<p>Tickets are sold on <a href="https://ferry.example.com/tickets">https://ferry.example.com/tickets</a> all year.</p>',
    quotation: /Tickets are sold[^\n]*all year\./,
  },
  'an address alone': {
    html: '<p><a href="https://ferry.example.com/winter">https://ferry.example.com/winter</a> lists the departures of the cold months.</p>',
    quotation: /<?https:\/\/ferry\.example\.com\/winter[^\n]*months\./,
  },
  'a definition list': {
    html: '<dl><dt>Knot</dt><dd>A small wader that breeds in the far north.</dd><dt>Ruff</dt><dd>A wader whose males wear a collar.</dd></dl>',
    quotation: /-[^\n]*Knot[\s\S]*collar\./,
  },
  'a definition list of names in code with types': {
    html: '<dl><dt><code>max_birds_kept</code> (<code>integer</code>)</dt><dd><p>The most birds that one ringer keeps in hand.</p></dd></dl>',
    quotation: /-[^\n]*max_birds_kept[\s\S]*in hand\./,
  },
  'terms without definitions': {
    html: '<dl><dt><a href="/a">ringing_count</a> — count all the rings of a year</dt><dt><a href="/b">ringing_list</a> — list rings by their colour</dt></dl>',
    quotation: /[^\n]*ringing_count[\s\S]*colour/,
  },
  'a table': {
    html: '<table><thead><tr><th>Species</th><th>Eggs laid</th></tr></thead><tbody><tr><td>Turnstone</td><td>four eggs each</td></tr><tr><td>Oystercatcher</td><td>three eggs each</td></tr></tbody></table>',
    quotation: /\| Species[\s\S]*three eggs each \|/,
  },
  'cells of several lines': {
    html: '<table><thead><tr><th><p>Column type</p><p>Meaning of it</p></th></tr></thead><tbody><tr><td><p><code>ringer</code> <code>name</code></p><p>Name of the person that ringed the bird</p></td></tr></tbody></table>',
    quotation: /\| Column type[\s\S]*ringed the bird \|/,
  },
  'code with spaces that count': {
    html: '<pre><code>count = 1      # the first bird\nfor ring in rings:\n    count  +=  ring.weight</code></pre>',
    quotation: /count = 1[\s\S]*ring\.weight/,
  },
  'the second of two listings that begin alike': {
    html: '<p>For example:</p><pre>import shore\nshore.open("north")</pre><p>And when the tide is high, for example:</p><pre>import shore\nshore.close("everything at once")</pre>',
    quotation: /import shore\nshore\.close\("everything at once"\)/,
  },
  'a part of a listing': {
    html: "<pre>postgres=# SELECT * FROM count_all_birds('north', **rest);\n count\n-------\n  1204\n(1 row)</pre>",
    quotation: /postgres=# SELECT[\s\S]*1204/,
  },
  'lists within lists': {
    html: '<ul><li>Birds of the mud<ul><li>Dunlin in winter</li><li>Redshank all year</li></ul></li><li>Birds of the rock</li></ul>',
    quotation: /- Birds of the mud[\s\S]*Birds of the rock/,
  },
  'a list of links': {
    html: '<p>Read on about them:</p><ul><li><a href="/one">Moult of the waders</a></li><li><a href="/two">Food of the waders</a></li><li><a href="/three">Flocks of the waders</a></li></ul>',
    quotation: /- \[Moult[\s\S]*Flocks of the waders\]\([^)]*\)/,
  },
  'spaces that do not break and soft hyphens': {
    html: '<p>It weighs 140&nbsp;g and is an ex&shy;tra&shy;or&shy;di&shy;nary&nbsp;flier over the sea.</p>',
    quotation: /It weighs[^\n]*sea\./,
  },
  'raised and lowered signs': {
    html: '<p>The CO<sub>2</sub> of 10<sup>6</sup> birds is less than that of a ferry<sup>a</sup> in a day.</p>',
    quotation: /The CO[^\n]*day\./,
  },
  'a picture at the end': {
    html: '<p>The collar of the ruff differs from bird to bird.</p><p><img src="/ruff.png" alt="Three ruffs with collars of different colours" width="400" height="300"></p>',
    quotation: /The collar of the ruff[\s\S]*\)/,
  },
  'lines broken by hand': {
    html: '<p>Harbour office<br>Lamp street 4<br>open from nine to noon</p>',
    quotation: /Harbour office[\s\S]*noon/,
  },
  'marks of emphasis': {
    html: '<p>Do <em>not</em> feed <strong>any</strong> bird <code>**kwargs</code> and &lt;b&gt; of the <a href="/c">colony</a> at night.</p>',
    quotation: /Do [^\n]*night\./,
  },
  'another script': {
    html: '<p>鳥は干潟で食べ物を探す。潮が引くと集まる。</p>',
    quotation: /鳥は[^\n]*集まる。/,
  },
};

describe('links to quotations, followed by Chromium', { skip: WITHOUT_BROWSER }, () => {
  let browser: Browser;
  let page: Page;
  let web: FakeWeb;
  const html = (pieces: string): string =>
    `<!doctype html><html lang="en"><title>Birds of the shore</title><body><main><h1>Birds of the shore</h1><p>${FILLER}</p>${pieces}<p>${FILLER}</p></main></body></html>`;
  const pages: Record<string, string> = {
    '/all': html(
      Object.entries(PIECES)
        .map(([what, piece]) => `<h2>On ${what}</h2>${piece.html}`)
        .join('\n'),
    ),
    ...Object.fromEntries(
      Object.values(PIECES).map((piece, place) => [`/${place}`, html(`<h2>Next</h2>${piece.html}`)]),
    ),
  };
  const follow = (link: string, quotation: string): Promise<boolean> =>
    followFragment(page, { link, quotation });

  before(async () => {
    web = await startWeb({ routes: pages });
    browser = await startBrowser();
    ({ page } = await openTab(browser));
    await prepareTab(page);
  });
  after(async () => {
    await browser.close();
    await web.close();
  });

  for (const [place, [what, { quotation }]] of Object.entries(PIECES).entries())
    test(what, async () => {
      const path = `/${place}`;
      const url = `${web.origin}${path}`;
      const { markdown } = readFormat('html', pages[path] ?? '', url);
      const found = quotation.exec(markdown);
      assert.ok(found, markdown);
      const span = { start: found.index, end: found.index + found[0].length };
      const link = buildTextFragmentLink(url, markdown, span);
      assert.ok(await follow(link, found[0]), `${link}\n${found[0]}`);
    });

  test('every passage of a page with all of them', async () => {
    const url = `${web.origin}/all`;
    const { markdown } = readFormat('html', pages['/all'] ?? '', url);
    const missed: string[] = [];
    for (const { start, end } of chunkMarkdown(markdown)) {
      const link = buildTextFragmentLink(url, markdown, { start, end });
      if (!(await follow(link, markdown.slice(start, end))))
        missed.push(`${link}\n${markdown.slice(start, end)}`);
    }
    assert.deepEqual(missed, []);
  });

  test('a text that the page does not hold is not found', async () => {
    const url = `${web.origin}/all`;
    const quotation = 'Nothing of the kind was ever said about these birds.';
    const link = buildTextFragmentLink(url, quotation, { start: 0, end: quotation.length });
    assert.equal(await follow(link, quotation), false);
  });
});
