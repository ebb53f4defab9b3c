import { createFetchFailure } from '../../../contract/errors.ts';
import type { Article } from '../../article.ts';
import { convertToMarkdown } from '../convert-html.ts';
import { decode } from '../decode.ts';
import { buildPlainArticle } from '../plain-article.ts';
import { readProperties, readXml, resolvePartName } from './xml.ts';
import type { Zip } from './zip.ts';

const CHAPTERS_MAX = 2_000;

/** Reads a book (EPUB 2 and 3) as Markdown: the chapters of its spine, in order. */
export function readEpub(zip: Zip, url: string): Article {
  let packageName = '';
  readXml(zip.text('META-INF/container.xml'), {
    open: (name, attributes) => {
      if (name === 'rootfile' && packageName === '') packageName = attributes['full-path'] ?? '';
    },
  });
  const opf = zip.text(packageName);
  const names = listChapters(opf, packageName.slice(0, Math.max(0, packageName.lastIndexOf('/'))));
  const locked = listEncryptedFiles(zip.text('META-INF/encryption.xml'));
  if (names.some((name) => locked.has(name)))
    throw createFetchFailure('undecodable', 'the book is encrypted: it opens only with its licence');
  const chapters = names.flatMap((name) => {
    const bytes = zip.bytes(name);
    return bytes === null ? [] : [extractBody(decode(bytes, 'application/xhtml+xml').text)];
  });
  const rawChars = chapters.reduce((sum, chapter) => sum + chapter.length, 0);
  return buildPlainArticle(url, {
    kind: 'document',
    ...readProperties(zip, opf),
    ...convertToMarkdown(chapters, url),
    rawChars,
  });
}

/** Lists the chapters in the order of the spine, including notes and covers outside the linear order. */
function listChapters(opf: string, folder: string): string[] {
  const files = new Map<string, { name: string; isNav: boolean }>();
  const names: string[] = [];
  readXml(opf, {
    open(name, attributes) {
      const element = name.replace(/^\w+:/, '');
      if (element === 'item' && /html|xml/.test(attributes['media-type'] ?? ''))
        files.set(attributes.id ?? '', {
          name: resolvePartName(attributes.href ?? '', folder),
          isNav: (attributes.properties ?? '').split(' ').includes('nav'),
        });
      const file = element === 'itemref' ? files.get(attributes.idref ?? '') : undefined;
      if (file !== undefined && !file.isNav && names.length < CHAPTERS_MAX) names.push(file.name);
    },
  });
  return names;
}

function listEncryptedFiles(xml: string): Set<string> {
  const names = new Set<string>();
  readXml(xml, {
    open: (name, attributes) => {
      if (name.endsWith('CipherReference')) names.add(attributes.URI ?? '');
    },
  });
  return names;
}

/** Extracts the body of a chapter. Self-closing elements of XML are written with end tags, which HTML requires. */
function extractBody(xhtml: string): string {
  const start = xhtml.search(/<body[\s>]/i);
  const body = start === -1 ? xhtml : xhtml.slice(xhtml.indexOf('>', start) + 1);
  return body
    .replace(/<\/body>[\s\S]*$/i, '')
    .replace(/<(a|p|div|span|td|th|li|i|b|em|h[1-6]|title|script|style)\b([^<>]*)\/>/gi, '<$1$2></$1>');
}
