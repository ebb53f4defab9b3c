/**
 * A record of research as one file that another server reads: a tar archive of `record.json` (what was asked and answered), `pages.warc`
 * (the texts of the pages, as in ISO 28500) and `SHA256SUMS` (the hashes of both, as sha256sum reads them). The same record is the same
 * bytes, so that any byte that differs is found. The hashes say that the file is whole, not who made it.
 */
import { createHash } from 'node:crypto';
import { Header } from 'tar';
import * as z from 'zod';
import { RECORD_BYTES_MAX } from '../../contract/limits.ts';
import { WEB_ARCHIVE } from '../../crawl/import/formats/web-archive.ts';
import { ArchiveRefused } from '../../libraries/archives/archive-limits.ts';
import { readArchive } from '../../libraries/archives/read-archive.ts';
import { computeContentHash } from '../../pages/content-hash.ts';
import { RECORD_ID, type ResearchRecord } from '../../versions/records.ts';
import { createValidationFailure } from '../calls/json-body.ts';

type FiledRecord = Omit<ResearchRecord, 'owner' | 'bytes' | 'title'>;
/** A record with the texts of its pages, in order; null for one that is no longer kept. */
type RecordWithTexts = { record: FiledRecord; texts: (string | null)[] };

const [RECORD, PAGES, SUMS] = ['record.json', 'pages.warc', 'SHA256SUMS'] as const;
const BLOCK = 512;
const READABLE_BY_ALL = 0o644;

/** Writes the file of a record. */
export function writeRecordFile({ record, texts }: RecordWithTexts): Buffer {
  const { id, operation, madeAt, request, answer, pages, forgotten } = record;
  const written = {
    format: FORMAT,
    id,
    operation,
    madeAt: new Date(madeAt).toISOString(),
    request,
    answer,
    pages: pages.map((page) => ({ ...page, readAt: new Date(page.readAt).toISOString() })),
    forgotten,
  };
  const json = Buffer.from(`${JSON.stringify(written, null, 2)}\n`);
  const warc = writeWebArchive({ record, texts });
  return packTar([
    [RECORD, json],
    [PAGES, warc],
    [SUMS, writeSums(json, warc)],
  ]);
}

/** Reads the file of a record and checks every byte of it. Throws `Failure('validation_error')` that names what differs. */
export async function readRecordFile(bytes: Uint8Array): Promise<RecordWithTexts> {
  const files = await unpack(bytes);
  const [json, warc, sums] = [findFile(files, RECORD), findFile(files, PAGES), findFile(files, SUMS)];
  const expected = writeSums(json, warc);
  if (!sums.equals(expected)) throw describeDifference({ warc, sums, expected });
  const packed = packTar([
    [RECORD, json],
    [PAGES, warc],
    [SUMS, sums],
  ]);
  if (!packed.equals(bytes))
    throw refuse(`the archive differs at byte ${findDifference(packed, bytes)}, outside its files`);
  const parsed = RecordFile.safeParse(parseJson(json));
  if (!parsed.success) {
    const [issue] = parsed.error.issues;
    throw refuse(`${RECORD} is not a record: ${issue?.path.join('.')} ${issue?.message}`);
  }
  const { format: _, ...record } = parsed.data;
  const texts = new Map<string, string>();
  for (const text of await readTexts(warc)) texts.set(computeContentHash(text), text);
  return { record, texts: record.pages.map(({ contentHash }) => texts.get(contentHash) ?? null) };
}

const FORMAT = 'sanderling-record-1';
const instant = z.iso.datetime().transform((text) => Date.parse(text));
const address = z.url({ protocol: /^https?$/ });
const count = z.int().min(0);
const RecordFile = z.object({
  format: z.literal(FORMAT, 'was made by another version of Sanderling'),
  id: z.string().regex(RECORD_ID),
  operation: z.enum(['search', 'contents', 'answer', 'research']),
  madeAt: instant,
  request: z.record(z.string(), z.unknown()),
  answer: z.record(z.string(), z.unknown()),
  pages: z
    .array(
      z.object({
        url: address,
        readFrom: address,
        declared: address,
        title: z.string(),
        readAt: instant,
        contentHash: z.string().regex(/^sha256:[0-9a-f]{64}$/),
        chars: count,
      }),
    )
    .max(1_000),
  forgotten: count,
});

const refuse = (message: string) => createValidationFailure([{ field: 'body', message }]);

async function unpack(bytes: Uint8Array): Promise<Map<string, Buffer>> {
  const limits = {
    packedBytesMax: RECORD_BYTES_MAX.file,
    unpackedBytesMax: RECORD_BYTES_MAX.file,
    fileBytesMax: RECORD_BYTES_MAX.file,
  };
  try {
    const files = await readArchive(bytes, { name: 'the file of the record', keeps: () => true, limits });
    return new Map(files.map((file) => [file.path, Buffer.from(file.bytes)]));
  } catch (error) {
    if (error instanceof ArchiveRefused) throw refuse(error.message);
    throw error;
  }
}

function findFile(files: ReadonlyMap<string, Buffer>, name: string): Buffer {
  const file = files.get(name);
  if (file === undefined) throw refuse(`has no ${name}`);
  return file;
}

function parseJson(bytes: Buffer): unknown {
  try {
    return JSON.parse(bytes.toString());
  } catch {
    return null;
  }
}

/** Says which file differs from its hash and, of the pages, which one. */
function describeDifference({ warc, sums, expected }: Record<'warc' | 'sums' | 'expected', Buffer>): Error {
  const [given, right] = [sums.toString().split('\n'), expected.toString().split('\n')];
  if (given[0] !== right[0]) return refuse(`${RECORD} differs from its hash in ${SUMS}`);
  if (given[1] === right[1]) return refuse(`${SUMS} has more than the hashes of the other files`);
  const damaged = findDamagedPage(warc);
  const where = damaged === null ? '' : `: the text of ${damaged}`;
  return refuse(`${PAGES} differs from its hash in ${SUMS}${where}`);
}

function findDifference(one: Uint8Array, other: Uint8Array): number {
  const end = Math.min(one.length, other.length);
  for (let at = 0; at < end; at += 1) if (one[at] !== other[at]) return at;
  return end;
}

/** Writes the hashes of the files as sha256sum does. */
function writeSums(json: Buffer, warc: Buffer): Buffer {
  const sum = (bytes: Buffer): string => createHash('sha256').update(bytes).digest('hex');
  return Buffer.from(`${sum(json)}  ${RECORD}\n${sum(warc)}  ${PAGES}\n`);
}

function packTar(files: readonly (readonly [path: string, bytes: Buffer])[]): Buffer {
  const parts = files.flatMap(([path, bytes]) => {
    const head = Buffer.alloc(BLOCK);
    new Header({ path, size: bytes.length, mode: READABLE_BY_ALL, mtime: new Date(0), type: 'File' }).encode(
      head,
    );
    return [head, bytes, Buffer.alloc(-bytes.length & (BLOCK - 1))];
  });
  return Buffer.concat([...parts, Buffer.alloc(2 * BLOCK)]);
}

const LINE = '\r\n';
const ABOUT = `software: Sanderling${LINE}format: WARC File Format 1.1${LINE}`;

/** Writes the texts of the pages as conversions of what was fetched. */
function writeWebArchive({ record, texts }: RecordWithTexts): Buffer {
  const madeAt = new Date(record.madeAt).toISOString();
  const about = {
    'WARC-Type': 'warcinfo',
    'WARC-Record-ID': nameWarcRecord(`${record.id} 0`),
    'WARC-Date': madeAt,
    'Content-Type': 'application/warc-fields',
  };
  const pages = record.pages.flatMap(({ readFrom, readAt, contentHash }, place) => {
    const text = texts[place] ?? null;
    if (text === null) return [];
    const fields = {
      'WARC-Type': 'conversion',
      'WARC-Record-ID': nameWarcRecord(`${record.id} ${place + 1}`),
      'WARC-Target-URI': readFrom,
      'WARC-Date': new Date(readAt).toISOString(),
      'WARC-Block-Digest': contentHash,
      'Content-Type': 'text/markdown; charset=utf-8',
    };
    return [writeWarcRecord(fields, Buffer.from(text))];
  });
  return Buffer.concat([writeWarcRecord(about, Buffer.from(ABOUT)), ...pages]);
}

/** Derives the name of a WARC record, so that the same record has the same bytes. */
function nameWarcRecord(text: string): string {
  const hex = createHash('sha256').update(text).digest('hex');
  const groups = [hex.slice(0, 8), hex.slice(8, 12), `8${hex.slice(13, 16)}`, `8${hex.slice(17, 20)}`];
  return `<urn:uuid:${[...groups, hex.slice(20, 32)].join('-')}>`;
}

function writeWarcRecord(fields: Record<string, string>, block: Buffer): Buffer {
  const lines = Object.entries({ ...fields, 'Content-Length': block.length });
  const head = ['WARC/1.1', ...lines.map(([name, value]) => `${name}: ${value}`)].join(LINE);
  return Buffer.concat([Buffer.from(head + LINE + LINE), block, Buffer.from(LINE + LINE)]);
}

async function readTexts(warc: Buffer): Promise<string[]> {
  const source = {
    name: PAGES,
    size: warc.length,
    read: async (start: number, end: number) => Buffer.from(warc.subarray(start, end)),
    close: async () => {},
  };
  const context = {
    from: null,
    address: { baseUrl: null, file: PAGES },
    columns: null,
    scratch: '',
    signal: new AbortController().signal,
  };
  const texts: string[] = [];
  for await (const found of WEB_ARCHIVE.read(source, context)) {
    if (!('page' in found)) throw refuse(`${PAGES}: ${found.where} ${found.problem}`);
    const { body } = found.page;
    if ('markdown' in body) texts.push(body.markdown);
  }
  return texts;
}

/** Finds the page whose text differs from its own hash; null if the difference lies elsewhere. */
function findDamagedPage(warc: Buffer): string | null {
  const heads =
    /WARC-Target-URI: (\S{1,8192})\r\nWARC-Date: [^\r]{1,40}\r\nWARC-Block-Digest: (sha256:[0-9a-f]{64})\r\nContent-Type: [^\r]{1,60}\r\nContent-Length: (\d{1,10})\r\n\r\n/g;
  // One character for each byte, so that offsets fit.
  for (const { 0: head, 1: url = '', 2: hash, 3: length, index } of warc.toString('latin1').matchAll(heads)) {
    const start = index + head.length;
    const text = warc.subarray(start, start + Number(length)).toString();
    if (computeContentHash(text) !== hash) return url;
  }
  return null;
}
