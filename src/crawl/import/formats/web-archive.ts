import { PAGE_BYTES_MAX } from '../../../contract/limits.ts';
import { type ByteReader, openByteReader } from '../bytes/byte-reader.ts';
import type { FileFormat, SourcePage } from './format-types.ts';
import { type HttpMessage, readHttpMessage } from './http-message.ts';

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
