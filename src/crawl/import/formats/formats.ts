import { stat } from 'node:fs/promises';
import { PAGE_BYTES_MAX } from '../../../contract/limits.ts';
import { LLMS_FULL } from './dumps/llms-full.ts';
import { MEDIAWIKI } from './dumps/mediawiki.ts';
import { STACK_EXCHANGE } from './dumps/stack-exchange.ts';
import type { FileFormat } from './json-lines.ts';
import { JSON_LINES } from './json-lines.ts';
import { PARQUET } from './parquet/parquet.ts';
import { WEB_ARCHIVE } from './web-archive.ts';
import { ZIM } from './zim/zim.ts';

const TYPES: [RegExp, string][] = [
  [/\.(?:html?|xhtml)$/i, 'text/html'],
  [/\.(?:md|mdx|markdown)$/i, 'text/markdown'],
  [/\.(?:txt|text|rst|adoc|asciidoc)$/i, 'text/plain; charset=utf-8'],
];

/** HTML, Markdown and text files; each is one page. */
const PAGE_FILE: FileFormat = {
  name: 'pages',
  files: /\.(?:html?|xhtml|md|mdx|markdown|txt|text|rst|adoc|asciidoc)$/i,
  async *read(source, { from, address }) {
    if (from !== null) return;
    const found = { after: [1], position: source.size };
    if (source.size > PAGE_BYTES_MAX) {
      yield { ...found, where: source.name, problem: 'is larger than 5 MB' };
      return;
    }
    const bytes = new Uint8Array(await source.read(0, source.size));
    const contentType = TYPES.find(([ending]) => ending.test(source.name))?.[1] ?? null;
    const written = await stat(source.name).catch(() => null);
    const fetchedAt = written === null ? null : Math.round(written.mtimeMs);
    yield { ...found, page: { url: address.file, body: { bytes, contentType }, fetchedAt } };
  },
};

/** Supported formats; the first one that matches a file name is used. */
const FORMATS: readonly FileFormat[] = [
  ...[PARQUET, ZIM, WEB_ARCHIVE, JSON_LINES],
  ...[LLMS_FULL, STACK_EXCHANGE, MEDIAWIKI, PAGE_FILE],
];

/** Finds the format of a file by its name; null if there is none. */
export function findFileFormat(name: string): FileFormat | null {
  return FORMATS.find(({ files }) => files.test(name)) ?? null;
}
