import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { gzipSync, zstdCompressSync } from 'node:zlib';
import { createRandom } from '../../bench/search/random.ts';
import { asHtml, asMarkdown, warcRecord } from '../fixtures/corpora/made-pages.ts';
import { bytesOf, countOrMessage } from '../fixtures/corpora/records.ts';
import { cpuMsSince } from '../fixtures/cpu-time.ts';
import { CHECKSUM_BYTES, made, table, warc, withChecksum, zim } from './made-files.ts';

/** Some bytes changed, a part left out or repeated, or the end cut off. */
function mutated(bytes: Uint8Array, random: (below: number) => number): Buffer {
  const copy = Buffer.from(bytes);
  const [from, length] = [random(copy.length), 1 + random(200)];
  const part = copy.subarray(from, from + length);
  switch (random(5)) {
    case 0:
      return copy.subarray(0, from);
    case 1:
      return Buffer.concat([copy.subarray(0, from), copy.subarray(from + length)]);
    case 2:
      return Buffer.concat([copy.subarray(0, from), part, part, copy.subarray(from + length)]);
    default:
      for (let change = 1 + random(20); change > 0; change -= 1)
        copy[random(copy.length)] = random(3) === 0 ? 0xff : random(256);
      return copy;
  }
}

const linesOf = (lineOf: (page: (typeof made)[number]) => string): string => made.map(lineOf).join('\n');
const posts = linesOf(
  ({ number, title }) =>
    `  <row Id="${number}" PostTypeId="${1 + (number % 2)}" ParentId="1" Score="3" Title="${title}" Body="&lt;p&gt;Words" CreationDate="2024-05-06T07:08:09.000" />`,
);
const articles = linesOf(
  ({ title, paragraphs }) =>
    `<page><title>${title}</title><ns>0</ns><revision><text>{{box|a}} '''${paragraphs[0]}''' [[link|x]] {| class |}</text></revision></page>`,
);
const site = '<siteinfo><sitename>W</sitename><base>https://w.example.org/wiki/Main</base></siteinfo>';

const FILES: [name: string, content: Uint8Array | string, repair?: (bytes: Buffer) => Buffer][] = [
  ['x.parquet', table('UNCOMPRESSED')],
  ['snappy.parquet', table('SNAPPY')],
  ['x.zim', zim(), (file) => (file.length > CHECKSUM_BYTES ? withChecksum(file) : file)],
  ['x.warc', warc()],
  ['x.warc.gz', Buffer.concat(made.map((page) => gzipSync(warcRecord(page.url, asHtml(page)))))],
  ['x.warc.zst', zstdCompressSync(warc())],
  ['x.jsonl', linesOf((page) => JSON.stringify({ url: page.url, text: asMarkdown(page) }))],
  ['f.example.org/Posts.xml', `<posts>\n${posts}\n</posts>`],
  ['wiki-pages.xml', `<mediawiki xml:lang="en">${site}${articles}</mediawiki>`],
  ['llms-full.txt', linesOf((page) => `${asMarkdown(page).replace('\n', `\nSource: ${page.url}\n`)}\n`)],
];
const MUTATIONS = 120;
/** Each table is decoded in a thread of its own, which starts for it. */
const MUTATIONS_OF_TABLES = 25;
const CPU_MS_MAX = 5_000;

describe('files with damaged bytes are read as far as they go, or refused by name', () => {
  for (const [name, content, repair = (file: Buffer) => file] of FILES)
    test(name, async () => {
      const bytes = Buffer.from(content as Uint8Array);
      assert.ok(Number(await countOrMessage(bytesOf(bytes, name))) > 10, 'it can be read as it is');
      const random = createRandom(20);
      const rounds = name.endsWith('.parquet') ? MUTATIONS_OF_TABLES : MUTATIONS;
      for (let round = 0; round < rounds; round += 1) {
        const file = repair(mutated(bytes, random));
        const since = process.threadCpuUsage();
        const read = await countOrMessage(bytesOf(file, name));
        const ms = cpuMsSince(since);
        assert.ok(ms < CPU_MS_MAX, `round ${round} took ${ms} CPU ms`);
        if (typeof read === 'string') assert.ok(read.includes(name), `round ${round}: ${read}`);
        else assert.ok(read <= 20 * made.length, `round ${round}: ${read} records`);
      }
    });
});
