import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import {
  drawn,
  type PdfLine,
  type PdfText,
  pdfOfPages,
  pdfStream,
} from '../../../../../test/fixtures/pdf.ts';
import { readPdf } from '../read-pdf.ts';

const readMarkdown = async (...pages: Buffer[]): Promise<string> =>
  (await readPdf(pdfOfPages(pages), 'https://e.org/a.pdf')).markdown;

/** Texts in columns that begin at `xs`, row below row; empty texts are left out. */
const rowsOf = (
  rows: string[][],
  { xs, y = 700, step = 16 }: { xs: number[]; y?: number; step?: number },
): PdfText[] =>
  rows.flatMap((row, at) =>
    row.flatMap((text, column): PdfText[] =>
      text === '' ? [] : [{ x: xs[column] ?? 0, y: y - step * at, text }],
    ),
  );
const across = (ys: number[], x0: number, x1: number): PdfLine[] => ys.map((y) => [x0, y, x1, y]);
const down = (xs: number[], y0: number, y1: number): PdfLine[] => xs.map((x) => [x, y0, x, y1]);
const written = (rows: string[][]): string => {
  const [head = [], ...body] = rows.map(
    (row) => `|${row.map((text) => (text === '' ? ' ' : ` ${text} `)).join('|')}|`,
  );
  const columns = rows[0]?.length ?? 0;
  return [head, `|${Array.from({ length: columns }, () => ' --- ').join('|')}|`, ...body].join('\n');
};

describe('tables with drawn cells', () => {
  const grid = [...across([712, 692, 660, 640], 40, 340), ...down([40, 140, 240, 340], 640, 712)];

  test('a cell holds all of its lines', async () => {
    const texts = rowsOf(
      [
        ['Bird', 'Food', 'Where'],
        ['Heron', 'Fish and', 'By'],
        ['', 'small frogs', 'rivers'],
        ['Owl', 'Mice', 'Woods'],
      ],
      { xs: [45, 145, 245], y: 697, step: 0 },
    ).map(
      (text, at): PdfText => ({
        ...text,
        y: [697, 697, 697, 680, 680, 680, 666, 666, 646, 646, 646][at] ?? 0,
      }),
    );
    assert.equal(
      await readMarkdown(drawn(texts, grid)),
      written([
        ['Bird', 'Food', 'Where'],
        ['Heron', 'Fish and small frogs', 'By rivers'],
        ['Owl', 'Mice', 'Woods'],
      ]),
    );
  });

  test('a cell over several columns or rows is repeated in each', async () => {
    const lines = [
      ...across([712, 640], 40, 340),
      ...across([692], 140, 340),
      ...across([672], 40, 340),
      ...across([656], 140, 340),
      ...down([40, 140, 340], 640, 712),
      ...down([240], 640, 692),
    ];
    const texts: PdfText[] = [
      { x: 200, y: 697, text: 'Counted' },
      { x: 45, y: 687, text: 'Year' },
      { x: 145, y: 677, text: 'Herons' },
      { x: 245, y: 677, text: 'Owls' },
      { x: 45, y: 652, text: '1999' },
      { x: 145, y: 660, text: '12' },
      { x: 245, y: 660, text: '7' },
      { x: 145, y: 644, text: '14' },
      { x: 245, y: 644, text: '9' },
    ];
    assert.equal(
      await readMarkdown(drawn(texts, lines)),
      written([
        ['Year', 'Counted', 'Counted'],
        ['Year', 'Herons', 'Owls'],
        ['1999', '12', '7'],
        ['1999', '14', '9'],
      ]),
    );
  });

  test('rows without lines between them are split where their numbers stand', async () => {
    const lines = [...across([712, 692, 630], 40, 340), ...down([40, 140, 240, 340], 630, 712)];
    const rows = [
      ['Bird', 'Nests', 'Eggs'],
      ['Heron', '3', '11'],
      ['Owl', '4', '9'],
      ['Crane', '2', '4'],
    ];
    const texts = rowsOf(rows, { xs: [45, 145, 245], y: 697, step: 20 });
    assert.equal(await readMarkdown(drawn(texts, lines)), written(rows));
  });

  test('a title and notes inside the frame stand above and below', async () => {
    const lines = [
      ...across([732, 712, 692, 660, 640, 620], 40, 340),
      ...down([40, 340], 620, 732),
      ...down([140, 240], 640, 712),
    ];
    const texts = [
      { x: 120, y: 717, text: 'Exhibit 4. Birds by river' },
      ...rowsOf([['Bird', 'Nests', 'Eggs']], { xs: [45, 145, 245], y: 697 }),
      ...rowsOf([['Heron', '3', '11']], { xs: [45, 145, 245], y: 672 }),
      ...rowsOf([['Owl', '4', '9']], { xs: [45, 145, 245], y: 646 }),
      { x: 45, y: 626, text: 'Note: counted in May.' },
    ];
    const markdown = await readMarkdown(drawn(texts, lines));
    assert.match(markdown, /^Exhibit 4\. Birds by river\n\n\| Bird \|/);
    assert.match(markdown, /\| Owl \| 4 \| 9 \|\n\nNote: counted in May\.$/);
  });

  test('the bars and the axes of a chart are no table', async () => {
    const bars = [60, 120, 200].flatMap((x1, at): PdfLine[] => [
      ...across([600 + 30 * at, 620 + 30 * at], 40, 40 + x1),
      ...down([40, 40 + x1], 600 + 30 * at, 620 + 30 * at),
    ]);
    const texts = rowsOf([['60'], ['120'], ['200']], { xs: [50], y: 606, step: -30 });
    const markdown = await readMarkdown(
      drawn(
        [{ x: 40, y: 740, text: 'Birds by year' }, ...texts],
        [...bars, ...down([40, 100, 160, 220, 280], 590, 700)],
      ),
    );
    assert.doesNotMatch(markdown, /\|/);
  });

  test('a page on its side is read as its text runs', async () => {
    const rows = [
      ['Bird', 'Nests'],
      ['Heron', '3'],
      ['Owl', '4'],
    ];
    const texts = rows.flatMap((row, at) =>
      row.map(
        (text, column) => `BT /F 10 Tf 0 1 -1 0 ${100 + 20 * at} ${105 + 100 * column} Tm (${text}) Tj ET`,
      ),
    );
    const lines = [...down([86, 106, 126, 146], 100, 300), ...across([100, 200, 300], 86, 146)].map(
      ([x0, y0, x1, y1]) => `${x0} ${y0} m ${x1} ${y1} l S`,
    );
    assert.equal(await readMarkdown(pdfStream([...lines, ...texts].join('\n'))), written(rows));
  });

  test('a table goes on over the page if the rest has no head of its own', async () => {
    const first = drawn(
      rowsOf(
        [
          ['Bird', 'Nests'],
          ['Heron', '3'],
        ],
        { xs: [45, 145], y: 57, step: 20 },
      ),
      [...across([72, 52, 32], 40, 240), ...down([40, 140, 240], 32, 72)],
    );
    const rest = drawn(
      rowsOf(
        [
          ['Owl', '4'],
          ['Crane', '2'],
        ],
        { xs: [45, 145], y: 757, step: 20 },
      ),
      [...across([772, 752, 732], 40, 240), ...down([40, 140, 240], 732, 772)],
    );
    const markdown = await readMarkdown(first, rest);
    assert.ok(
      markdown.startsWith(
        `${written([
          ['Bird', 'Nests'],
          ['Heron', '3'],
          ['Owl', '4'],
          ['Crane', '2'],
        ])}\n\n[Page 2]`,
      ),
      markdown,
    );
  });
});

describe('tables without drawn cells', () => {
  const xs = [50, 200, 280, 360];

  test('columns are those that the rows leave white, and lines across end the head', async () => {
    const texts = [
      { x: 50, y: 740, text: 'Table 3. Counted birds' },
      { x: 300, y: 716, text: 'Counted' },
      ...rowsOf(
        [
          ['Bird', 'Nests', 'Young', 'Old'],
          ['Wading birds', '', '', ''],
          ['Heron', '3', '11', '40'],
          ['Crane', '2', '4', '31'],
          ['Birds of the night', '', '', ''],
          ['Owl', '4', '9', '38'],
        ],
        { xs, y: 700 },
      ),
    ];
    const lines = [...across([730, 694, 614], 50, 400), ...across([712], 280, 400)];
    assert.equal(
      await readMarkdown(drawn(texts, lines)),
      `Table 3. Counted birds\n\n${written([
        ['Bird', 'Nests', 'Counted', 'Counted'],
        ['Bird', 'Nests', 'Young', 'Old'],
        ['Wading birds', '', '', ''],
        ['Heron', '3', '11', '40'],
        ['Crane', '2', '4', '31'],
        ['Birds of the night', '', '', ''],
        ['Owl', '4', '9', '38'],
      ])}`,
    );
  });

  test('a name of two lines is one cell, whether its numbers stand beside the first or between both', async () => {
    const texts = [
      ...rowsOf([['Bird', 'Nests', 'Eggs', 'Young']], { xs, y: 700 }),
      ...rowsOf([['Heron', '3', '11', '8']], { xs, y: 684 }),
      ...rowsOf([['Birds that winter', '4', '9', '7']], { xs, y: 668 }),
      ...rowsOf([['elsewhere']], { xs, y: 656 }),
      ...rowsOf([['Birds that stay']], { xs, y: 640 }),
      ...rowsOf([['', '5', '12', '6']], { xs, y: 634 }),
      ...rowsOf([['for the winter']], { xs, y: 628 }),
    ];
    assert.equal(
      await readMarkdown(drawn(texts)),
      written([
        ['Bird', 'Nests', 'Eggs', 'Young'],
        ['Heron', '3', '11', '8'],
        ['Birds that winter elsewhere', '4', '9', '7'],
        ['Birds that stay for the winter', '5', '12', '6'],
      ]),
    );
  });

  for (const [what, texts] of Object.entries<PdfText[]>({
    'two columns of running text': rowsOf(
      Array.from({ length: 8 }, (_, at) => [
        `the left text goes on in line ${at} of this`,
        `the right text goes on in line ${at} too`,
      ]),
      { xs: [50, 320], step: 14 },
    ),
    'a list whose numbers stand apart': rowsOf(
      Array.from({ length: 6 }, (_, at) => [`${at + 1}.`, `What is done in step ${at + 1}`]),
      { xs: [50, 90] },
    ),
    'a table of contents': rowsOf(
      Array.from({ length: 6 }, (_, at) => [`Chapter ${at + 1} ${'. '.repeat(40)} ${at * 7 + 3}`]),
      { xs: [50] },
    ),
    'a listing': rowsOf(
      [
        ['r', 'INTEGER,'],
        ['s', 'INTEGER,'],
        ['t', 'OtherStruct'],
        ['z', 'INTEGER'],
      ],
      { xs: [50, 120] },
    ).map((text) => ({ ...text, font: 'M' as const })),
  }))
    test(`${what} is no table`, async () => {
      const prose: PdfText = {
        x: 50,
        y: 200,
        text: 'A sentence below it, in the type of the document, and long enough.',
      };
      assert.doesNotMatch(await readMarkdown(drawn([...texts, prose])), /\| --- \|/);
    });
});

describe('bounds', () => {
  test('a page of 100,000 lines and words is read as text', async () => {
    const lines = Array.from(
      { length: 50_000 },
      (_, at): PdfLine => [at % 600, (at * 7) % 800, (at * 11) % 600, (at * 13) % 800],
    );
    const texts = Array.from(
      { length: 30_000 },
      (_, at): PdfText => ({ x: (at % 100) * 6, y: Math.floor(at / 100) * 2.6, text: 'a', size: 2 }),
    );
    assert.doesNotMatch(await readMarkdown(drawn(texts, lines)), /\| --- \|/);
  });
});
