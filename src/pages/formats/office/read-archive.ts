/**
 * Reads zip archives that are documents: Office Open XML, OpenDocument and EPUB. It detects the format by the parts of the archive and
 * bounds everything that is unpacked. It does not read other archives, such as a zip of files.
 */
import { createFetchFailure } from '../../../contract/errors.ts';
import type { Article } from '../../article.ts';
import { readDocx } from './docx.ts';
import { readEpub } from './epub.ts';
import { readOdf } from './odf.ts';
import { readPptx } from './pptx.ts';
import { readOds } from './sheets.ts';
import { readXlsx } from './xlsx.ts';
import { openZip, type Zip } from './zip.ts';

type Reader = (zip: Zip, url: string) => Article;

/** Readers by the file in an archive that reveals its format. */
const BY_PART: [part: string, read: Reader][] = [
  ['word/document.xml', readDocx],
  ['xl/workbook.xml', readXlsx],
  ['ppt/presentation.xml', readPptx],
  ['META-INF/container.xml', readEpub],
];
/** Readers by the type that an archive names; the types of templates end with "-template". */
const BY_TYPE: [type: string, read: Reader][] = [
  ['application/vnd.oasis.opendocument.text', readOdf],
  ['application/vnd.oasis.opendocument.presentation', readOdf],
  ['application/vnd.oasis.opendocument.spreadsheet', readOds],
];
const TYPE_CHARS_MAX = 100;

/**
 * Reads a zip archive that is a document. Throws `fetch_failed`: 'unsupported_type' for other archives, 'undecodable' beyond the bounds.
 */
export function readArchive(bytes: Uint8Array, url: string): Article {
  const zip = openZip(bytes);
  const type = zip.text('mimetype').trim().slice(0, TYPE_CHARS_MAX);
  const [, read] =
    BY_TYPE.find(([known]) => type.startsWith(known)) ?? BY_PART.find(([part]) => zip.has(part)) ?? [];
  if (read !== undefined) return read(zip, url);
  const named = type === '' ? 'application/zip' : type;
  throw createFetchFailure('unsupported_type', `the page is of a type that cannot be read: ${named}`);
}
