import { PAGE_BYTES_MAX } from '../../../../contract/limits.ts';
import {
  isSectionStart,
  MARK_LINES,
  parseSectionAddress,
} from '../../../../pages/alternates/llms-section.ts';
import { type ByteReader, openByteReader } from '../../bytes/byte-reader.ts';
import type { FileFormat, RecordPlace, SourcePage } from '../json-lines.ts';

const LINE_BYTES_MAX = 1 << 20;

type Line = { text: string; at: RecordPlace };
type Section = { address: string; lines: string[]; bytes: number };

/** The whole documentation of a site in one file; each section that names its address is a page. */
export const LLMS_FULL: FileFormat = {
  name: 'llms-full.txt',
  files: /(?:^|\/)llms-full\.(?:txt|md)(?:\.gz)?$/i,
  async *read(source, { from, address }) {
    const [origin = 0, offset = 0] = from ?? [];
    const reader = await openByteReader(source, [origin, offset]);
    const base = address.baseUrl ?? (/^https?:/.test(source.name) ? source.name : null);
    for await (const { section, after } of readSections(reader)) {
      const found = { after, position: reader.position() };
      const url = base === null ? URL.parse(section.address) : URL.parse(section.address, base);
      const where = `${source.name}: ${section.address}`;
      if (url === null)
        yield { ...found, where, problem: 'is a relative address; name the site with --base-url' };
      else if (section.bytes > PAGE_BYTES_MAX) yield { ...found, where, problem: 'is larger than 5 MB' };
      else yield { ...found, page: buildPage(url.href, section) };
    }
  },
};

function buildPage(url: string, { lines }: Section): SourcePage {
  const bytes = new TextEncoder().encode(lines.join('\n').replace(/\n(?:-{3,}|={3,})\s*$/, ''));
  return { url, fetchedAt: null, body: { bytes, contentType: 'text/markdown; charset=utf-8' } };
}

/** Yields sections with the place behind each. A section begins a few lines above the line that names its address. */
async function* readSections(reader: ByteReader): AsyncGenerator<{ section: Section; after: RecordPlace }> {
  let section: Section | null = null;
  // The last lines, which may belong to the next section.
  let held: Line[] = [];
  const appendLines = (lines: Line[]): void => {
    for (const { text } of lines) {
      if (section === null) continue;
      section.bytes += text.length + 1;
      if (section.bytes <= PAGE_BYTES_MAX) section.lines.push(text);
    }
  };
  for (;;) {
    const at = reader.place();
    const line = await reader.readLine(LINE_BYTES_MAX);
    if (line === null) break;
    held.push({ text: line.text, at });
    const address = parseSectionAddress(line.text);
    if (address !== null) {
      const start = findSectionStart(held);
      appendLines(held.slice(0, start));
      const first = held[start];
      if (section !== null && first !== undefined) yield { section, after: first.at };
      section = { address, lines: [], bytes: 0 };
      // The line that names the address is not part of the text, unless it is the heading.
      appendLines(held.slice(start).filter(({ text }) => text !== line.text || /^#/.test(text)));
      held = [];
    } else if (held.length > MARK_LINES) appendLines(held.splice(0, held.length - MARK_LINES));
  }
  appendLines(held);
  if (section !== null) yield { section, after: reader.place() };
}

/** Returns the index of the heading nearest to the last line, else of the last line. */
function findSectionStart(held: readonly Line[]): number {
  const heading = held.findLastIndex(({ text }) => isSectionStart(text));
  return heading === -1 ? held.length - 1 : heading;
}
