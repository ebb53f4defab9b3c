import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, test } from 'node:test';
import { zipOf } from '../../../../test/fixtures/zip.ts';
import type { Failure } from '../../../contract/errors.ts';
import { readArchive } from './read-archive.ts';

const URL = 'https://e.org/a';
const markdownOf = (files: Record<string, string>): string => readArchive(zipOf(files), URL).markdown;
const rels = (targets: Record<string, string>): string =>
  `<Relationships>${Object.entries(targets)
    .map(
      ([id, target]) =>
        `<Relationship Id="${id}" Target="${target}" Type="x/slide"${/^https?:/.test(target) ? ' TargetMode="External"' : ''}/>`,
    )
    .join('')}</Relationships>`;

/** Files that LibreOffice wrote from one document, and from one table. */
const WRITTEN = new globalThis.URL('../../../../test/pages/documents/', import.meta.url);
const written = (name: string) =>
  readArchive(new Uint8Array(readFileSync(new globalThis.URL(name, WRITTEN))), URL);
const KNOWN = readFileSync(new globalThis.URL('birds.md', WRITTEN), 'utf8').trim();
const TABLE = readFileSync(new globalThis.URL('people.md', WRITTEN), 'utf8').trim();

test('a book whose package lies beside the chapters, in no folder, is read', () => {
  const chapter = '<html><body><p>The tide turns.</p></body></html>';
  const item = (href: string): string => `<item id="a" href="${href}" media-type="application/xhtml+xml"/>`;
  for (const [href, name] of [
    ['a.xhtml', 'a.xhtml'],
    ['text/a%20b.xhtml', 'text/a b.xhtml'],
  ] as const)
    assert.equal(
      markdownOf({
        mimetype: 'application/epub+zip',
        'META-INF/container.xml':
          '<container><rootfiles><rootfile full-path="content.opf"/></rootfiles></container>',
        'content.opf': `<package><manifest>${item(href)}</manifest><spine><itemref idref="a"/></spine></package>`,
        [name]: chapter,
      }),
      'The tide turns.',
    );
});

describe('readArchive reads back what LibreOffice writes', () => {
  for (const name of ['birds.docx', 'birds.odt'])
    test(name, () => {
      const article = written(name);
      assert.equal(article.markdown, KNOWN);
      assert.deepEqual([article.title, article.author], ['Birds & tides', 'A. Bird']);
      assert.deepEqual(article.headings, ['Birds of the coast', 'Where they live', 'Numbers']);
      assert.deepEqual(article.links, ['https://e.org/birds?a=1&b=2']);
    });
  for (const name of ['people.xlsx', 'people.ods'])
    test(name, () => assert.equal(written(name).markdown, TABLE));
  for (const name of ['slides.pptx', 'slides.odp'])
    test(name, () =>
      assert.match(
        written(name).markdown,
        /## Slide 1[\s\S]*First slide[\s\S]*- Point one\n- Point two[\s\S]*## Slide 2[\s\S]*Free text here\./,
      ),
    );
});

describe('readArchive', () => {
  test('a Word document: formulas are LaTeX, struck text is struck', () => {
    const letters = (value: string): string => `<m:r><w:rPr><w:b/></w:rPr><m:t>${value}</m:t></m:r>`;
    const fraction = `<m:f><m:num>${letters('a')}</m:num><m:den>${letters('λ')}</m:den></m:f>`;
    const sum = `<m:nary><m:naryPr><m:chr m:val="∑"/></m:naryPr><m:sub>${letters('i=1')}</m:sub><m:sup>${letters('n')}</m:sup><m:e><m:sSup><m:e>${letters('x')}</m:e><m:sup>${letters('2')}</m:sup></m:sSup></m:e></m:nary>`;
    const root = `<m:rad><m:radPr/><m:deg/><m:e><m:d><m:e>${letters('b')}</m:e></m:d></m:e></m:rad>`;
    const markdown = markdownOf({
      'word/document.xml': `<w:document><w:body><w:p><w:r><w:t>Let </w:t></w:r>${[fraction, sum, root]
        .map((formula) => `<m:oMath>${formula}</m:oMath>`)
        .join(
          '<w:r><w:t xml:space="preserve"> and </w:t></w:r>',
        )}<w:r><w:t xml:space="preserve"> be </w:t></w:r><w:r><w:rPr><w:strike/></w:rPr><w:t>gone</w:t></w:r><w:r><w:t>.</w:t></w:r></w:p></w:body></w:document>`,
    });
    assert.equal(
      markdown,
      'Let $\\frac{a}{\\lambda }$ and $\\sum _{i=1}^{n}x^{2}$ and $\\sqrt{(b)}$ be ~~gone~~.',
    );
  });

  test('a slide: a table after the title, the numbers of a chart, what is said of a picture', () => {
    const text = (value: string): string => `<p:txBody><a:p><a:r><a:t>${value}</a:t></a:r></a:p></p:txBody>`;
    const cell = (value: string): string =>
      `<a:tc><a:txBody><a:p><a:r><a:t>${value}</a:t></a:r></a:p></a:txBody></a:tc>`;
    const picture = (description: string): string =>
      `<p:pic><p:nvPicPr><p:cNvPr id="4" name="x" descr="${description}"/></p:nvPicPr></p:pic>`;
    const points = (values: string[]): string =>
      `<c:cache>${values.map((value, at) => `<c:pt idx="${at}"><c:v>${value}</c:v></c:pt>`).join('')}</c:cache>`;
    const markdown = markdownOf({
      'ppt/presentation.xml': '<p:presentation><p:sldIdLst><p:sldId r:id="a"/></p:sldIdLst></p:presentation>',
      'ppt/_rels/presentation.xml.rels': rels({ a: 'slides/slide1.xml' }),
      'ppt/slides/slide1.xml': `<p:sld>${[
        `<p:sp><p:nvSpPr><p:nvPr><p:ph type="title"/></p:nvPr></p:nvSpPr>${text('Birds')}</p:sp>`,
        `<p:graphicFrame><a:tbl><a:tr>${cell('Bird')}${cell('Nests')}</a:tr><a:tr>${cell('Heron')}${cell('3')}</a:tr></a:tbl></p:graphicFrame>`,
        picture('A heron in the reeds'),
        picture('image4.png'),
        '<p:graphicFrame><c:chart r:id="c"/></p:graphicFrame>',
      ].join('')}</p:sld>`,
      'ppt/slides/_rels/slide1.xml.rels': rels({ c: '../charts/chart1.xml' }),
      'ppt/charts/chart1.xml': `<c:chartSpace><c:chart><c:title><c:tx><c:rich><a:p><a:r><a:t>By year</a:t></a:r></a:p></c:rich></c:tx></c:title><c:plotArea><c:ser><c:tx>${points(['Herons'])}</c:tx><c:cat>${points(['1999', '2000'])}</c:cat><c:val>${points(['12', '14'])}</c:val></c:ser><c:ser><c:tx>${points(['Owls'])}</c:tx><c:val>${points(['7', '9'])}</c:val></c:ser></c:plotArea></c:chart></c:chartSpace>`,
    });
    assert.equal(
      markdown,
      [
        '## Birds',
        '| Bird | Nests |\n| --- | --- |\n| Heron | 3 |',
        'A heron in the reeds',
        'By year',
        '| | Herons | Owls |\n| --- | --- | --- |\n| 1999 | 12 | 7 |\n| 2000 | 14 | 9 |',
      ].join('\n\n'),
    );
  });

  test('a Word document: styles by their names, lists, notes, merged cells; what was deleted is gone', () => {
    const paragraph = (text: string, properties = ''): string =>
      `<w:p><w:pPr>${properties}</w:pPr><w:r><w:t>${text}</w:t></w:r></w:p>`;
    const markdown = markdownOf({
      'word/document.xml': `<w:document><w:body>${[
        paragraph('Kopf', '<w:pStyle w:val="berschrift1"/>'),
        '<w:p><w:r><w:t>kept </w:t></w:r><w:del><w:r><w:t>gone</w:t></w:r></w:del><w:r><w:rPr><w:b/></w:rPr><w:t>bold</w:t></w:r><w:r><w:footnoteReference w:id="1"/></w:r></w:p>',
        paragraph('third', '<w:numPr><w:ilvl w:val="0"/><w:numId w:val="4"/></w:numPr>'),
        paragraph('deeper', '<w:numPr><w:ilvl w:val="1"/><w:numId w:val="4"/></w:numPr>'),
        `<w:tbl><w:tr><w:tc>${paragraph('a')}</w:tc><w:tc>${paragraph('b')}</w:tc></w:tr><w:tr><w:tc><w:tcPr><w:gridSpan w:val="2"/></w:tcPr>${paragraph('wide')}</w:tc></w:tr></w:tbl>`,
        '<w:p><w:hyperlink r:id="r1"><w:r><w:t>link</w:t></w:r></w:hyperlink></w:p>',
      ].join('')}</w:body></w:document>`,
      'word/styles.xml':
        '<w:styles><w:style w:styleId="berschrift1"><w:name w:val="heading 1"/></w:style></w:styles>',
      'word/numbering.xml':
        '<w:numbering><w:abstractNum w:abstractNumId="7"><w:lvl w:ilvl="0"><w:start w:val="3"/><w:numFmt w:val="decimal"/></w:lvl><w:lvl w:ilvl="1"><w:numFmt w:val="bullet"/></w:lvl></w:abstractNum><w:num w:numId="4"><w:abstractNumId w:val="7"/></w:num></w:numbering>',
      'word/footnotes.xml': `<w:footnotes><w:footnote w:id="-1">${paragraph('separator')}</w:footnote><w:footnote w:id="1">${paragraph('the note')}</w:footnote></w:footnotes>`,
      'word/_rels/document.xml.rels': rels({ r1: 'https://b.org/x' }),
    });
    assert.equal(
      markdown,
      '# Kopf\n\nkept **bold**[^1]\n\n3. third\n   - deeper\n\n| a | b |\n| --- | --- |\n| wide | |\n\n[link](https://b.org/x)\n\n[^1]: the note',
    );
  });

  test('a Word document: a box beside a paragraph stays apart, and lists have the level of their style', () => {
    const paragraph = (text: string, style: string): string =>
      `<w:p><w:pPr><w:pStyle w:val="${style}"/></w:pPr><w:r><w:t>${text}</w:t></w:r></w:p>`;
    const box = `<w:r><w:drawing><w:txbxContent><w:p><w:r><w:t>In a box.</w:t></w:r></w:p></w:txbxContent></w:drawing></w:r>`;
    const style = (id: string, name: string, list: string): string =>
      `<w:style w:styleId="${id}"><w:name w:val="${name}"/><w:pPr><w:numPr><w:numId w:val="${list}"/></w:numPr></w:pPr></w:style>`;
    const markdown = markdownOf({
      'word/document.xml': `<w:document><w:body><w:p><w:r><w:t>Beside it.</w:t></w:r>${box}</w:p>${paragraph('Gates', 'a')}${paragraph('Upper', 'b')}</w:body></w:document>`,
      'word/styles.xml': `<w:styles>${style('a', 'List Bullet', '1')}${style('b', 'List Bullet 2', '2')}</w:styles>`,
      'word/numbering.xml':
        '<w:numbering><w:abstractNum w:abstractNumId="7"><w:lvl w:ilvl="0"><w:numFmt w:val="bullet"/></w:lvl></w:abstractNum><w:num w:numId="1"><w:abstractNumId w:val="7"/></w:num><w:num w:numId="2"><w:abstractNumId w:val="7"/></w:num></w:numbering>',
    });
    assert.equal(markdown, 'Beside it.\n\nIn a box.\n\n- Gates\n  - Upper');
  });

  test('a workbook: percentages, durations, formulas without a value, merged cells, names of hidden sheets', () => {
    const cell = (place: string, value: string, style = '0'): string =>
      `<c r="${place}" s="${style}"><v>${value}</v></c>`;
    const markdown = markdownOf({
      'xl/workbook.xml':
        '<workbook><sheets><sheet name="Ships" r:id="a"/><sheet name="Draft" state="hidden" r:id="b"/></sheets></workbook>',
      'xl/_rels/workbook.xml.rels': rels({ a: 'worksheets/sheet1.xml', b: 'worksheets/sheet2.xml' }),
      'xl/styles.xml':
        '<styleSheet><numFmts><numFmt numFmtId="170" formatCode="0.0%"/><numFmt numFmtId="171" formatCode="[h]:mm"/></numFmts><cellXfs><xf numFmtId="0"/><xf numFmtId="9"/><xf numFmtId="170"/><xf numFmtId="171"/></cellXfs></styleSheet>',
      'xl/worksheets/sheet1.xml': `<worksheet><sheetData><row r="1">${cell('A1', '7')}${cell('B1', '8')}${cell('C1', '9')}</row><row r="2">${cell('A2', '0.25', '1')}${cell('B2', '0.1234', '2')}${cell('C2', '1.0833333', '3')}</row><row r="3">${cell('A3', '5')}<c r="B3"><f>A1*2</f></c></row><row r="4">${cell('B4', '6')}</row><row r="5">${cell('A5', '1')}</row></sheetData><mergeCells><mergeCell ref="A3:A4"/><mergeCell ref="A5:C5"/></mergeCells></worksheet>`,
      'xl/worksheets/sheet2.xml': `<worksheet><sheetData><row r="1">${cell('A1', '7')}</row></sheetData></worksheet>`,
    });
    assert.equal(
      markdown,
      [
        '## Ships',
        '| 7 | 8 | 9 |\n| --- | --- | --- |\n| 25% | 12.3% | 26:00:00 |\n| 5 | =A1*2 |  |\n| 5 | 6 |  |\n| 1 |  |  |',
        'Hidden sheets, not read: Draft.',
      ].join('\n\n'),
    );
  });

  test('a presentation: the title of each slide, its points, links and notes; no slide numbers', () => {
    const shape = (place: string, text: string): string =>
      `<p:sp><p:nvSpPr><p:nvPr><p:ph type="${place}"/></p:nvPr></p:nvSpPr><p:txBody><a:p><a:pPr lvl="0"/><a:r><a:rPr><a:hlinkClick r:id="l"/></a:rPr><a:t>${text}</a:t></a:r></a:p></p:txBody></p:sp>`;
    const markdown = markdownOf({
      'ppt/presentation.xml':
        '<p:presentation><p:sldIdLst><p:sldId r:id="b"/><p:sldId r:id="a"/></p:sldIdLst></p:presentation>',
      'ppt/_rels/presentation.xml.rels': rels({ a: 'slides/slide1.xml', b: 'slides/slide2.xml' }),
      'ppt/slides/slide1.xml': `<p:sld>${shape('title', 'Last')}${shape('sldNum', '2')}</p:sld>`,
      'ppt/slides/slide2.xml': `<p:sld>${shape('ctrTitle', 'First')}${shape('body', 'Point')}</p:sld>`,
      'ppt/slides/_rels/slide2.xml.rels':
        '<Relationships><Relationship Id="n" Target="../notesSlides/n.xml" Type="x/notesSlide"/></Relationships>',
      'ppt/notesSlides/n.xml': `<p:notes>${shape('body', 'Say this')}</p:notes>`,
    });
    assert.equal(markdown, '## First\n\n- Point\n\n> Notes:\n>\n> - Say this\n\n## Last');
  });

  test('a workbook: shown values, dates, gaps; hidden sheets are only named', () => {
    const markdown = markdownOf({
      'xl/workbook.xml':
        '<workbook><sheets><sheet name="One" r:id="a"/><sheet name="No" state="hidden" r:id="a"/></sheets></workbook>',
      'xl/_rels/workbook.xml.rels': rels({ a: 'worksheets/sheet1.xml' }),
      'xl/sharedStrings.xml': '<sst><si><t>Day</t></si><si><r><t>Pri</t></r><r><t>ce|x</t></r></si></sst>',
      'xl/styles.xml':
        '<styleSheet><numFmts><numFmt numFmtId="170" formatCode="dd.mm.yyyy"/></numFmts><cellXfs><xf numFmtId="0"/><xf numFmtId="170"/></cellXfs></styleSheet>',
      'xl/worksheets/sheet1.xml':
        '<worksheet><sheetData><row r="1"><c r="A1" t="s"><v>0</v></c><c r="C1" t="s"><v>1</v></c></row><row r="4"><c r="A4" s="1"><v>45322</v></c><c r="B4" t="b"><v>1</v></c><c r="C4"><f>1+1</f><v>2</v></c></row></sheetData></worksheet>',
    });
    assert.equal(
      markdown,
      '## One\n\n| Day |  | Price\\|x |\n| --- | --- | --- |\n| 2024-01-31 | TRUE | 2 |\n\nHidden sheets, not read: No.',
    );
  });

  const book = (more: Record<string, string> = {}): Record<string, string> => ({
    'META-INF/container.xml':
      '<container><rootfiles><rootfile full-path="OPS/p.opf"/></rootfiles></container>',
    'OPS/p.opf':
      '<package><metadata><dc:title>The Shore</dc:title><dc:creator>A. Bird</dc:creator><dc:language>en-GB</dc:language></metadata><manifest><item id="b" href="two.xhtml" media-type="application/xhtml+xml"/><item id="a" href="one%20.xhtml" media-type="application/xhtml+xml"/><item id="n" href="n.xhtml" media-type="application/xhtml+xml" properties="nav"/></manifest><spine><itemref idref="n"/><itemref idref="a"/><itemref idref="b"/></spine></package>',
    'OPS/one .xhtml':
      '<html><head><title>no</title></head><body><a id="x"/><h1>One</h1><p>First.</p></body></html>',
    'OPS/two.xhtml': '<html><body><h1>Two</h1><p>Second.</p></body></html>',
    'OPS/n.xhtml': '<html><body>Contents</body></html>',
    ...more,
  });
  test('a book: its chapters in order', () => {
    const article = readArchive(zipOf(book()), URL);
    assert.equal(article.markdown, '# One\n\nFirst.\n\n# Two\n\nSecond.');
    assert.deepEqual([article.title, article.author, article.language], ['The Shore', 'A. Bird', 'en']);
  });

  const document = '<w:document><w:body><w:p><w:r><w:t>x</w:t></w:r></w:p></w:body></w:document>';
  const refused: Record<string, [bytes: () => Uint8Array, reason: string, named: RegExp]> = {
    'a bomb': [
      () => zipOf({ 'word/document.xml': Buffer.alloc(200_000_000, 0x20) }),
      'undecodable',
      /more than 128 MB/,
    ],
    'many parts that are too large together': [
      () =>
        zipOf(book({ 'OPS/one .xhtml': ' '.repeat(70_000_000), 'OPS/two.xhtml': ' '.repeat(70_000_000) })),
      'undecodable',
      /more than 128 MB/,
    ],
    'too many files': [
      () => zipOf(Array.from({ length: 10_001 }, (_, at) => ({ name: `${at}`, data: '' }))),
      'undecodable',
      /10001 files; at most 10000/,
    ],
    'what is encrypted': [
      () => zipOf([{ name: 'word/document.xml', data: document, encrypted: true }]),
      'undecodable',
      /encrypted/,
    ],
    'a locked book': [
      () => zipOf(book({ 'META-INF/encryption.xml': '<enc:CipherReference URI="OPS/two.xhtml"/>' })),
      'undecodable',
      /licence/,
    ],
    'what is cut off': [
      () => zipOf({ 'word/document.xml': document }).subarray(0, 90),
      'undecodable',
      /damaged/,
    ],
    'other archives': [() => zipOf({ 'a.txt': 'words' }), 'unsupported_type', /application\/zip/],
  };
  for (const [what, [bytes, reason, named]] of Object.entries(refused))
    test(`refuses ${what}`, () =>
      assert.throws(
        () => readArchive(bytes(), URL),
        (error: Failure) => error.fetch?.reason === reason && named.test(error.message),
      ));

  const tablesInTables = (deep: number): string => {
    const nested = `${'<w:tbl><w:tr><w:tc>'.repeat(deep)}<w:p><w:r><w:t>inside</w:t></w:r></w:p>${'</w:tc></w:tr></w:tbl>'.repeat(deep)}`;
    return markdownOf({ 'word/document.xml': `<w:document><w:body>${nested}</w:body></w:document>` });
  };
  test('a table in a table 500 deep ends, with its text', () => assert.match(tablesInTables(500), /inside/));
  test('reading ends where tables are nested 5,000 deep', () => assert.equal(tablesInTables(5_000), ''));
});
