/** A page made to be costly. */
export type HostilePage = { name: string; type: string; body: Buffer };

const HTML = 'text/html; charset=utf-8';
const VARIANTS = 4;
/** Characters of the smallest page; each variant has three times as many as the one before. A further variant would take more than 1 GB. */
const CHARS_MIN = 9_000;

/** At least 200 pages: each kind in four sizes, up to about 240,000 characters. */
export function hostilePages(): HostilePage[] {
  return Array.from({ length: VARIANTS }, (_, variant) => {
    const chars = CHARS_MIN * 3 ** variant;
    const repeated = (unit: string): string => unit.repeat(Math.ceil(chars / unit.length));
    return [
      ...TAGS.flatMap((tag) => [
        html(`<${tag}> unclosed`, repeated(`<${tag}>x`)),
        html(`<${tag} without an end`, repeated(`<${tag} a=b `)),
      ]),
      ...UNITS.map(([name, unit]) => html(name, repeated(unit))),
      ...framed(repeated),
      ...encoded(repeated),
    ].map((page) => ({ ...page, name: `${page.name}, ${chars} characters` }));
  }).flat();
}

const TAGS = 'div p b a ul table blockquote pre code svg noscript script style template head h1 math'.split(
  ' ',
);

const UNITS: [name: string, unit: string][] = [
  ['spaces', ' '],
  ['line breaks', '\n \t'],
  ['words without a sentence', 'word '],
  ['one endless line', 'a'],
  ['entities', '&amp;&lt;&#x41;'],
  ['entities without an end', '&#x4'],
  ['comments without an end', '<!-- <!- '],
  ['CDATA', '<![CDATA[x]] >'],
  ['doctypes', '<!DOCTYPE html PUBLIC '],
  ['links', '<a href="/p?a=1">l</a> '],
  ['inputs', '<input type="text" '],
  ['nested lists', '<ul><li>x'],
  ['nested tables', '<table><tr><td>x'],
  ['nested quotes', '<blockquote><p>x'],
  ['table cells', '<td>x</td>'],
  ['definition lists', '<dl><dt>x¶[source]<dd>y'],
  ['brackets', '[]('],
  ['escaped brackets', '\\[\\](\\('],
  ['stars', '**a*_b~~'],
  ['backticks', '``a`'],
  ['less-than signs', '< < <'],
  ['numbers', "000'000,000.0"],
  ['dates', '1 January 2020 - '],
  ['footnotes', '<a href="#f1">↩</a><sup id="f1">1</sup>'],
];

const html = (name: string, content: string): HostilePage => ({
  name,
  type: HTML,
  body: Buffer.from(`<!doctype html><title>Page</title><main><p>Some words.</p>${content}`),
});

type Repeated = (unit: string) => string;

/** Repetitions within one element, attribute or declaration. */
function framed(repeated: Repeated): HostilePage[] {
  return [
    html('one paragraph of spaces', `<p>x${repeated(' ')}x</p>`),
    html('code of spaces', `<pre><code>x${repeated(' \t')}x</code></pre>`),
    html('an attribute', `<p class="${repeated('related ')}">x</p>`),
    html('a style', `<p style="${repeated('display:none;')}">x</p>`),
    html('a link of spaces', `<a href="${repeated(' /')}">x</a>`),
    html('JSON-LD', `<script type="application/ld+json">${repeated('[{"@type" : ')}</script>`),
    html('a title of separators', `<title>${repeated(' | - ')}</title>`),
    { name: 'comments before the page', type: 'text/plain', body: Buffer.from(repeated('<!---->')) },
  ];
}

/** Other formats and encodings. */
function encoded(repeated: Repeated): HostilePage[] {
  const page = (name: string, type: string, body: string | Buffer): HostilePage => {
    return { name, type, body: Buffer.from(body) };
  };
  return [
    page('NULs', HTML, `<p>words ${repeated('\0')}`),
    page('wrong bytes', HTML, Buffer.from(repeated('<p>\xff\xfe\x80'), 'latin1')),
    page('UTF-16 declared as UTF-8', HTML, Buffer.from(repeated('<p>wörter '), 'utf16le')),
    page('Markdown brackets', 'text/markdown', repeated('[[](')),
    page('Markdown badges', 'text/markdown', repeated('[](a)![')),
    page('Markdown fences', 'text/markdown', repeated('``` ` ')),
    page('deep JSON', 'application/json', repeated('[{"a":')),
    page('a feed', 'application/rss+xml', `<rss><channel>${repeated('<item><title>x<a>')}`),
    page('plain text of spaces', 'text/plain', `x${repeated(' ')}x`),
  ];
}
