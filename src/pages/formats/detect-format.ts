import { createFetchFailure } from '../../contract/errors.ts';
import { parseFileName } from './plain-article.ts';

/** Formats that are decoded to text first. */
export type TextFormat = 'html' | 'markdown' | 'json' | 'xml' | 'text' | 'csv' | 'subtitles' | 'svg';
/** Formats of documents, which are read as bytes. */
export type DocumentFormat = 'pdf' | 'archive' | 'mail' | 'image';
const BINARY_TYPE =
  /^(?:image|audio|video|font)\/|^application\/(?:pdf|zip|gzip|x-(?:gzip|tar|bzip2?|xz|7z-compressed|rar-compressed|msdownload|shockwave-flash)|vnd\.(?:ms-|openxmlformats|oasis|android|apple)|msword|epub\+zip|wasm|java-archive|octet-stream-)/;
const MAIL_TYPE = /^(?:message\/rfc822|multipart\/related|application\/x-mimearchive)$/;
const CSV_TYPE = /^(?:text\/(?:csv|tab-separated-values)|application\/csv)$/;
const SUBTITLES_TYPE = /^(?:text\/(?:vtt|srt)|application\/x-subrip)$/;
const UNKNOWN_TYPE = new Set([
  '',
  'application/octet-stream',
  'binary/octet-stream',
  'application/x-download',
  'unknown/unknown',
  'application/unknown',
  '*/*',
]);

/** Signatures of files that are not read, whatever their declared type; as latin1. */
const SIGNATURES: [name: string, start: string, at?: number][] = [
  ['RTF; save it as DOCX or PDF', '{\\rtf'],
  [
    'Outlook message, encrypted or older Office file (DOC, XLS, PPT); save it as EML, PDF, DOCX or XLSX',
    '\u00d0\u00cf\u0011\u00e0',
  ],
  ['application/zip', 'PK\u0005\u0006'],
  ['application/gzip', '\u001f\u008b'],
  ['application/x-executable', '\u007fELF'],
  ['application/x-executable', 'MZ\u0090\u0000'],
  ['video/mp4', 'ftyp', 4],
];

/** Signatures of documents that can be read. */
const DOCUMENTS: [format: DocumentFormat, start: string, at?: number][] = [
  ['pdf', '%PDF-'],
  ['archive', 'PK\u0003\u0004'],
  ['image', '\u0089PNG'],
  ['image', '\u00ff\u00d8\u00ff'],
  ['image', 'GIF87a'],
  ['image', 'GIF89a'],
  ['image', 'WEBP', 8],
];

const DOCUMENT_FORMATS: ReadonlySet<string> = new Set(['mail', ...DOCUMENTS.map(([format]) => format)]);

/** Checks whether a format is read as bytes. */
export function isDocument(format: TextFormat | DocumentFormat): format is DocumentFormat {
  return DOCUMENT_FORMATS.has(format);
}

/**
 * Detects the format of a body by its content type, and by its first bytes where the type is absent or vague. Throws `fetch_failed`
 * 'unsupported_type', naming the type, for what cannot be read.
 */
export function detectFormat(
  bytes: Uint8Array,
  contentType: string | null,
  url: string,
): TextFormat | DocumentFormat {
  const type = (contentType ?? '').split(/[;,]/)[0]?.trim().toLowerCase() ?? '';
  const start = Buffer.from(bytes.subarray(0, 1_024)).toString('latin1');
  const document = DOCUMENTS.find(([, sign, at = 0]) => start.startsWith(sign, at))?.[0];
  if (document !== undefined) return document;
  const signature = SIGNATURES.find(([, sign, at = 0]) => start.startsWith(sign, at))?.[0];
  if (signature !== undefined) throw createUnsupportedFailure(signature);
  if (MAIL_TYPE.test(type)) return 'mail';
  if (type === 'image/svg+xml') return 'svg';
  if (CSV_TYPE.test(type)) return 'csv';
  if (SUBTITLES_TYPE.test(type)) return 'subtitles';
  if (/^(?:text\/html|application\/xhtml\+xml)$/.test(type)) return isLikelyFeed(start) ? 'xml' : 'html';
  if (/^text\/(?:x-)?markdown$/.test(type)) return 'markdown';
  if (/^(?:application|text)\/(?:[\w.-]+\+)?json$|^application\/feed\+json$/.test(type)) return 'json';
  if (/^(?:application|text)\/(?:[\w.-]+\+)?xml$/.test(type)) return isLikelyHtml(start) ? 'html' : 'xml';
  if (BINARY_TYPE.test(type)) throw createUnsupportedFailure(type);
  if (isBinary(bytes, start)) throw createUnsupportedFailure(UNKNOWN_TYPE.has(type) ? 'binary data' : type);
  return detectByName(start, url, type) ?? sniffFormat(start, url, type);
}

/** Detects formats without a signature by the file name and the first bytes. */
function detectByName(start: string, url: string, type: string): TextFormat | DocumentFormat | null {
  if (type !== 'text/plain' && !UNKNOWN_TYPE.has(type)) return null;
  const ending = /\.([a-z]+)$/.exec(parseFileName(url).toLowerCase())?.[1] ?? '';
  if (/^(?:eml|mht|mhtml)$/.test(ending) && /^[\w-]+:/.test(start)) return 'mail';
  if (/^(?:csv|tsv)$/.test(ending)) return 'csv';
  if (/^(?:vtt|srt)$/.test(ending) || /^(?:\xef\xbb\xbf)?WEBVTT\s/.test(start)) return 'subtitles';
  return ending === 'svg' && /<svg[\s>]/.test(start) ? 'svg' : null;
}

function sniffFormat(start: string, url: string, type: string): TextFormat {
  const isPlain = type === 'text/plain';
  const openToDoubt = isPlain || UNKNOWN_TYPE.has(type);
  const name = parseFileName(url).toLowerCase();
  if (openToDoubt && /\.(?:md|markdown|mdown|mkd|mdx)$/.test(name)) return 'markdown';
  if (openToDoubt && isLikelyFeed(start)) return 'xml';
  // A source file on a code host is shown as written, even if it is HTML.
  if (openToDoubt && isLikelyHtml(start) && !(isPlain && /\.(?:html?|xhtml|vue|svelte|php|txt)$/.test(name)))
    return 'html';
  if (openToDoubt && /\.(?:json|ipynb)$/.test(name)) return 'json';
  if (
    openToDoubt &&
    /^\s*[[{]/.test(start) &&
    !/\.\w+$/.test(name) &&
    /^\s*(?:\{\s*"|\[\s*[[{"\d])/.test(start)
  )
    return 'json';
  return 'text';
}

function isLikelyHtml(start: string): boolean {
  const text = start.replace(/^(?:\xef\xbb\xbf)?\s*(?:<\?xml[^>]*>)?/, '');
  return /^<(?:!doctype\s+html|html|head|body)[\s>]/i.test(skipComments(text));
}

/** Skips the white space and the comments at the beginning of a text. */
function skipComments(text: string): string {
  let rest = text.trimStart();
  while (rest.startsWith('<!--')) {
    const end = rest.indexOf('-->', 4);
    if (end === -1) return '';
    rest = rest.slice(end + 3).trimStart();
  }
  return rest;
}

const isLikelyFeed = (start: string): boolean => isXmlFeed(start.replace(/^\xef\xbb\xbf/, ''));

/** Checks for binary data: text has no zero bytes unless it is UTF-16, and hardly any control characters. */
function isBinary(bytes: Uint8Array, start: string): boolean {
  if (/^(?:\xff\xfe|\xfe\xff)/.test(start)) return false;
  const window = bytes.subarray(0, 1_024);
  let zeros = 0;
  let controls = 0;
  for (const byte of window) {
    if (byte === 0) zeros += 1;
    else if (byte < 9 || (byte > 13 && byte < 27) || (byte > 27 && byte < 32)) controls += 1;
  }
  const isWide = zeros > window.length / 4 && zeros <= window.length / 2;
  return controls > window.length / 20 || (zeros > 0 && !isWide);
}

function createUnsupportedFailure(type: string): Error {
  return createFetchFailure(
    'unsupported_type',
    `the page is of a type that cannot be read: ${type.slice(0, 100)}`,
  );
}

/** Checks whether the text starts as an RSS 2.0, RSS 1.0 or Atom feed. */
function isXmlFeed(text: string): boolean {
  const start = text.slice(0, 4_096).replace(/<\?[\s\S]*?\?>|<!--[\s\S]*?-->|<![^>]*>/g, '');
  return /^\s*<(?:[\w-]+:)?(?:rss|feed|RDF)[\s>]/i.test(start.replace(/^\uFEFF/, ''));
}
