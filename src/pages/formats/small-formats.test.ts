import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Failure } from '../../contract/errors.ts';
import { readCsv } from './csv.ts';
import { readImage } from './pictures/image.ts';
import { readFormat } from './read-format.ts';

const URL = 'https://e.org/a';

describe('csv', () => {
  const markdownOf = (text: string): string => readFormat('csv', text, URL).markdown;
  test('quoted cells, line ends in cells, short rows and marks', () => {
    assert.equal(
      markdownOf('\uFEFFName,Note\r\nAda,"a ""b"", c\nd"\r\n*x*|y\r\n'),
      '| Name | Note |\n| --- | --- |\n| Ada | a "b", c<br>d |\n| \\*x\\*\\|y |  |',
    );
  });
  test('the separator that the lines agree on', () => {
    for (const separator of [',', ';', '\t', '|'])
      assert.equal(markdownOf(`a${separator}b c\n1${separator}2`), '| a | b c |\n| --- | --- |\n| 1 | 2 |');
  });
  test('ten million cells end at the bound, with a line that says so', () => {
    assert.match(markdownOf('1,2\n'.repeat(1_000_000)), /The table goes on beyond/);
  });
});

test('a notebook: text, code with its language, outputs; no pictures and no other JSON', () => {
  const notebook = {
    nbformat: 4,
    metadata: { language_info: { name: 'julia' } },
    cells: [
      { cell_type: 'markdown', source: ['# Title\n', 'Text.'] },
      {
        cell_type: 'code',
        source: 'f(1)',
        outputs: [
          { output_type: 'stream', text: ['\u001b[31mred\u001b[0m\n'] },
          {
            output_type: 'display_data',
            data: { 'image/png': 'iVBOR', 'text/plain': '<Figure size 640x480>' },
          },
          { output_type: 'error', ename: 'ValueError', evalue: 'no' },
        ],
      },
    ],
  };
  const article = readFormat('json', JSON.stringify(notebook), URL);
  assert.equal(article.title, 'Title');
  assert.equal(
    article.markdown,
    '# Title\nText.\n\n```julia\nf(1)\n```\n\n```\nred\n```\n\n```\nValueError: no\n```',
  );
  assert.match(readFormat('json', '{"cells":[1]}', URL).markdown, /^```json/);
});

test('subtitles: paragraphs at their times, without styles and repeated lines', () => {
  const vtt =
    'WEBVTT\n\nNOTE no\n\n1\n00:01.000 --> 00:02.000 align:start\n<v Ada>Hello <c.x>there</c>\n\n00:02.000 --> 00:03.000\nHello\nthere &amp; here\n\n01:00:09.000 --> 01:00:10.000\nLater';
  assert.equal(
    readFormat('subtitles', vtt, URL).markdown,
    '[0:01] Ada: Hello there Hello there & here\n\n[1:00:09] Later',
  );
  const srt =
    '1\r\n00:00:01,000 --> 00:00:02,000\r\n<i>One</i>\r\n\r\n2\r\n00:00:02,100 --> 00:00:03,000\r\nTwo';
  assert.equal(readFormat('subtitles', srt, URL).markdown, '[0:01] One Two');
});

test('a sitemap and an index of sitemaps as lists', () => {
  const map =
    '<urlset xmlns="x"><url><loc>/b</loc><lastmod>2024-01-31T10:00Z</lastmod></url><url><loc>https://b.org/</loc></url></urlset>';
  const article = readFormat('xml', map, URL);
  assert.equal(article.markdown, '- <https://e.org/b> (2024-01-31)\n- <https://b.org/>');
  assert.deepEqual(article.links, ['https://e.org/b', 'https://b.org/']);
  assert.match(
    readFormat('xml', '<sitemapindex><sitemap><loc>/m.xml</loc></sitemap></sitemapindex>', URL).markdown,
    /m\.xml/,
  );
});

test('a drawing: title, description, size and texts', () => {
  const svg =
    '<svg viewBox="0 0 10 20"><title>Map</title><desc>Of the coast</desc><g><text>North <tspan>Sea</tspan></text></g><style>x{}</style></svg>';
  assert.equal(
    readFormat('svg', svg, URL).markdown,
    '# Map\n\nOf the coast\n\nDrawing (SVG), 10 × 20.\n\nNorth Sea',
  );
});

describe('pictures', () => {
  const png = (chunks: [string, Buffer][]): Buffer =>
    Buffer.concat([
      Buffer.from([0x89, 0x50, 0x4e, 0x47, 13, 10, 26, 10]),
      ...chunks.map(([type, data]) => {
        const length = Buffer.alloc(4);
        length.writeUInt32BE(data.length);
        return Buffer.concat([length, Buffer.from(type), data, Buffer.alloc(4)]);
      }),
    ]);
  test('PNG with texts', () => {
    const header = Buffer.alloc(13);
    header.writeUInt32BE(640, 0);
    header.writeUInt32BE(480, 4);
    const article = readImage(
      png([
        ['IHDR', header],
        ['tEXt', Buffer.from('Title\0A *bird*')],
      ]),
      URL,
    );
    assert.equal(article.markdown, 'Picture (PNG), 640 × 480 pixels.\n\n- Title: A \\*bird\\*');
    assert.equal(article.title, 'A *bird*');
  });
  test('JPEG with EXIF, in both byte orders', () => {
    for (const little of [true, false]) {
      const exif = Buffer.alloc(60);
      exif.write(little ? 'II' : 'MM');
      const short = (value: number, at: number) =>
        little ? exif.writeUInt16LE(value, at) : exif.writeUInt16BE(value, at);
      const long = (value: number, at: number) =>
        little ? exif.writeUInt32LE(value, at) : exif.writeUInt32BE(value, at);
      long(8, 4);
      short(1, 8);
      short(0x010e, 10);
      short(2, 12);
      long(12, 14);
      long(40, 18);
      exif.write('A sanderling', 40);
      const segment = (marker: number, data: Buffer): Buffer =>
        Buffer.concat([Buffer.from([0xff, marker, (data.length + 2) >> 8, (data.length + 2) & 255]), data]);
      const frame = Buffer.from([8, 0, 20, 0, 30, 3, 0, 0, 0]);
      const bytes = Buffer.concat([
        Buffer.from([0xff, 0xd8]),
        segment(0xe1, Buffer.concat([Buffer.from('Exif\0\0'), exif])),
        segment(0xc2, frame),
      ]);
      assert.equal(
        readImage(bytes, URL).markdown,
        'Picture (JPEG), 30 × 20 pixels.\n\n- ImageDescription: A sanderling',
      );
    }
  });
  test('GIF, and what is cut off', () => {
    assert.match(readImage(Buffer.from('GIF89a\x05\0\x07\0', 'latin1'), URL).markdown, /GIF\), 5 × 7/);
    for (const start of ['GIF89a', '\x89PNG', '\xff\xd8\xff\xe0', 'RIFF0000WEBPVP8'])
      assert.throws(
        () => readImage(Buffer.from(start, 'latin1'), URL),
        (error: Failure) => error.fetch?.reason === 'unsupported_type',
      );
  });
});

test('a table with one wide row is not filled up without bounds', () => {
  const csv = `${'a,'.repeat(20_000)}\n${'b\n'.repeat(20_000)}`;
  const { markdown } = readCsv(csv, 'https://example.org/t.csv');
  assert.ok(markdown.length < 3_000_000, `${markdown.length} characters`);
  assert.match(markdown, /goes on beyond the cells that are read\.$/);
});
