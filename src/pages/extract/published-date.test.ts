import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { PublishedDate } from '../article.ts';
import { collectPageFacts } from './metadata/page-facts.ts';
import { parseTree } from './parse/build-tree.ts';
import { findModifiedDate, findPublishedDate } from './published-date.ts';

const dateOf = (
  html: string,
  url = 'https://example.org/page',
  notAfter: string | null = null,
): PublishedDate | null => findPublishedDate(collectPageFacts(parseTree(html)), url, notAfter);

describe('publishedDate returns the day and its origin', () => {
  const jsonLd = (text: string): string => `<script type="application/ld+json">${text}</script>`;
  const cases: [what: string, html: string, url: string, expected: PublishedDate | null][] = [
    [
      'JSON-LD before meta',
      `${jsonLd('{"@type":"BlogPosting","datePublished":"2023-01-02"}')}<meta property="article:published_time" content="2020-01-01">`,
      '/x',
      { day: '2023-01-02', from: 'json-ld' },
    ],
    [
      'the day beside the title before a time in UTC that is one day off',
      '<meta property="article:published_time" content="2024-05-07T02:30:00Z"><h1>High water at noon</h1><p>May 6, 2024</p>',
      '/x',
      { day: '2024-05-06', from: 'text' },
    ],
    [
      'a declared day before a later one beside the title',
      '<meta property="article:published_time" content="2024-05-06"><meta property="article:modified_time" content="2025-01-02"><h1>High water at noon</h1><p>January 2, 2025</p>',
      '/x',
      { day: '2024-05-06', from: 'meta' },
    ],
    [
      'the older day beside the title of a page that was moved',
      `${jsonLd('{"@type":"Article","datePublished":"Jun 24, 2025","dateModified":"Jun 24, 2025"}')}<h1>High water at noon</h1><p>25 August 2024</p>`,
      '/x',
      { day: '2024-08-25', from: 'text' },
    ],
    [
      'the local day of a time with an offset',
      '<meta property="article:published_time" content="2016-10-02T19:30:57-07:00">',
      '/x',
      { day: '2016-10-02', from: 'meta' },
    ],
    [
      'a declared day in the order of the language',
      '<html lang="en"><meta property="article:published_time" content="03-09-2026">',
      '/x',
      { day: '2026-03-09', from: 'meta' },
    ],
    [
      'a text that says it is the day of publication, far from the title',
      `<h1>High water</h1>${'<p>text</p>'.repeat(80)}<div>Post time: 01.04.2024</div>`,
      '/x',
      { day: '2024-04-01', from: 'text' },
    ],
    ['meta', '<meta name="DC.date.issued" content="20210304">', '/x', { day: '2021-03-04', from: 'meta' }],
    ['the address', '<p>text', '/2024/05/06/title', { day: '2024-05-06', from: 'url' }],
    ['the address with a month name', '<p>text', '/2024/may/06/title', { day: '2024-05-06', from: 'url' }],
    ['a month in the address is no day', '<p>text', '/2024/05/title', null],
    [
      'time',
      '<h1>T</h1><time datetime="2022-02-03T10:00Z">x</time>',
      '/x',
      { day: '2022-02-03', from: 'time' },
    ],
    [
      'time in a sidebar is of other pages',
      `<h1>T</h1>${'<p>text</p>'.repeat(80)}<aside><time datetime="2022-02-03">x</time></aside>`,
      '/x',
      null,
    ],
    [
      'a dated class',
      '<div class="post-date">Posted on 3 février 2022</div>',
      '/x',
      { day: '2022-02-03', from: 'text' },
    ],
    [
      'text near the title',
      '<h1>T</h1><div>March 9, 2019 · 4 min read</div>',
      '/x',
      { day: '2019-03-09', from: 'text' },
    ],
    [
      'a date in a sentence is what it speaks of',
      '<h1>T</h1><p>It was founded in a small town near the sea on 3 March 2019 by two brothers.</p>',
      '/x',
      null,
    ],
    ['copyright is no date', '<h1>T</h1><p>© 3 March 2019</p>', '/x', null],
    [
      'the day of change only when there is no other',
      '<meta property="article:modified_time" content="2021-01-01">',
      '/x',
      { day: '2021-01-01', from: 'meta' },
    ],
    [
      'the day of the newsroom, not of UTC',
      '<meta property="article:published_time" content="2020-02-18T01:00:00Z">',
      '/2020/02/17/x',
      { day: '2020-02-17', from: 'url' },
    ],
    [
      'a meta that has its content in value',
      '<meta name="article:published_time" value="2016-12-21T16:31:34+00:00">',
      '/x',
      { day: '2016-12-21', from: 'meta' },
    ],
    [
      'JSON-LD that is broken beyond repair',
      jsonLd(
        '{"@type":"NewsArticle","headline":"a "quoted" title","datePublished":"2020-10-26T18:10:00+01:00"}',
      ),
      '/x',
      { day: '2020-10-26', from: 'json-ld' },
    ],
    [
      'a date in a frame that also has the title',
      '<div class="widget Blog"><h2 class="date-header">Friday, December 19, 2025</h2><h3>A long enough title</h3></div>',
      '/x',
      { day: '2025-12-19', from: 'text' },
    ],
    [
      'a date in an aside beside the title',
      '<article><aside><time datetime="2021-06-06">June 6</time></aside><h1>T</h1></article>',
      '/x',
      { day: '2021-06-06', from: 'time' },
    ],
    [
      'the date of a related page beside the title is of that page',
      '<h1>T</h1><div class="related-posts"><span class="post-date">June 6, 2021</span></div>',
      '/x',
      null,
    ],
    [
      'an element of its own for times',
      '<h1>T</h1><relative-time datetime="2020-07-07T12:10:51Z">on Jul 7</relative-time>',
      '/x',
      { day: '2020-07-07', from: 'time' },
    ],
    [
      'the first post of a thread, not when its author joined',
      '<h1>T</h1><dl><dd>Joined: Sun Dec 11, 2016</dd></dl><h2><a>#1</a></h2><b>2025-11-01 15:14:37</b><b>2025-11-02 06:23:21</b>',
      '/viewtopic.php',
      { day: '2025-11-01', from: 'text' },
    ],
    [
      'the day of change that is shown, when there is no other',
      '<h1>T</h1><span class="small">Last updated: 20 January 2025</span>',
      '/x',
      { day: '2025-01-20', from: 'text' },
    ],
    [
      'the release of a manual beside its title is a version',
      '<h1>High water manual</h1><p>Release: 1.4.46</p><p>v2.10.12</p><p>§ 1.4.46</p><p>Python 3.11.02</p><p>192.168.1.24</p>',
      '/x',
      null,
    ],
    [
      'the day in the data of a script that follows the title, not that of another page',
      '<h1>High water at noon</h1><script>x={"a":{"title":"Another page","published":"2024-01-01"},"b":{"title":"High water at noon","published":"2024-05-06T07:00Z"}}</script>',
      '/x',
      { day: '2024-05-06', from: 'script' },
    ],
    ['no such day', '<meta name="date" content="2023-02-30">', '/x', null],
    ['nothing', '<p>text', '/x', null],
  ];
  for (const [what, html, path, expected] of cases) {
    test(what, () => assert.deepEqual(dateOf(html, `https://example.org${path}`), expected));
  }
});

test('a day after the last possible one is ignored', () => {
  const html = '<meta name="date" content="2030-01-01"><h1>T</h1><time datetime="2020-01-01">x</time>';
  assert.deepEqual(dateOf(html, 'https://example.org/x', '2026-01-01'), { day: '2020-01-01', from: 'time' });
});

const LABELS = [
  'Date of publication: 06.05.2024',
  'Veröffentlicht am 06.05.2024',
  'Publié le 06/05/2024',
  'Fecha de publicación: 06/05/2024',
  'Publicado em 06/05/2024',
  'Pubblicato il 6 maggio 2024',
  'Gepubliceerd op 6 mei 2024',
  'Opublikowano: 06.05.2024',
  'Опубликовано 06.05.2024',
  'Yayın tarihi: 06.05.2024',
  '發布 2024/05/06',
  '公開日：２０２４年５月６日',
  'تاريخ النشر: ٢٠٢٤/٥/٦',
];
for (const label of LABELS)
  test(`"${label}" far from the title is the day of publication`, () => {
    const html = `<h1>T</h1>${'<p>text</p>'.repeat(80)}<div>Termin 01.02.2023</div><div>${label}</div>`;
    assert.deepEqual(dateOf(html), { day: '2024-05-06', from: 'text' });
  });

for (const label of [
  'Zuletzt geändert am',
  'Dernière mise à jour le',
  'Última actualización:',
  'Laatst bijgewerkt:',
  'Обновлено',
])
  test(`"${label}" is no day of publication where another is shown`, () => {
    const html = `<h1>T</h1><p>${label} 01.02.2025</p><p>06.05.2024</p>`;
    assert.equal(dateOf(html)?.day, '2024-05-06');
    assert.equal(dateOf(html.replace('<p>06.05.2024</p>', ''))?.day, '2025-02-01');
  });

test('the order of day and month follows the page', () => {
  const page = (lang: string): string =>
    `<html lang="${lang}"><body><h1>T</h1><span class="date">03/04/2024</span>`;
  assert.equal(dateOf(page('en-US'))?.day, '2024-03-04');
  assert.equal(dateOf(page('de'))?.day, '2024-04-03');
  assert.equal(dateOf(`${page('en')}<i>25/12/2023</i><i>31/01/2024</i><i>01/30/2024</i>`)?.day, '2024-04-03');
  assert.equal(dateOf(page('en'))?.day, '2024-03-04');
});

describe('findModifiedDate', () => {
  const cases: [what: string, html: string, day: string | null][] = [
    ['declared', '<meta property="article:modified_time" content="2025-01-02T03:04:05Z">', '2025-01-02'],
    ['shown beside the title', '<h1>High water at noon</h1><p>Updated on 2 January 2025</p>', '2025-01-02'],
    [
      'before the day of publication',
      '<meta name="date" content="2025-01-02"><meta name="lastmod" content="2024-01-02">',
      null,
    ],
    ['not said', '<meta name="date" content="2025-01-02">', null],
  ];
  for (const [what, html, day] of cases)
    test(what, () => {
      const facts = collectPageFacts(parseTree(html));
      const published = html.includes('name="date"')
        ? findPublishedDate(facts, 'https://example.org/')
        : null;
      assert.equal(findModifiedDate(facts, published)?.day ?? null, day);
    });
});

describe('no version and no future day is a date, wherever it stands', () => {
  const places: ((text: string) => string)[] = [
    (text) => `<h1>Manual</h1><p>${text}</p><p>text</p>`,
    (text) => `<h1>Manual ${text}</h1><p>text</p>`,
    (text) => `<h1>Manual</h1><div class="date">${text}</div>`,
    (text) => `<h1>Manual</h1><p>text</p><footer>${text}</footer>`,
    (text) => `<h1>Manual</h1><table><tr><td>${text}</td></tr></table>`,
  ];
  for (const word of ['Release:', 'Version', 'v', 'Rev.', 'Updated to'])
    test(`${word} with numbers that could be a day`, () => {
      for (const place of places)
        for (const major of [1, 4, 12, 20, 24])
          for (const minor of [1, 4, 12])
            for (const patch of [1, 12, 24, 46])
              assert.equal(dateOf(place(`${word} ${major}.${minor}.${patch}`)), null);
    });
  for (const day of ['2027-01-02', '2 January 2031', 'Published: January 2, 2046'])
    test(`${day}, asked before it`, () => {
      for (const place of places)
        assert.equal(dateOf(place(day), 'https://a.example/2049/01/02/x', '2026-11-27'), null);
    });
});
