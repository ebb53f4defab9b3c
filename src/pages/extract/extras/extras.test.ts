import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { extractWithExtras } from '../extract-html.ts';
import { SELECTOR_CHARS_MAX, type Selector, validateSelector } from '../selector.ts';
import type { ExtrasRequest, FieldMapping, PageExtras, Selection } from './map-fields.ts';

const WADERS =
  'The sanderling runs along the edge of the surf and picks small animals out of the wet sand. '.repeat(8);
const PAGE = `<!doctype html><html lang="en"><head><title>Waders</title><meta property="og:title" content="All waders">
<meta name="description" content="Birds &amp; beaches"><style>p{}</style></head><body>
<nav class="menu"><a href="/home">Home</a> <a href="/news">News</a></nav>
<main><article><h1 onclick="steal()">Waders</h1><p class="lead" style="color:red">${WADERS}</p>
<p id="second">${WADERS}<a href="/dunlin?a=1&amp;b=2">the dunlin</a></p>
<img src="tiny.gif" data-src="/bird.jpg" srcset="/small.jpg 1x" alt="A bird"><script>track()</script>
<table class="prices"><tr><th>Bird</th><td data-price="12">12 "or" &lt;13&gt;</td></tr></table>
<p hidden>secret</p><a href="javascript:alert(1)">run</a></article></main>
<footer>Imprint of <b>the society</b></footer></body></html>`;
const URL_ = 'https://birds.example/guide/waders';

function selector(text: string): Selector {
  const read = validateSelector(text);
  assert.ok(typeof read === 'string', `${text} ${JSON.stringify(read)}`);
  return read;
}

const part = (parts: { include?: string[]; exclude?: string[]; whole?: boolean }): Selection => ({
  include: (parts.include ?? []).map(selector),
  exclude: (parts.exclude ?? []).map(selector),
  whole: parts.whole ?? false,
});

function extras(wanted: Partial<ExtrasRequest>, html = PAGE): PageExtras {
  const { extras: taken } = extractWithExtras(html, URL_, { selection: null, ...wanted });
  assert.ok(taken !== undefined);
  return taken;
}

describe('a selection', () => {
  test('absent: the Markdown is that of the article', () => {
    const { article, extras: taken } = extractWithExtras(PAGE, URL_, { selection: null });
    assert.equal(taken?.markdown, article.markdown);
    assert.match(article.markdown, /sanderling/);
    assert.doesNotMatch(article.markdown, /Imprint|News/);
  });

  test('whole: menus and footers too, but nothing that is hidden', () => {
    const { markdown } = extras({ selection: part({ whole: true }) });
    for (const text of [/News/, /Imprint of \*\*the society\*\*/, /sanderling/]) assert.match(markdown, text);
    assert.doesNotMatch(markdown, /secret|track/);
  });

  test('include: what the elements hold, in page order, whatever the main content is', () => {
    const { markdown } = extras({ selection: part({ include: ['footer', 'nav.menu', 'h1'] }) });
    assert.equal(
      markdown,
      '[Home](https://birds.example/home) [News](https://birds.example/news)\n\n# Waders\n\nImprint of **the society**',
    );
  });

  test('include: one inline element of a paragraph', () => {
    assert.equal(extras({ selection: part({ include: ['footer b'] }) }).markdown, '**the society**');
  });

  test('exclude: leaves out of the main content, and out of what is included', () => {
    const less = extras({ selection: part({ exclude: ['#second', '.prices'] }) }).markdown;
    assert.match(less, /sanderling/);
    assert.doesNotMatch(less, /dunlin|Bird \|/);
    assert.equal(extras({ selection: part({ include: ['footer'], exclude: ['b'] }) }).markdown, 'Imprint of');
  });

  test('the article stays the same whatever was selected', () => {
    const { article } = extractWithExtras(PAGE, URL_, { selection: part({ include: ['footer'] }) });
    assert.equal(article.markdown, extractWithExtras(PAGE, URL_, null).article.markdown);
  });
});

describe('html', () => {
  test('runs nothing, and its addresses are absolute', () => {
    const { html = '' } = extras({ selection: part({ include: ['article'] }), html: true });
    assert.doesNotMatch(html, /script|onclick|style|javascript:|secret|srcset/);
    assert.match(html, /^<main><article><h1>Waders<\/h1>/);
    assert.match(html, /<a href="https:\/\/birds\.example\/dunlin\?a=1&amp;b=2">the dunlin<\/a>/);
    assert.match(html, /<img src="https:\/\/birds\.example\/bird\.jpg" alt="A bird">/);
    assert.match(html, /<td>12 &quot;or&quot; &lt;13&gt;<\/td>/);
  });

  test('of the main content has no menu; rawHtml is the source', () => {
    const { html = '', rawHtml } = extras({ html: true, rawHtml: true });
    assert.match(html, /sanderling/);
    assert.doesNotMatch(html, /<nav|Imprint/);
    assert.equal(rawHtml, PAGE);
  });

  test('white space in code stays as it is', () => {
    const page = `<main><h1>Code</h1><p>${WADERS}</p><pre><code>if (a &lt; b)\n\n  <b>go</b>\n</code></pre></main>`;
    const { html = '' } = extras({ selection: part({ include: ['pre'] }), html: true }, page);
    assert.equal(html, '<main><pre><code>if (a &lt; b)\n\n  <b>go</b>\n</code></pre></main>');
  });

  test('names that are not names of elements or attributes are left out', () => {
    const page = '<main><p>One <a"b c>two</a"b></p><p x"y=1 id="z">three</p></main>';
    const { html = '' } = extras({ selection: part({ whole: true }), html: true }, page);
    assert.equal(html, '<main><p>One two</p><p id="z">three</p></main>');
  });
});

describe('lists', () => {
  test('links of the page, or only those of the selection', () => {
    const { links } = extras({ links: 'page' });
    assert.deepEqual(links, [
      { url: 'https://birds.example/home', text: 'Home' },
      { url: 'https://birds.example/news', text: 'News' },
      { url: 'https://birds.example/dunlin?a=1&b=2', text: 'the dunlin' },
    ]);
    assert.deepEqual(
      extras({ selection: part({ include: ['nav'], exclude: ['a:last-child'] }), links: 'selection' }).links,
      [{ url: 'https://birds.example/home', text: 'Home' }],
    );
  });

  test('images with their texts, wherever a lazy page keeps the address', () => {
    const { images } = extras({ images: 'page' });
    assert.deepEqual(images, [{ url: 'https://birds.example/bird.jpg', alt: 'A bird' }]);
    assert.deepEqual(extras({ selection: part({ include: ['nav'] }), images: 'selection' }).images, []);
  });

  test('attributes of elements anywhere on the page', () => {
    const wanted = [
      { selector: selector('td'), attribute: 'data-Price' },
      { selector: selector('a[href^="/"]'), attribute: 'href' },
      { selector: selector('td'), attribute: 'constructor' },
    ];
    assert.deepEqual(extras({ selection: part({ include: ['h1'] }), attributes: wanted }).attributes, [
      ['12'],
      ['/home', '/news', '/dunlin?a=1&b=2'],
      [],
    ]);
  });
});

describe('fields', () => {
  const SHOP = `<main><h1> The  shop </h1><ul>
<li class="bird"><a href="/dunlin"><b>Dunlin</b></a> <i>1,299.50 EUR</i><em>sold out</em></li>
<li class="bird"><a href="/knot"><b>Knot</b></a> <i>1.299,50 EUR</i></li>
<li class="bird"><b>Ruff</b> <i>1,299</i></li><li class="bird"><b>Stint</b> <i>price on request</i></li></ul></main>`;
  const text = (name: string, attribute: string | null = null) =>
    ({ kind: 'text', selector: selector(name), attribute }) as const;

  test('of a list of objects, each looked up within its own element', () => {
    const fields: FieldMapping = {
      kind: 'object',
      selector: null,
      fields: {
        title: text('h1'),
        missing: text('h6'),
        birds: {
          kind: 'list',
          selector: selector('li.bird'),
          items: {
            kind: 'object',
            selector: null,
            fields: {
              name: text('b'),
              url: text('a', 'href'),
              price: { kind: 'number', selector: selector('i'), attribute: null },
              sold: { kind: 'boolean', selector: selector('em') },
            },
          },
        },
      },
    };
    assert.deepEqual(extras({ fields }, SHOP).fields, {
      title: 'The shop',
      missing: null,
      birds: [
        { name: 'Dunlin', url: 'https://birds.example/dunlin', price: 1_299.5, sold: true },
        { name: 'Knot', url: 'https://birds.example/knot', price: 1_299.5, sold: false },
        { name: 'Ruff', url: null, price: 1_299, sold: false },
        { name: 'Stint', url: null, price: null, sold: false },
      ],
    });
  });

  test('a list of texts; whole numbers are cut', () => {
    const items = { kind: 'text', selector: null, attribute: null } as const;
    const names = { kind: 'list', selector: selector('li b'), items } as const;
    assert.deepEqual(extras({ fields: names }, SHOP).fields, ['Dunlin', 'Knot', 'Ruff', 'Stint']);
    const whole = { kind: 'integer', selector: selector('i'), attribute: null } as const;
    assert.equal(extras({ fields: whole }, SHOP).fields, 1_299);
  });

  test('a page has at most 20,000 values', () => {
    const page = `<main>${'<p>x</p>'.repeat(1_500)}</main>`;
    const items = { kind: 'text', selector: null, attribute: null } as const;
    const list = { kind: 'list', selector: selector('p'), items } as const;
    const fields = Object.fromEntries(Array.from({ length: 30 }, (_, at) => [`list${at}`, list]));
    const taken = extras({ fields: { kind: 'object', selector: null, fields } }, page).fields;
    const read = JSON.stringify(taken).match(/"x"/g) ?? [];
    assert.ok(read.length > 19_000 && read.length <= 20_000, String(read.length));
  });
});

describe('a selector', () => {
  test('that cannot be read is refused with its problem', () => {
    assert.deepEqual(validateSelector('p['), { problem: 'is not a valid CSS selector' });
    assert.deepEqual(validateSelector('//p'), { problem: 'is not a valid CSS selector' });
    assert.deepEqual(validateSelector(' '), { problem: 'is empty' });
    assert.deepEqual(validateSelector('a'.repeat(SELECTOR_CHARS_MAX + 1)), {
      problem: 'has over 500 characters',
    });
  });

  for (const [text, found] of [
    ['main > article > p:nth-of-type(2) a', 'the dunlin'],
    ['h1 + p', WADERS.trim()],
    ['footer:has(b) b', 'the society'],
    [':root footer b:not(.x)', 'the society'],
  ] as const)
    test(`${text} finds its element`, () => {
      const { html = '' } = extras({ selection: part({ include: [text] }), html: true });
      assert.ok(html.replace(/<[^>]+>/g, '').trim() === found, html);
    });
});
