import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { deflateSync } from 'node:zlib';
import { drawn, type PdfText, pdfOf, pdfOfPages, pdfStream } from '../../../../test/fixtures/pdf.ts';
import type { Failure } from '../../../contract/errors.ts';
import { PDF_PAGES_MAX, readPdf } from './read-pdf.ts';

const URL = 'https://e.org/a.pdf';
const markdownOf = async (...pages: PdfText[][]): Promise<string> =>
  (await readPdf(pdfOfPages(pages.map((texts) => drawn(texts))), URL)).markdown;

/** Lines of text below each other, 14 points apart. */
const column = (lines: string[], { x = 50, y = 700, ...style }: Partial<PdfText> = {}): PdfText[] =>
  lines.map((text, at) => ({ ...style, x, y: y - 14 * at, text }));

const LONG = 'and a line of plain words that is long enough to reach the right margin';

describe('readPdf', () => {
  test('sizes and weights make headings, gaps make paragraphs', async () => {
    const markdown = await markdownOf([
      { x: 50, y: 750, text: 'Birds of the coast', size: 24 },
      ...column(['First line', 'second line.'], { y: 700 }),
      { x: 50, y: 650, text: 'Where they live', size: 10, font: 'B' },
      ...column(['On the beach.'], { y: 630 }),
      ...column(['Rarely in the woods.'], { y: 590 }),
    ]);
    assert.equal(
      markdown,
      '# Birds of the coast\n\nFirst line second line.\n\n## Where they live\n\nOn the beach.\n\nRarely in the woods.',
    );
  });

  test('running text is no heading, in whatever size or weight it is set', async () => {
    const notes = column(
      Array.from(
        { length: 30 },
        (_, at) => `note ${at} in the small type that most of this document is set in`,
      ),
      { y: 500, size: 7 },
    );
    const text = column(
      Array.from({ length: 6 }, (_, at) => `Line ${at} of the text goes on to the right margin`),
      { y: 700, size: 10 },
    );
    assert.doesNotMatch(await markdownOf([...text, ...notes]), /^#/m);
    const bold = column([`${LONG}`, 'and goes on', LONG], { font: 'B' });
    assert.doesNotMatch(await markdownOf(bold), /^#/m);
  });

  test('captions and bullets are no headings, and the lines of a bullet are one item', async () => {
    const markdown = await markdownOf([
      { x: 50, y: 760, text: 'Birds', size: 20 },
      { x: 50, y: 730, text: 'Table 2. Birds by river, counted', font: 'B' },
      { x: 50, y: 716, text: 'in May and June', font: 'B' },
      ...column(['* one that goes', '  on'], { y: 680, size: 16 }).map((text, at) => ({
        ...text,
        x: at === 0 ? 50 : 62,
        text: text.text.trim(),
      })),
      ...column([LONG, LONG, LONG], { y: 600 }),
    ]);
    assert.match(
      markdown,
      /^# Birds\n\nTable 2\. Birds by river, counted in May and June\n\n- one that goes on\n/,
    );
  });

  for (const title of [
    '(anonymous)',
    'Microsoft Word - report.doc',
    'report_final.qxd',
    'Slide 1',
    'untitled',
  ])
    test(`the first heading is the title, not "${title}"`, async () => {
      const info = `/Title(${title.replace(/[()]/g, '\\$&')})`;
      const texts = [{ x: 50, y: 760, text: 'Birds of the coast', size: 20 }, ...column([LONG])];
      assert.equal((await readPdf(pdfOfPages([drawn(texts)], { info }), URL)).title, 'Birds of the coast');
    });

  test('a hyphen at the end of a line goes, unless the document writes the word with it', async () => {
    assert.equal(await markdownOf(column(['we docu-', 'ment it'])), 'we document it');
    const known = await markdownOf(
      column(['the copy-on-write of a copy-', 'on-write file and a copy-on', 'disk']),
    );
    assert.match(known, /of a copy-on-write file/);
  });

  test('columns are read one after the other, in whatever order they are drawn', async () => {
    const left = column(Array.from({ length: 8 }, (_, at) => `left ${at} of the first column here`));
    const right = column(
      Array.from({ length: 8 }, (_, at) => `right ${at} of the second column here`),
      { x: 330 },
    );
    const across = left.flatMap((line, at) => [line, ...right.slice(at, at + 1)]);
    for (const page of [[...left, ...right], across]) {
      const order = [...(await markdownOf(page)).matchAll(/(left|right) (\d)/g)].map(
        ([, side, at]) => `${side}${at}`,
      );
      assert.deepEqual(
        order,
        [...left, ...right].map(({ text }) => text.split(' ').slice(0, 2).join('')),
      );
    }
  });

  test('lists, listings and certain tables', async () => {
    const cells = [
      ['Plan', 'Price', 'Pages'],
      ['Free', '0', '25'],
      ['Pro', '9', '5000'],
    ].flatMap((row, at) =>
      row.map((text, cell): PdfText => ({ x: 50 + 120 * cell, y: 500 - 16 * at, text })),
    );
    const markdown = await markdownOf([
      ...column(
        ['\x95 bullet one', '\x95 bullet two'].map((text) => text.replace('\x95', '*')),
        { y: 760 },
      ),
      ...column(['3. third', '4. fourth'], { y: 700 }),
      ...column(['for (;;)', '  wait();'], { y: 640, font: 'M' }),
      ...cells,
    ]);
    assert.match(markdown, /^- bullet one\n- bullet two$/m);
    assert.match(markdown, /^3\. third\n4\. fourth$/m);
    assert.match(markdown, /```\nfor \(;;\)\n {2}wait\(\);\n```/);
    assert.match(
      markdown,
      /\| Plan \| Price \| Pages \|\n\| --- \| --- \| --- \|\n\| Free \| 0 \| 25 \|\n\| Pro \| 9 \| 5000 \|/,
    );
  });

  test('pages are marked, heads and page numbers that run through are gone', async () => {
    const page = (number: number): PdfText[] => [
      { x: 50, y: 780, text: 'The running head' },
      ...column([`${LONG} ${'abcd'[number]}.`]),
      { x: 300, y: 20, text: String(number + 7) },
    ];
    const markdown = await markdownOf(page(0), page(1), page(2), page(3));
    assert.equal(
      markdown,
      ['a', 'b', 'c', 'd']
        .map(
          (letter, at) =>
            `${at === 0 ? '' : `[Page ${at + 1}](${URL}#page=${at + 1})\n\n`}${LONG} ${letter}.`,
        )
        .join('\n\n'),
    );
  });

  test('a paragraph goes on over the page, and the mark follows it', async () => {
    const markdown = await markdownOf(column([LONG]), column(['goes on here.']));
    assert.equal(markdown, `${LONG} goes on here.\n\n[Page 2](${URL}#page=2)`);
  });

  test('links lead to addresses and pages', async () => {
    const more =
      '/Annots[<</Type/Annot/Subtype/Link/Rect[50 695 90 712]/A<</S/URI/URI(https://b.org/x)>>>><</Type/Annot/Subtype/Link/Rect[50 680 90 695]/Dest[3 0 R/Fit]>>]';
    const bytes = pdfOfPages([drawn(column(['address', 'a page']))], { more });
    const { markdown, links } = await readPdf(bytes, URL);
    assert.match(markdown, /\[address\]\(https:\/\/b\.org\/x\)/);
    assert.match(markdown, /\[a page\]\(https:\/\/e\.org\/a\.pdf#page=1\)/);
    assert.deepEqual(links, ['https://b.org/x']);
  });

  test('title, author and day come from its properties', async () => {
    const info = "/Title(On Waders)/Author(A. Bird)/CreationDate(D:20240131120000+01'00')";
    const article = await readPdf(pdfOfPages([drawn(column([LONG]))], { info }), URL);
    assert.deepEqual(
      [article.kind, article.title, article.author, article.published],
      ['document', 'On Waders', 'A. Bird', { day: '2024-01-31', from: 'meta' }],
    );
  });
});

const catalog = '<</Type/Catalog/Pages 2 0 R>>';
const bomb = deflateSync(deflateSync(Buffer.alloc(400_000_000, 0x20), { level: 9 }));
const scan = pdfStream(
  Buffer.alloc(100),
  '/Type/XObject/Subtype/Image/Width 10/Height 10/BitsPerComponent 8/ColorSpace/DeviceGray',
);
const page = (entries: string): string => `<</Type/Page/Parent 2 0 R/MediaBox[0 0 600 800]${entries}>>`;
const pages = (count: number): string =>
  `<</Type/Pages/Kids[${Array.from({ length: count }, (_, at) => `${at + 3} 0 R`).join(' ')}]/Count ${count}>>`;
const form = (content: string): Buffer =>
  pdfStream(content, '/Type/XObject/Subtype/Form/BBox[0 0 9 9]/Resources<</XObject<</X 5 0 R>>>>');

describe('readPdf refuses', () => {
  const key =
    '/Encrypt<</Filter/Standard/V 2/R 3/Length 128/P -44/O<00112233445566778899aabbccddeeff00112233445566778899aabbccddeeff>/U<00112233445566778899aabbccddeeff00112233445566778899aabbccddeeff>>>/ID[<00><00>]';
  const cases: Record<string, [bytes: Uint8Array, reason: string, named: RegExp]> = {
    'what is encrypted': [
      pdfOfPages([drawn(column([LONG]))], { trailer: key }),
      'undecodable',
      /encrypted.*password/,
    ],
    'a scan': [
      pdfOf([
        catalog,
        pages(1),
        page('/Contents 4 0 R/Resources<</XObject<</X 5 0 R>>>>'),
        pdfStream('q 600 0 0 800 0 0 cm /X Do Q'),
        scan,
      ]),
      'empty',
      /pictures.*scans/,
    ],
    'what is cut off': [pdfOfPages([drawn(column([LONG]))]).subarray(0, 200), 'undecodable', /damaged/],
    'too many pages': [
      pdfOf([
        catalog,
        pages(PDF_PAGES_MAX + 1),
        ...Array.from({ length: PDF_PAGES_MAX + 1 }, () => page('')),
      ]),
      'undecodable',
      /2001 pages; at most 2000/,
    ],
    'a bomb': [
      pdfOf([
        catalog,
        pages(1),
        page('/Contents 4 0 R'),
        pdfStream(bomb, '/Filter[/FlateDecode/FlateDecode]'),
      ]),
      'undecodable',
      /more memory/,
    ],
    'a form that draws itself twice': [
      pdfOf([
        catalog,
        pages(1),
        page('/Contents 4 0 R/Resources<</XObject<</X 5 0 R>>>>'),
        pdfStream('/X Do'),
        form('/X Do /X Do'),
      ]),
      'undecodable',
      /more memory/,
    ],
  };
  for (const [what, [bytes, reason, named]] of Object.entries(cases))
    test(what, () =>
      assert.rejects(
        readPdf(bytes, URL),
        (error: Failure) => error.fetch?.reason === reason && named.test(error.message),
      ),
    );

  test('nothing of a page tree that holds itself, which has no text', async () => {
    const loop = pdfOf([catalog, '<</Type/Pages/Kids[2 0 R 2 0 R]/Count 2>>']);
    assert.equal((await readPdf(loop, URL)).markdown, '');
  });
});
