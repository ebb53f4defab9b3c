import { brotliDecompressSync, gunzipSync, inflateSync, zstdDecompressSync } from 'node:zlib';
import { PAGE_BYTES_MAX } from '../../../contract/limits.ts';
import { joinHeaders } from '../../../platform/net/exchange.ts';
import { type ByteReader, openByteReader } from '../bytes/byte-reader.ts';
import type { FileFormat, SourcePage } from './json-lines.ts';

const OPTIONS = { maxOutputLength: 2 * PAGE_BYTES_MAX };
const DECODERS: Record<string, (bytes: Buffer) => Buffer> = {
  gzip: (bytes) => gunzipSync(bytes, OPTIONS),
  'x-gzip': (bytes) => gunzipSync(bytes, OPTIONS),
  deflate: (bytes) => inflateSync(bytes, OPTIONS),
  br: (bytes) => brotliDecompressSync(bytes, OPTIONS),
  zstd: (bytes) => zstdDecompressSync(bytes, OPTIONS),
};

const HEAD_BYTES_MAX = 1 << 16;
/** Maximum bytes of a record: a response with its headers, perhaps still compressed. */
const RECORD_BYTES_MAX = 2 * PAGE_BYTES_MAX;
const LINE_BYTES_MAX = 1 << 14;

/** The header fields of a record, by lower-case name. */
type RecordHead = Map<string, string>;

/** WARC (responses), WET (their texts) and WAT (their metadata), as in ISO 28500, compressed or not. */
export const WEB_ARCHIVE: FileFormat = {
  name: 'WARC',
  files: /\.(?:warc|wet|wat)(?:\.wet|\.wat)?(?:\.gz|\.zst)?$/i,
  async *read(source, { from }) {
    const [origin = 0, offset = 0] = from ?? [];
    const reader = await openByteReader(source, [origin, offset]);
    for (;;) {
      const head = await readHead(reader, source.name);
      if (head === null) return;
      const length = parseLength(head, source.name);
      const found = await readContent(reader, head, length);
      if (found !== null) yield { ...found, after: reader.place(), position: reader.position() };
    }
  },
};

/** Reads the header of the next record; null at the end. */
async function readHead(reader: ByteReader, name: string): Promise<RecordHead | null> {
  let line = await reader.readLine(LINE_BYTES_MAX);
  while (line?.text === '') line = await reader.readLine(LINE_BYTES_MAX);
  if (line === null) return null;
  if (!/^WARC\/\d/.test(line.text)) throw new Error(`${name} holds something that is not a WARC record`);
  const head: RecordHead = new Map();
  let bytes = 0;
  for (;;) {
    const field = await reader.readLine(LINE_BYTES_MAX);
    if (field === null || field.text === '') return head;
    bytes += field.text.length;
    if (bytes > HEAD_BYTES_MAX) throw new Error(`${name} has a record whose head is too long`);
    const colon = field.text.indexOf(':');
    if (colon > 0) head.set(field.text.slice(0, colon).toLowerCase(), field.text.slice(colon + 1).trim());
  }
}

/** Parses the length of a record. Throws if it is missing, because then the next record cannot be found. */
function parseLength(head: RecordHead, name: string): number {
  const written = head.get('content-length') ?? '';
  if (/^\d{1,15}$/.test(written)) return Number(written);
  throw new Error(`${name} has a record that does not state its length`);
}

type PageOrProblem = { page: SourcePage } | { where: string; problem: string };

/** Reads the page of a record; null if it holds none. Consumes the content in any case. */
async function readContent(
  reader: ByteReader,
  head: RecordHead,
  length: number,
): Promise<PageOrProblem | null> {
  const type = head.get('warc-type') ?? '';
  const url = (head.get('warc-target-uri') ?? '').replace(/^<(.*)>$/, '$1');
  const read = Object.hasOwn(READERS, type) ? READERS[type] : undefined;
  if (read === undefined || !/^https?:/.test(url)) {
    await reader.skip(length);
    return null;
  }
  if (length > RECORD_BYTES_MAX) {
    await reader.skip(length);
    return { where: url, problem: 'is larger than 5 MB' };
  }
  const content = await reader.read(length);
  if (content.length < length) return { where: url, problem: 'is cut off at the end of the file' };
  return read(content, { url, fetchedAt: Date.parse(head.get('warc-date') ?? '') || null, head });
}

type RecordFacts = { url: string; fetchedAt: number | null; head: RecordHead };

const READERS: Record<string, (content: Buffer, facts: RecordFacts) => PageOrProblem | null> = {
  response(content, facts) {
    const message = readHttpMessage(content);
    if (message === null || message.status !== 200) return null;
    return buildPage(message, facts);
  },
  resource(content, facts) {
    const contentType = facts.head.get('content-type') ?? null;
    return buildPage({ status: 200, headers: { 'content-type': contentType ?? '' }, body: content }, facts);
  },
  conversion(content, { url, fetchedAt, head }) {
    const language = head.get('warc-identified-content-language')?.split(',')[0];
    const text = content.toString('utf8');
    const title = text.slice(0, TITLE_CHARS_MAX).split('\n', 1)[0]?.trim();
    return {
      page: {
        url,
        fetchedAt,
        body: { markdown: text },
        ...(title === undefined || title === '' ? {} : { title }),
        ...(language === undefined ? {} : { language }),
      },
    };
  },
  metadata(content, { url, fetchedAt, head }) {
    if (!/json/.test(head.get('content-type') ?? '')) return null;
    const { title, description } = parseWatHead(content);
    if (description === null) return null;
    return {
      page: { url, fetchedAt, body: { markdown: description }, ...(title === null ? {} : { title }) },
    };
  },
};

const TITLE_CHARS_MAX = 300;
const READABLE = /html|text|xml|json|^$/;

function buildPage({ headers, body }: HttpMessage, { url, fetchedAt }: RecordFacts): PageOrProblem | null {
  const contentType = headers['content-type'] ?? '';
  if (!READABLE.test(contentType)) return null;
  if (body.length > PAGE_BYTES_MAX) return { where: url, problem: 'is larger than 5 MB' };
  const bytes = new Uint8Array(body);
  return {
    page: { url, fetchedAt, headers, body: { bytes, contentType: contentType === '' ? null : contentType } },
  };
}

/** Parses the title and description of a page from a WAT record. */
function parseWatHead(content: Buffer): { title: string | null; description: string | null } {
  const none = { title: null, description: null };
  try {
    const { Envelope } = JSON.parse(content.toString('utf8')) as WatRecord;
    const page = Envelope?.['Payload-Metadata']?.['HTTP-Response-Metadata'];
    if (page?.['Response-Message']?.Status !== '200') return none;
    const { Title = null, Metas = [] } = page['HTML-Metadata']?.Head ?? {};
    const said = Metas.find(({ name, property }) => /^(?:og:)?description$/i.test(name ?? property ?? ''));
    return { title: Title, description: said?.content?.trim() || null };
  } catch {
    return none;
  }
}

type WatRecord = {
  Envelope?: {
    'Payload-Metadata'?: {
      'HTTP-Response-Metadata'?: {
        'Response-Message'?: { Status?: string };
        'HTML-Metadata'?: {
          Head?: { Title?: string; Metas?: { name?: string; property?: string; content?: string }[] };
        };
      };
    };
  };
};

/** A recorded response, with headers as `joinHeaders` joins them. */
type HttpMessage = { status: number; headers: Record<string, string>; body: Buffer };

/** Parses a recorded response and decodes its body; null if the content is not a response. */
function readHttpMessage(content: Buffer): HttpMessage | null {
  const end = findHeadEnd(content);
  const lines = content.subarray(0, end.at).toString('latin1').split(/\r?\n/);
  const status = /^HTTP\/\d\S*\s+(\d{3})/.exec(lines[0] ?? '')?.[1];
  if (status === undefined) return null;
  const headers = joinHeaders(
    lines.slice(1).flatMap((line) => {
      const colon = line.indexOf(':');
      return colon <= 0 ? [] : [[line.slice(0, colon).trim(), line.slice(colon + 1).trim()] as const];
    }),
  );
  const body = decodeContent(decodeChunks(content.subarray(end.at + end.length), headers), headers);
  return { status: Number(status), headers, body };
}

function findHeadEnd(content: Buffer): { at: number; length: number } {
  const strict = content.indexOf('\r\n\r\n');
  if (strict !== -1) return { at: strict, length: 4 };
  const loose = content.indexOf('\n\n');
  return loose === -1 ? { at: content.length, length: 0 } : { at: loose, length: 2 };
}

/** Decodes a chunked body. Some archives store it without chunks; then it is returned unchanged. */
function decodeChunks(body: Buffer, headers: Record<string, string>): Buffer {
  if (!/chunked/i.test(headers['transfer-encoding'] ?? '')) return body;
  const chunks: Buffer[] = [];
  for (let at = 0; at < body.length; ) {
    const lineEnd = body.indexOf('\r\n', at);
    const size = lineEnd === -1 ? '' : body.subarray(at, lineEnd).toString('latin1');
    if (!/^[0-9a-f]{1,8}\s{0,9}(?:;|$)/i.test(size))
      return chunks.length === 0 ? body : Buffer.concat(chunks);
    const length = Number.parseInt(size, 16);
    if (length === 0) break;
    chunks.push(body.subarray(lineEnd + 2, lineEnd + 2 + length));
    at = lineEnd + 2 + length + 2;
  }
  return Buffer.concat(chunks);
}

/** Decodes the content coding. Some archives store the body decoded under the original headers; then it is returned unchanged. */
function decodeContent(body: Buffer, headers: Record<string, string>): Buffer {
  const coding = (headers['content-encoding'] ?? '').trim().toLowerCase();
  const decode = Object.hasOwn(DECODERS, coding) ? DECODERS[coding] : undefined;
  if (decode === undefined) return body;
  try {
    return decode(body);
  } catch {
    return body;
  }
}
