import { createHash } from 'node:crypto';
import { parquetWriteBuffer } from 'hyparquet-writer';
import { asHtml, asMarkdown, madePage, warcRecord } from '../fixtures/corpora/made-pages.ts';
import { zimOf } from '../fixtures/corpora/zim.ts';

/** The pages of which the files are made. */
export const made = Array.from({ length: 40 }, (_, number) => madePage(number));
export const CHECKSUM_BYTES = 16;

/** A ZIM file after a change, with the checksum that fits. */
export function withChecksum(zim: Buffer): Buffer {
  const whole = zim.subarray(0, zim.length - CHECKSUM_BYTES);
  return Buffer.concat([whole, createHash('md5').update(whole).digest()]);
}

/** A ZIM file of the pages. */
export const zim = (): Buffer =>
  zimOf(
    made.map((page) => ({ path: `made/${page.number}`, title: page.title, content: asHtml(page) })),
    { metadata: { Title: 'Made pages', License: 'CC0-1.0' } },
  );

/** A table of the pages, in groups of ten rows. */
export const table = (codec: 'UNCOMPRESSED' | 'SNAPPY'): Uint8Array =>
  new Uint8Array(
    parquetWriteBuffer({
      codec,
      rowGroupSize: 10,
      columnData: [
        { name: 'url', data: made.map(({ url }) => url), type: 'STRING' },
        { name: 'markdown', data: made.map(asMarkdown), type: 'STRING' },
      ],
    }),
  );

/** An archive of the pages. */
export const warc = (): Buffer =>
  Buffer.concat(made.map((page) => Buffer.from(warcRecord(page.url, asHtml(page)))));
