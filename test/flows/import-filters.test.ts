import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { parquetWriteBuffer } from 'hyparquet-writer';
import type { ImportOptions } from '../../src/crawl/import/run/import-filter.ts';
import { zimOf } from '../fixtures/corpora/zim.ts';
import { serveReal } from '../harness.ts';

const GERMAN =
  'Der Sanderling ist ein kleiner Vogel, der am Rand der Wellen läuft und dort nach Nahrung sucht, bevor das Wasser wieder kommt.';
/** Long enough that another heading and a few words more make no other page. */
const ENGLISH = [
  'The sanderling is a small bird that runs along the edge of the waves and looks there for food before the water comes back.',
  'It breeds in the high Arctic, on stony ground near the sea, and leaves for the south when the short summer is over.',
  'In winter flocks of it can be seen on sandy beaches of nearly every coast, from Scotland to the south of Chile.',
  'Its bill is straight and black, its legs are short, and it has no hind toe, which is rare among waders and helps it to run.',
  'What it eats are small crabs, worms and insects that each wave washes out of the sand and leaves behind for a moment.',
].join(' ');
/** Two pages that are nearly the same, one in another language, and one elsewhere. */
const PAGES = [
  { path: 'one', text: ENGLISH, day: '2026-02-01' },
  { path: 'two', text: `${ENGLISH} Once more.`, day: '2026-02-02' },
  { path: 'drei', text: GERMAN, day: '2024-03-04' },
];
const SITE = 'https://docs.example.org';
const html = ({ text }: (typeof PAGES)[number]): string =>
  `<title>Sanderling</title><main><p>${text}</p></main>`;
const record = (page: (typeof PAGES)[number], type: 'response' | 'conversion'): string => {
  const body =
    type === 'conversion' ? page.text : `HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n${html(page)}`;
  return `WARC/1.0\r\nWARC-Type: ${type}\r\nWARC-Target-URI: ${SITE}/${page.path}\r\nWARC-Date: ${page.day}T00:00:00Z\r\nContent-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}\r\n\r\n`;
};
const wiki = ({ path, text, day }: (typeof PAGES)[number]): string =>
  `<page><title>${path}</title><ns>0</ns><revision><timestamp>${day}T00:00:00Z</timestamp><text>${text}</text></revision></page>`;
const post = ({ path, text, day }: (typeof PAGES)[number], at: number): string =>
  `  <row Id="${at + 1}" PostTypeId="1" Title="${path}" Body="&lt;p&gt;${text}" CreationDate="${day}T00:00:00.000" />`;

/** Of each format: the file, and whether its pages are dated. */
const FORMATS: { file: string; content: Uint8Array | string; isDated: boolean }[] = [
  {
    file: 'pages.parquet',
    content: new Uint8Array(
      parquetWriteBuffer({
        columnData: [
          { name: 'url', data: PAGES.map(({ path }) => `${SITE}/${path}`), type: 'STRING' },
          { name: 'crawl_date', data: PAGES.map(({ day }) => day), type: 'STRING' },
          { name: 'markdown', data: PAGES.map(({ text }) => text), type: 'STRING' },
        ],
      }),
    ),
    isDated: true,
  },
  {
    file: 'pages.zim',
    content: zimOf(
      PAGES.map((page) => ({ path: page.path, title: page.path, content: html(page) })),
      { metadata: { Title: 'Birds', Source: `${SITE}/` } },
    ),
    isDated: false,
  },
  { file: 'pages.warc', content: PAGES.map((page) => record(page, 'response')).join(''), isDated: true },
  { file: 'pages.wet', content: PAGES.map((page) => record(page, 'conversion')).join(''), isDated: true },
  {
    file: 'wiki-pages.xml',
    content: `<mediawiki><siteinfo><sitename>W</sitename><base>${SITE}/Main</base></siteinfo>${PAGES.map(wiki).join('\n')}</mediawiki>`,
    isDated: true,
  },
  {
    file: 'docs.example.org/Posts.xml',
    content: `<posts>\n${PAGES.map(post).join('\n')}\n</posts>`,
    isDated: true,
  },
  {
    file: 'llms-full.txt',
    content: PAGES.map(({ path, text }) => `# ${path}\nSource: ${SITE}/${path}\n\n${text}\n`).join('\n'),
    isDated: false,
  },
];

describe('what is wanted of each format', () => {
  let served: Awaited<ReturnType<typeof serveReal>>;
  const folder = mkdtempSync(join(tmpdir(), 'import-filters-'));
  before(async () => {
    served = await serveReal();
  });
  after(async () => {
    await served.close();
    rmSync(folder, { recursive: true, force: true });
  });

  for (const { file, content, isDated } of FORMATS)
    test(file, async () => {
      const path = join(folder, file);
      mkdirSync(join(path, '..'), { recursive: true });
      writeFileSync(path, content);
      /** Pages, copies and what was not wanted. */
      const countsWith = async (options: Partial<ImportOptions>): Promise<unknown> => {
        const { signal } = new AbortController();
        const summary = await served.services.crawling.importPages({ path, baseUrl: null, options, signal });
        assert.deepEqual([summary.failed, summary.problems], [0, []]);
        return [summary.pages, summary.copies, summary.filtered];
      };
      assert.deepEqual(await countsWith({}), [2, 1, 0], 'near-duplicates are folded');
      assert.deepEqual(await countsWith({ keepCopies: true }), [3, 0, 0], 'unless they are wanted');
      assert.deepEqual(await countsWith({ languages: ['de'] }), [1, 0, 2], 'by their language');
      assert.deepEqual(await countsWith({ hosts: ['example.org'] }), [2, 1, 0], 'by a domain');
      assert.deepEqual(await countsWith({ hosts: ['example.net'] }), [0, 0, 3], 'by another domain');
      const since = isDated ? [2, 0, 1] : [0, 0, 3];
      assert.deepEqual(await countsWith({ since: '2026-01-01', keepCopies: true }), since, 'by their day');
    });
});
