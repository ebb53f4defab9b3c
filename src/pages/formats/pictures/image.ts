import { createFetchFailure } from '../../../contract/errors.ts';
import type { Article } from '../../article.ts';
import { escapeMarkdown } from '../../extract/markdown/inline/finish-inline.ts';
import { buildPlainArticle } from '../plain-article.ts';

/** The metadata of a picture: its kind, size in pixels and texts by name. */
type ImageFacts = { kind: string; width: number; height: number; texts: Map<string, string> };

const TEXTS_MAX = 50;
const TEXT_CHARS_MAX = 5_000;
const SEGMENTS_MAX = 10_000;

/** Reads a picture as its metadata: kind, size and the texts that it carries (PNG text, JPEG comment and EXIF). */
export function readImage(bytes: Uint8Array, url: string): Article {
  const data = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const facts = readPng(data) ?? readGif(data) ?? readWebp(data) ?? readJpeg(data);
  if (facts === null)
    throw createFetchFailure(
      'unsupported_type',
      'the page is a picture that is damaged or of a kind that is not known',
    );
  const { kind, width, height, texts } = facts;
  const lines = [...texts].map(
    ([name, text]) => `- ${escapeMarkdown(name)}: ${escapeMarkdown(readLine(text))}`,
  );
  const article = buildPlainArticle(url, {
    kind: 'document',
    title: texts.get('Title') ?? '',
    author: texts.get('Author') ?? texts.get('Artist') ?? null,
    description: texts.get('Description') ?? texts.get('ImageDescription') ?? null,
    markdown: [`Picture (${kind}), ${width} × ${height} pixels.`, lines.join('\n')].join('\n\n').trim(),
    rawChars: bytes.length,
  });
  // A picture without texts is kept out of the index: no query could match it.
  return texts.size === 0 ? { ...article, robots: { index: false, follow: true } } : article;
}

/** Returns the beginning of a text without control characters. */
const readLine = (text: string): string => text.slice(0, TEXT_CHARS_MAX).replace(/\p{Cc}+/gu, ' ');

function readPng(data: Buffer): ImageFacts | null {
  if (data.length < 33 || data.readUInt32BE(0) !== 0x89504e47) return null;
  const texts = new Map<string, string>();
  let at = 8;
  for (let chunk = 0; chunk < SEGMENTS_MAX && at + 12 <= data.length; chunk += 1) {
    const length = data.readUInt32BE(at);
    const type = data.toString('latin1', at + 4, at + 8);
    const body = data.subarray(at + 8, at + 8 + length);
    const end = body.indexOf(0);
    if (type === 'tEXt' && end > 0)
      addText(texts, body.toString('latin1', 0, end), body.toString('latin1', end + 1));
    // The language and the translated name precede the text; compressed texts are left out.
    if (type === 'iTXt' && end > 0 && body[end + 1] === 0) {
      const rest = body.toString('utf8', end + 3).split('\0');
      addText(texts, body.toString('latin1', 0, end), rest.slice(2).join(' '));
    }
    at += 12 + length;
  }
  return { kind: 'PNG', width: data.readUInt32BE(16), height: data.readUInt32BE(20), texts };
}

function readGif(data: Buffer): ImageFacts | null {
  if (data.length < 10 || data.toString('latin1', 0, 4) !== 'GIF8') return null;
  return { kind: 'GIF', width: data.readUInt16LE(6), height: data.readUInt16LE(8), texts: new Map() };
}

/** Reads the three forms of WebP: lossy, lossless and extended. */
function readWebp(data: Buffer): ImageFacts | null {
  if (data.length < 30 || data.toString('latin1', 8, 12) !== 'WEBP') return null;
  const form = data.toString('latin1', 12, 16);
  const buildFacts = (width: number, height: number): ImageFacts => ({
    kind: 'WebP',
    width,
    height,
    texts: new Map(),
  });
  if (form === 'VP8 ') return buildFacts(data.readUInt16LE(26) & 0x3fff, data.readUInt16LE(28) & 0x3fff);
  if (form === 'VP8X') return buildFacts(data.readUIntLE(24, 3) + 1, data.readUIntLE(27, 3) + 1);
  const bits = data.readUInt32LE(21);
  return form === 'VP8L' ? buildFacts((bits & 0x3fff) + 1, ((bits >> 14) & 0x3fff) + 1) : null;
}

function readJpeg(data: Buffer): ImageFacts | null {
  if (data.length < 4 || data.readUInt16BE(0) !== 0xffd8) return null;
  const texts = new Map<string, string>();
  let at = 2;
  for (let segment = 0; segment < SEGMENTS_MAX && at + 9 < data.length && data[at] === 0xff; segment += 1) {
    const marker = data[at + 1] ?? 0;
    const length = data.readUInt16BE(at + 2);
    const body = data.subarray(at + 4, at + 2 + length);
    if (marker === 0xfe) addText(texts, 'Comment', body.toString('utf8'));
    if (marker === 0xe1 && body.toString('latin1', 0, 6) === 'Exif\0\0') readExif(body.subarray(6), texts);
    const isFrame = marker >= 0xc0 && marker <= 0xcf && marker !== 0xc4 && marker !== 0xc8 && marker !== 0xcc;
    if (isFrame)
      return { kind: 'JPEG', width: data.readUInt16BE(at + 7), height: data.readUInt16BE(at + 5), texts };
    at += 2 + length;
  }
  return null;
}

/** Tags of EXIF texts; `DateTimeOriginal` is in a directory of its own. */
const EXIF_TEXTS = new Map([
  [0x010e, 'ImageDescription'],
  [0x010f, 'Make'],
  [0x0110, 'Model'],
  [0x0132, 'DateTime'],
  [0x013b, 'Artist'],
  [0x8298, 'Copyright'],
  [0x9003, 'DateTimeOriginal'],
]);
const EXIF_DIRECTORY = 0x8769;

function readExif(data: Buffer, texts: Map<string, string>): void {
  if (data.length < 8) return;
  const isLittle = data.toString('latin1', 0, 2) === 'II';
  const readShort = (at: number): number =>
    at + 2 > data.length ? 0 : isLittle ? data.readUInt16LE(at) : data.readUInt16BE(at);
  const readLong = (at: number): number =>
    at + 4 > data.length ? 0 : isLittle ? data.readUInt32LE(at) : data.readUInt32BE(at);
  const readDirectory = (directory: number, depth: number): void => {
    const entries = Math.min(readShort(directory), 500);
    for (let entry = 0; entry < entries; entry += 1) {
      const at = directory + 2 + 12 * entry;
      const [tag, count] = [readShort(at), readLong(at + 4)];
      const name = EXIF_TEXTS.get(tag);
      const place = count > 4 ? readLong(at + 8) : at + 8;
      if (name !== undefined && readShort(at + 2) === 2)
        addText(texts, name, data.toString('utf8', place, place + Math.min(count, TEXT_CHARS_MAX)));
      if (tag === EXIF_DIRECTORY && depth === 0) readDirectory(readLong(at + 8), 1);
    }
  };
  readDirectory(readLong(4), 0);
}

function addText(texts: Map<string, string>, name: string, text: string): void {
  const plain = text.split('\0', 1)[0]?.trim() ?? '';
  if (plain !== '' && texts.size < TEXTS_MAX) texts.set(name.slice(0, 100), plain);
}
