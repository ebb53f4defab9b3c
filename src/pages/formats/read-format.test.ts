import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Failure } from '../../contract/errors.ts';
import { detectFormat } from './detect-format.ts';
import { readFormat } from './read-format.ts';

const bytes = (text: string): Uint8Array => Buffer.from(text, 'latin1');

describe('formatOf', () => {
  const cases: [type: string | null, url: string, body: string, format: string][] = [
    ['text/html; charset=utf-8', '/a', '<p>x', 'html'],
    [null, '/a', '<!DOCTYPE html><p>x', 'html'],
    ['application/octet-stream', '/a.html', '<html><p>x', 'html'],
    ['text/plain', '/a', ' <!-- c --><html><p>x', 'html'],
    ['text/plain', '/a.html', '<html><p>source on a code host', 'text'],
    ['text/plain', '/README.md', '# Title', 'markdown'],
    ['text/markdown', '/a', '# Title', 'markdown'],
    ['application/ld+json', '/a', '{}', 'json'],
    ['application/rss+xml', '/a', '<rss>', 'xml'],
    ['text/html', '/feed', '<?xml version="1.0"?><rss version="2.0">', 'xml'],
    ['text/plain', '/a.py', 'import os', 'text'],
    ['application/javascript', '/a.js', 'let a', 'text'],
    ['text/html', '/a', '%PDF-1.7', 'pdf'],
    ['application/octet-stream', '/a', 'PK\x03\x04', 'archive'],
    ['image/png', '/a', '\x89PNG\r\n', 'image'],
    ['image/svg+xml', '/a', '<svg>', 'svg'],
    ['message/rfc822', '/a', 'From: a', 'mail'],
    ['text/plain', '/a.mhtml', 'From: <Saved by Blink>', 'mail'],
    ['text/csv; charset=utf-8', '/a', 'a,b', 'csv'],
    ['text/plain', '/a.tsv', 'a\tb', 'csv'],
    ['text/vtt', '/a', 'WEBVTT', 'subtitles'],
    [null, '/a', 'WEBVTT\n\n', 'subtitles'],
    ['text/plain', '/a.ipynb', '{"cells":[]}', 'json'],
  ];
  for (const [type, path, body, format] of cases)
    test(`${type} ${path} ${body.slice(0, 20)} is ${format}`, () =>
      assert.equal(detectFormat(bytes(body), type, `https://e.org${path}`), format));

  const refused: [type: string, body: string, named: RegExp][] = [
    ['video/mp4', '\x00\x00\x00\x18ftypmp42', /video\/mp4/],
    ['application/zip', 'whatever', /application\/zip/],
    ['application/msword', '{\\rtf1 x}', /RTF; save it as DOCX or PDF/],
    ['application/vnd.ms-outlook', '\xd0\xcf\x11\xe0', /Outlook message.* EML/],
    ['application/vnd.ms-excel', '\xd0\xcf\x11\xe0', /older Office file \(DOC, XLS, PPT\).* XLSX$/],
    ['application/octet-stream', 'a\x00\x01\x02\x00', /binary data/],
  ];
  for (const [type, body, named] of refused)
    test(`${type} ${JSON.stringify(body)} is refused by name`, () =>
      assert.throws(
        () => detectFormat(bytes(body), type, 'https://e.org/x'),
        (error: Failure) => error.fetch?.reason === 'unsupported_type' && named.test(error.message),
      ));
});

describe('readFormat', () => {
  test('source code is fenced with its language, prose is not', () => {
    const code = readFormat('text', 'a = "```"\n', 'https://e.org/x/a.py');
    assert.equal(code.markdown, '````python\na = "```"\n````');
    assert.equal(code.title, 'a.py');
    assert.equal(readFormat('text', 'Just words.\r\n', 'https://e.org/a.txt').markdown, 'Just words.');
  });

  test('JSON is indented, and keeps numbers that would be rounded', () => {
    assert.equal(
      readFormat('json', '{"a":[1]}', 'https://e.org/').markdown,
      '```json\n{\n  "a": [\n    1\n  ]\n}\n```',
    );
    assert.match(
      readFormat('json', '{"id":12345678901234567890}', 'https://e.org/').markdown,
      /12345678901234567890/,
    );
    assert.match(readFormat('json', '{broken', 'https://e.org/').markdown, /\{broken/);
    assert.match(readFormat('json', '['.repeat(200_000), 'https://e.org/').markdown, /^```json\n\[\[/);
  });

  test('Markdown keeps its text, with absolute links, title and front matter', () => {
    const source =
      '---\ntitle: "The guide"\ndate: 2024-05-06\n---\n# Start\n\nSee [more](./more.md#x) and ![pic](a.png) and `[no](x)`.\n\n```\n[no](y)\n# no\n```\n\nSee [it][ref].\n\n[ref]: ../up\n';
    const article = readFormat('markdown', source, 'https://e.org/docs/guide.md');
    assert.equal(article.title, 'The guide');
    assert.deepEqual(article.published, { day: '2024-05-06', from: 'meta' });
    assert.deepEqual(article.headings, ['Start']);
    assert.deepEqual(article.links, ['https://e.org/docs/more.md', 'https://e.org/up']);
    assert.equal(
      article.markdown,
      '# Start\n\nSee [more](https://e.org/docs/more.md#x) and ![pic](https://e.org/docs/a.png) and `[no](x)`.\n\n```\n[no](y)\n# no\n```\n\nSee [it](https://e.org/up).',
    );
  });

  test('RSS 2.0 is a list', () => {
    const rss = `<?xml version="1.0"?><rss version="2.0"><channel><title>News &amp; more</title><link>https://e.org/</link><image><title>Logo</title></image>
      <item><title>First</title><link>/1</link><pubDate>Tue, 07 May 2024 10:00:00 GMT</pubDate><description><![CDATA[<p>Some <b>bold</b> words</p>]]></description></item></channel></rss>`;
    const article = readFormat('xml', rss, 'https://e.org/feed');
    assert.equal(article.kind, 'feed');
    assert.equal(article.title, 'News & more');
    assert.equal(
      article.markdown,
      '# News & more\n\n- [First](https://e.org/1) (2024-05-07)\n  Some bold words',
    );
    assert.deepEqual(article.published, { day: '2024-05-07', from: 'feed' });
    assert.deepEqual(article.links, ['https://e.org/1']);
  });

  test('Atom takes the alternate link, RSS 1.0 its items outside the channel', () => {
    const atom = `<feed xmlns="http://www.w3.org/2005/Atom" xml:lang="de-AT"><title>A</title><entry><title type="html">&lt;i&gt;T&lt;/i&gt;</title>
      <link rel="self" href="/self"/><link href="/page"/><updated>2024-01-02T03:04:05Z</updated><author><name>Ann</name></author><content type="html">&lt;p&gt;Body&lt;/p&gt;</content></entry></feed>`;
    const read = readFormat('xml', atom, 'https://e.org/atom');
    assert.equal(read.markdown, '# A\n\n- [T](https://e.org/page) (2024-01-02, Ann)\n  Body');
    assert.equal(read.language, 'de');
    const rdf = `<rdf:RDF><channel><title>R</title></channel><item><title>One</title><link>https://e.org/o</link><dc:date>2023-02-03</dc:date></item></rdf:RDF>`;
    assert.equal(
      readFormat('xml', rdf, 'https://e.org/').markdown,
      '# R\n\n- [One](https://e.org/o) (2023-02-03)',
    );
  });

  test('a JSON Feed is a list, other XML is shown unchanged', () => {
    const feed = JSON.stringify({
      version: 'https://jsonfeed.org/version/1.1',
      title: 'J',
      items: [{ url: '/x', title: 'X', content_html: '<p>y</p>' }],
    });
    assert.equal(readFormat('json', feed, 'https://e.org/').markdown, '# J\n\n- [X](https://e.org/x)\n  y');
    assert.equal(
      readFormat('xml', '<a><b>c</b></a>', 'https://e.org/d.xml').markdown,
      '```xml\n<a><b>c</b></a>\n```',
    );
  });
});
