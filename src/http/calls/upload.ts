/**
 * Files as bodies: a form of several parts, a JSON object with the file in Base64, or the bytes of one file. Whatever it is becomes fields.
 * Nothing of an upload is kept, also not for the repetition of a call.
 */
import * as z from 'zod';
import { UPLOAD_BYTES_MAX } from '../../contract/limits.ts';
import type { GivenPage } from '../../search/read.ts';
import type { JsonObject } from './call.ts';
import { createValidationFailure, readJsonObject } from './json-body.ts';

const PARTS_MAX = 20;
const HEAD_BYTES_MAX = 8_192;
const FORM = /^--([^\r\n]{1,70})\r\n(?:[\w-]{1,100}:[^\r\n]*\r\n){0,9}content-disposition:/i;
const OBJECT_START = 0x7b;
/** Matches content types that say nothing about a file: defaults of programs, and those of bodies that are parsed as fields. */
const NO_FILE_TYPE = /^(?:application\/(?:x-www-form-urlencoded|json)|multipart\/)/i;
const UNKNOWN_TYPE = /^(?:application\/octet-stream|binary\/octet-stream)?$/i;

/** Types of formats that do not show in the first bytes of a file, by the end of its name. */
const TYPES = new Map([
  ...(['md', 'markdown', 'mdx'] as const).map((end) => [end, 'text/markdown'] as const),
  ...(['html', 'htm'] as const).map((end) => [end, 'text/html'] as const),
  ...(['eml', 'mht', 'mhtml'] as const).map((end) => [end, 'message/rfc822'] as const),
  ['csv', 'text/csv'],
  ['tsv', 'text/tab-separated-values'],
  ['json', 'application/json'],
  ['xml', 'application/xml'],
  ['txt', 'text/plain'],
  ['vtt', 'text/vtt'],
  ['srt', 'text/srt'],
  ['svg', 'image/svg+xml'],
]);

/** The part of a route that takes files. */
export const UPLOAD = { readBody: readUpload, bodyBytesMax: UPLOAD_BYTES_MAX } as const;

/** The fields of a file. */
export const uploadFields = {
  file: z
    .unknown()
    .meta({
      type: 'string',
      description: 'The file in Base64; in a form its bytes.',
      examples: ['IyBXYWRlcnMKClRoZXkgcnVuIGFsb25nIHRoZSBlZGdlIG9mIHRoZSB3YXZlcy4K'],
    })
    .transform((given, context): Uint8Array<ArrayBuffer> => {
      const bytes = given instanceof Uint8Array ? given : Buffer.from(String(given ?? ''), 'base64');
      if (bytes.length === 0)
        context.addIssue({ code: 'custom', message: 'must be a file that is not empty' });
      // Its own memory, because a thread takes it over.
      return new Uint8Array(bytes);
    }),
  filename: z
    .string('must be a string')
    .max(500, 'must have at most 500 characters')
    .default('')
    .meta({
      description: 'Its end says what a file is that does not show it, such as `.csv`.',
      examples: ['waders.md'],
    }),
  contentType: z.string('must be a string').max(200, 'must have at most 200 characters').default('').meta({
    description: 'The media type of the file; by default by its name and its first bytes.',
  }),
};

/** Reads the body of an upload as fields. Throws `Failure('validation_error')` for a form that breaks off. */
function readUpload(bytes: Uint8Array, contentType: string): JsonObject {
  return { ...readFields(bytes, contentType), store: false };
}

function readFields(bytes: Uint8Array, contentType: string): JsonObject {
  if (bytes[0] === OBJECT_START) return readJsonObject(bytes);
  const body = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
  const boundary = FORM.exec(body.toString('latin1', 0, HEAD_BYTES_MAX))?.[1];
  if (boundary !== undefined) return readForm(body, boundary);
  return { file: bytes, contentType: NO_FILE_TYPE.test(contentType) ? '' : contentType };
}

function readForm(body: Buffer, boundary: string): JsonObject {
  const delimiter = Buffer.from(`\r\n--${boundary}`, 'latin1');
  const fields = new Map<string, unknown>();
  let at = delimiter.length;
  for (let parts = 0; parts < PARTS_MAX; parts += 1) {
    const headEnd = body.indexOf('\r\n\r\n', at, 'latin1');
    const end = headEnd === -1 ? -1 : body.indexOf(delimiter, headEnd + 4);
    if (end === -1 || headEnd - at > HEAD_BYTES_MAX) break;
    const head = body.toString('utf8', at, headEnd);
    const content = body.subarray(headEnd + 4, end);
    const name = /\bname="([^"\r\n]{0,200})"/i.exec(head)?.[1] ?? '';
    const filename = /\bfilename="([^"\r\n]{0,500})"/i.exec(head)?.[1];
    if (filename === undefined && name !== 'file') fields.set(name, content.toString('utf8'));
    else if (!fields.has('file')) {
      fields.set('file', content);
      fields.set('filename', filename ?? '');
      fields.set('contentType', /^content-type:[ \t]{0,9}([^\r\n]{1,200})/im.exec(head)?.[1]?.trim() ?? '');
    }
    at = end + delimiter.length;
    if (body.toString('latin1', at, at + 2) === '--') return Object.fromEntries(fields);
  }
  throw createValidationFailure([
    { field: 'body', message: `must be a whole form of at most ${PARTS_MAX} parts` },
  ]);
}

/** Returns an uploaded file as a page to read. */
export function toGivenPage({
  file,
  filename,
  contentType,
}: z.output<z.ZodObject<typeof uploadFields>>): GivenPage {
  const end = /\.([a-z]{1,10})$/i.exec(filename)?.[1]?.toLowerCase() ?? '';
  const isKnown = !UNKNOWN_TYPE.test(contentType.split(';')[0]?.trim() ?? '');
  return { bytes: file, contentType: isKnown ? contentType : (TYPES.get(end) ?? '') };
}

/** The address of a page that has none: relative links in it do not resolve. */
export const NO_ADDRESS = 'about:blank';
