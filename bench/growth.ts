import { isAllowed, parseRobots, selectRules } from '../src/crawl/robots/robots.ts';
import { parseSitemap } from '../src/crawl/robots/sitemap.ts';
import { findSection } from '../src/pages/alternates/llms-section.ts';
import { extractDocument } from '../src/pages/document-task.ts';
import type { DocumentFormat, TextFormat } from '../src/pages/formats/detect-format.ts';
import { readFormat } from '../src/pages/formats/read-format.ts';
import { drawn, type PdfText, pdfOfPages } from '../test/fixtures/pdf.ts';
import { zipOf } from '../test/fixtures/zip.ts';

/**
 * How the time of the readers grows: each family of hostile inputs is read at one size and at twice that size, which ought to take
 * twice as long. Marks those that take more than three times as long, by the CPU time of this process; ends with 1 if there are any.
 *
 *     node bench/growth.ts [part of a name]
 */
type Family = { n: number; work(n: number): unknown };

const FACTOR_MAX = 3;
/** Shorter times say nothing. */
const MS_MIN = 40;
const URL_OF = 'https://example.test/file';
const bytes = (text: string): Uint8Array<ArrayBuffer> => new Uint8Array(Buffer.from(text, 'latin1'));

const text = (format: TextFormat, n: number, make: (n: number) => string): Family => ({
  n,
  work: (size) => readFormat(format, make(size), URL_OF),
});
const document = (
  format: DocumentFormat,
  n: number,
  make: (n: number) => Uint8Array<ArrayBuffer>,
): Family => ({
  n,
  work: (size) => extractDocument({ bytes: make(size), url: URL_OF } as never, format, null),
});

const rows = (n: number, make: (at: number) => string): string =>
  Array.from({ length: n }, (_, at) => make(at)).join('');
const W = 'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"';
const word = (body: string): Uint8Array<ArrayBuffer> =>
  zipOf({
    '[Content_Types].xml': '<Types/>',
    'word/document.xml': `<w:document ${W}><w:body>${body}</w:body></w:document>`,
  });
const sheet = (body: string, shared = ''): Uint8Array<ArrayBuffer> =>
  zipOf({
    'xl/workbook.xml': '<workbook><sheets><sheet name="a" sheetId="1" r:id="r1"/></sheets></workbook>',
    'xl/_rels/workbook.xml.rels':
      '<Relationships><Relationship Id="r1" Target="worksheets/sheet1.xml"/></Relationships>',
    'xl/sharedStrings.xml': `<sst>${shared}</sst>`,
    'xl/worksheets/sheet1.xml': `<worksheet><sheetData>${body}</sheetData></worksheet>`,
  });
const odt = (body: string): Uint8Array<ArrayBuffer> =>
  zipOf({
    mimetype: 'application/vnd.oasis.opendocument.text',
    'content.xml': `<office:document-content><office:body><office:text>${body}</office:text></office:body></office:document-content>`,
  });
const epub = (n: number): Uint8Array<ArrayBuffer> =>
  zipOf({
    mimetype: 'application/epub+zip',
    'META-INF/container.xml': '<container><rootfiles><rootfile full-path="c.opf"/></rootfiles></container>',
    'c.opf': `<package><manifest>${rows(n, (at) => `<item id="i${at}" href="p${at}.xhtml" media-type="application/xhtml+xml"/>`)}</manifest><spine>${rows(n, (at) => `<itemref idref="i${at}"/>`)}</spine></package>`,
    ...Object.fromEntries(
      Array.from({ length: n }, (_, at) => [`p${at}.xhtml`, `<html><body><p>page ${at}</p></body></html>`]),
    ),
  });
const slides = (n: number): Uint8Array<ArrayBuffer> =>
  zipOf({
    'ppt/presentation.xml': `<p:presentation><p:sldIdLst>${rows(n, (at) => `<p:sldId id="${at}" r:id="r${at}"/>`)}</p:sldIdLst></p:presentation>`,
    'ppt/_rels/presentation.xml.rels': `<Relationships>${rows(n, (at) => `<Relationship Id="r${at}" Target="slides/slide${at}.xml"/>`)}</Relationships>`,
    ...Object.fromEntries(
      Array.from({ length: n }, (_, at) => [
        `ppt/slides/slide${at}.xml`,
        `<p:sld><p:cSld><p:spTree><p:sp><p:txBody><a:p><a:r><a:t>slide ${at}</a:t></a:r></a:p></p:txBody></p:sp></p:spTree></p:cSld></p:sld>`,
      ]),
    ),
  });
const pdf = (
  n: number,
  place: (at: number) => Omit<PdfText, 'text'>,
  say = (at: number) => `w${at}`,
): Uint8Array<ArrayBuffer> =>
  pdfOfPages([drawn(Array.from({ length: n }, (_, at) => ({ ...place(at), text: say(at) })))]);
const mail = (body: string, head = ''): Uint8Array<ArrayBuffer> =>
  bytes(`From: a@example.test\r\nSubject: b\r\n${head}\r\n${body}`);
const robots = (line: (at: number) => string, path: string): Family => ({
  n: 5_000,
  work(n) {
    const rules = selectRules(parseRobots(`User-agent: *\n${rows(n, (at) => `${line(at)}\n`)}`), 'me');
    for (let count = 0; count < 50; count += 1) isAllowed(rules, `https://a.org/${path}`);
  },
});

const FAMILIES: Record<string, Family> = {
  'subtitles: short cues': text('subtitles', 50_000, (n) =>
    rows(n, (at) => `00:00:01.000 --> 00:00:02.000\nline ${at}\n\n`),
  ),
  'subtitles: one cue of many lines': text(
    'subtitles',
    200_000,
    (n) => `00:00:01.000 --> 00:00:02.000\n${rows(n, (at) => `line ${at}\n`)}`,
  ),
  'subtitles: open tags': text(
    'subtitles',
    200_000,
    (n) => `00:00:01.000 --> 00:00:02.000\n${'<v '.repeat(n)}`,
  ),
  'subtitles: open braces': text(
    'subtitles',
    200_000,
    (n) => `00:00:01.000 --> 00:00:02.000\n${'{\\'.repeat(n)}`,
  ),
  'subtitles: arrows': text('subtitles', 200_000, (n) => `00:00:01.000 -->${' -->'.repeat(n)}\na`),
  'text: line breaks': text('text', 1_000_000, (n) => `a${'\r'.repeat(n)}b`),
  'text: spaces': text('text', 1_000_000, (n) => `a${' '.repeat(n)}b`),
  'csv: rows': text('csv', 50_000, (n) => rows(n, (at) => `${at},b,c\n`)),
  'csv: one row': text('csv', 200_000, (n) => 'a,'.repeat(n)),
  'csv: quotes': text('csv', 200_000, (n) => '"a""'.repeat(n)),
  'csv: longer and longer rows': text('csv', 800, (n) => rows(n, (at) => `${'a,'.repeat(at)}\n`)),
  'json: nested': text('json', 100_000, (n) => `${'[1,'.repeat(n)}1${']'.repeat(n)}`),
  'json: items of a feed': text(
    'json',
    20_000,
    (n) =>
      `{"version":"https://jsonfeed.org/version/1.1","title":"a","items":[${rows(n, (at) => `{"id":"${at}","url":"https://a.org/${at}","content_html":"<p>a"},`)}{"id":"x"}]}`,
  ),
  'notebook: cells': text(
    'json',
    10_000,
    (n) =>
      `{"nbformat":4,"cells":[${rows(n, (at) => `{"cell_type":"code","source":["a${at}\\n"],"outputs":[{"output_type":"stream","text":["b"]}]},`)}{"cell_type":"markdown","source":[]}]}`,
  ),
  'feed: items': text(
    'xml',
    20_000,
    (n) =>
      `<rss><channel><title>a</title>${rows(n, (at) => `<item><title>t${at}</title><link>https://a.org/${at}</link><description>&lt;p&gt;d</description></item>`)}</channel></rss>`,
  ),
  'feed: nested': text('xml', 100_000, (n) => `<rss><channel>${'<item>'.repeat(n)}`),
  'svg: texts': text(
    'svg',
    50_000,
    (n) => `<svg>${rows(n, (at) => `<text x="1" y="${at}">a${at}</text>`)}</svg>`,
  ),
  'markdown: open links': text('markdown', 100_000, (n) => '[a]('.repeat(n)),
  'markdown: references': text(
    'markdown',
    20_000,
    (n) => rows(n, (at) => `[a${at}]: https://a.org/${at}\n`) + rows(n, (at) => `[b][a${at}] `),
  ),
  'markdown: open elements': text('markdown', 100_000, (n) => '<div>\n'.repeat(n)),
  'markdown: quotes': text('markdown', 5_000, (n) => `${'>'.repeat(n)} a\n`.repeat(20)),
  'sitemap: addresses': {
    n: 20_000,
    work: (n) =>
      parseSitemap(
        bytes(`<urlset>${rows(n, (at) => `<url><loc>https://a.org/${at}</loc></url>`)}</urlset>`),
        URL_OF,
      ),
  },
  'sitemap: nested': { n: 100_000, work: (n) => parseSitemap(bytes('<a>'.repeat(n)), URL_OF) },
  'llms-full.txt: sections': {
    n: 50_000,
    work: (n) =>
      findSection(
        rows(n, (at) => `# T${at}\nSource: https://a.org/${at}\na\n`),
        `https://a.org/${n - 1}`,
      ),
  },
  'llms-full.txt: one page again and again': {
    n: 50_000,
    work: (n) => findSection('# T\nSource: https://a.org/x\na\n'.repeat(n), 'https://a.org/x'),
  },
  'llms-full.txt: rules': {
    n: 200_000,
    work: (n) => findSection(`Source: https://a.org/x\n${'---\n'.repeat(n)}a`, 'https://a.org/x'),
  },
  'robots.txt: beginnings': robots((at) => `Disallow: /p${at}`, 'a'.repeat(2_000)),
  'robots.txt: stars': robots((at) => `Disallow: *b${at}`, 'ab'.repeat(60)),
  'robots.txt: escapes': robots((at) => `Disallow: /%41${at}*`, '%41'.repeat(60)),
  'mail: headers': document('mail', 20_000, (n) =>
    mail(
      'text',
      rows(n, (at) => `X-A${at}: b\r\n`),
    ),
  ),
  'mail: folded header': document('mail', 100_000, (n) => mail('text', `X-A: b\r\n${' c\r\n'.repeat(n)}`)),
  'mail: parts': document('mail', 10_000, (n) =>
    mail(`--b\r\n\r\ntext\r\n`.repeat(n), 'Content-Type: multipart/mixed; boundary=b\r\n'),
  ),
  'mail: recipients': document('mail', 20_000, (n) =>
    mail('text', `To: ${rows(n, (at) => `a${at}@b.org, `)}x@b.org\r\n`),
  ),
  'word: paragraphs': document('archive', 20_000, (n) =>
    word('<w:p><w:r><w:t>a</w:t></w:r></w:p>'.repeat(n)),
  ),
  'word: runs of one paragraph': document('archive', 50_000, (n) =>
    word(`<w:p>${'<w:r><w:t>a</w:t></w:r>'.repeat(n)}</w:p>`),
  ),
  'word: rows': document('archive', 10_000, (n) =>
    word(`<w:tbl>${'<w:tr><w:tc><w:p><w:r><w:t>a</w:t></w:r></w:p></w:tc></w:tr>'.repeat(n)}</w:tbl>`),
  ),
  'word: lists': document('archive', 10_000, (n) =>
    word(
      rows(
        n,
        (at) =>
          `<w:p><w:pPr><w:numPr><w:ilvl w:val="${at % 9}"/><w:numId w:val="1"/></w:numPr></w:pPr><w:r><w:t>a</w:t></w:r></w:p>`,
      ),
    ),
  ),
  'sheet: rows': document('archive', 20_000, (n) =>
    sheet(rows(n, (at) => `<row r="${at + 1}"><c r="A${at + 1}"><v>1</v></c></row>`)),
  ),
  'sheet: cells of one row': document('archive', 20_000, (n) =>
    sheet(`<row r="1">${'<c><v>1</v></c>'.repeat(n)}</row>`),
  ),
  'sheet: far rows': document('archive', 5_000, (n) =>
    sheet(rows(n, (at) => `<row r="${(at + 1) * 200}"><c r="ZZ${at + 1}"><v>1</v></c></row>`)),
  ),
  'sheet: shared texts': document('archive', 20_000, (n) =>
    sheet(
      rows(n, (at) => `<row r="${at + 1}"><c r="A${at + 1}" t="s"><v>${at}</v></c></row>`),
      rows(n, (at) => `<si><t>s${at}</t></si>`),
    ),
  ),
  'text document: paragraphs': document('archive', 20_000, (n) => odt('<text:p>a</text:p>'.repeat(n))),
  'book: chapters': document('archive', 500, epub),
  slides: document('archive', 1_000, slides),
  'archive: entries': document('archive', 10_000, (n) =>
    zipOf(Object.fromEntries(Array.from({ length: n }, (_, at) => [`a${at}`, 'b']))),
  ),
  'pdf: one place': document('pdf', 3_000, (n) => pdf(n, () => ({ x: 10, y: 10 }))),
  'pdf: one line': document('pdf', 3_000, (n) => pdf(n, (at) => ({ x: at, y: 10 }))),
  'pdf: diagonal': document('pdf', 3_000, (n) => pdf(n, (at) => ({ x: at / 8, y: at / 6 }))),
  'pdf: one column': document('pdf', 3_000, (n) => pdf(n, (at) => ({ x: 10, y: 790 - at / 6 }))),
  'pdf: grid': document('pdf', 3_000, (n) =>
    pdf(n, (at) => ({ x: (at % 60) * 10, y: Math.floor(at / 60) * 8 })),
  ),
  'pdf: scattered': document('pdf', 3_000, (n) =>
    pdf(n, (at) => ({ x: (at * 7919) % 590, y: (at * 104729) % 790, size: 2 + (at % 20) })),
  ),
  'pdf: sizes and fonts': document('pdf', 3_000, (n) =>
    pdf(n, (at) => ({
      x: 10,
      y: (at * 13) % 790,
      size: 1 + at / 100,
      font: (['F', 'B', 'M'] as const)[at % 3] ?? 'F',
    })),
  ),
  'pdf: pages': document('pdf', 200, (n) =>
    pdfOfPages(Array.from({ length: n }, (_, at) => drawn([{ x: 10, y: 700, text: `page ${at}` }]))),
  ),
};

/** Why nothing was read; null if something was. */
let unread: string | null = null;

async function cpuMs({ work }: Family, n: number): Promise<number> {
  const since = process.cpuUsage();
  const read = async (): Promise<unknown> => work(n);
  const done = await read().catch(({ message }: Error) => ({ ok: false, message }));
  const { ok, message } = (done ?? {}) as { ok?: boolean; message?: string };
  unread = ok === false ? (message ?? '') : null;
  const { user, system } = process.cpuUsage(since);
  return (user + system) / 1_000;
}

/** Of a few runs: a collection of garbage is in one, and not in the next. */
async function leastMs(family: Family, n: number): Promise<number> {
  const all = [await cpuMs(family, n), await cpuMs(family, n), await cpuMs(family, n)];
  return Math.min(...all);
}

const wanted = process.argv[2] ?? '';
let steep = 0;
for (const [name, family] of Object.entries(FAMILIES)) {
  if (!name.includes(wanted)) continue;
  await cpuMs(family, Math.ceil(family.n / 4));
  const [one, two] = [await leastMs(family, family.n), await leastMs(family, family.n * 2)];
  const isSteep = two > MS_MIN && two > one * FACTOR_MAX;
  if (isSteep) steep += 1;
  console.log(
    `${name.padEnd(42)} ${one.toFixed(0).padStart(7)} ms ${two.toFixed(0).padStart(7)} ms  x ${(two / one).toFixed(1)}${isSteep ? '  STEEP' : ''}${unread === null ? '' : `  (${unread})`}`,
  );
}
if (steep > 0) process.exitCode = 1;
