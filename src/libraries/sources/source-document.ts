import type { ArchiveFile } from '../archives/archive-limits.ts';
import type { LibraryPageKind, LibraryPageSource } from '../library-types.ts';
import { classifyFile } from './classify-file.ts';
import { convertRst } from './rst-markdown.ts';

/** A document of a library before it is read. */
export type SourceDocument = {
  url: string;
  kind: LibraryPageKind;
  source: LibraryPageSource;
  /** Its path in the package, if it is a file of one. */
  path?: string;
  /** Its title, where the text does not decide on it. */
  title?: string;
  body: { bytes: Uint8Array<ArrayBuffer>; contentType: string };
};

export const MARKDOWN = 'text/markdown; charset=utf-8';
const PLAIN = 'text/plain; charset=utf-8';
const CONTENT_TYPES = {
  markdown: MARKDOWN,
  rst: MARKDOWN,
  html: 'text/html; charset=utf-8',
  text: PLAIN,
  notebook: 'application/json',
  code: PLAIN,
};
const CODE_BYTES_MAX = 40_000;
const EXAMPLES_MAX = 200;
const TEXT_BYTES_MIN = 40;

type FileOptions = {
  source: LibraryPageSource;
  /** The web address of a file by its path below the package. */
  addressOf: (path: string) => string;
  /** Hears of files that are left out, worded for people. */
  note: (text: string) => void;
};

/** Turns the documentation among the files of an archive into documents: guides first, then what refers to them. */
export function listFileDocuments(
  files: readonly ArchiveFile[],
  { source, addressOf, note }: FileOptions,
): SourceDocument[] {
  let examples = 0;
  let omitted = 0;
  // Sphinx writes reStructuredText into files of any ending.
  const isSphinx =
    files.some(({ path }) => /(?:^|\/)conf\.py$/.test(path)) ||
    files.some(({ path }) => /\.rst$/i.test(path));
  const found: (SourceDocument & { order: number })[] = [];
  const rendered = new Set(
    files.filter(({ path }) => /\.html?$/i.test(path)).map(({ path }) => toPageKey(path)),
  );
  for (const { path, bytes } of files) {
    const file = classifyFile(path);
    const isSource = file?.format === 'rst' || file?.format === 'markdown';
    if (isSource && rendered.has(toPageKey(path)) && !/(?:^|\/)readme\b/i.test(path)) continue;
    if (file === null || bytes.length < TEXT_BYTES_MIN) continue;
    const isCode = file.format === 'code';
    if (isCode && (bytes.length > CODE_BYTES_MAX || examples >= EXAMPLES_MAX)) {
      omitted += 1;
      continue;
    }
    if (isCode) examples += 1;
    const format = file.format === 'text' && isSphinx ? guessTextFormat(bytes) : file.format;
    const url = addressOf(path);
    found.push({
      url,
      kind: file.kind,
      source,
      path,
      body: { bytes: format === 'rst' ? convertBytes(bytes) : bytes, contentType: CONTENT_TYPES[format] },
      order: ORDER.indexOf(file.kind) * DEPTH_STEP + path.split('/').length,
    });
  }
  if (omitted > 0)
    note(
      `${omitted} example files are left out: above ${CODE_BYTES_MAX} bytes, or after the first ${EXAMPLES_MAX}`,
    );
  return found
    .toSorted((one, other) => one.order - other.order)
    .map(({ order: _order, ...document }) => document);
}
/** Names a page by its last folder and its name: where a package has its source and what was rendered from it, the latter says more. */
const toPageKey = (path: string): string =>
  path
    .replace(/\.\w{1,8}$/, '')
    .split('/')
    .slice(-PAGE_KEY_PARTS)
    .join('/');
const PAGE_KEY_PARTS = 2;

const ORDER: LibraryPageKind[] = ['guide', 'reference', 'changelog', 'example', 'api'];
const DEPTH_STEP = 1_000;

const SNIFFED_BYTES = 4_000;

/** Tells reStructuredText by its directives and underlined headings. */
function guessTextFormat(bytes: Uint8Array): 'rst' | 'text' {
  const start = Buffer.from(bytes.subarray(0, SNIFFED_BYTES)).toString('utf8');
  const lines = start.split(/\r?\n/);
  return lines.some((line) => /^\.\. [\w:-]+::|^[=\-~^]{4,}$|:\w+:`/.test(line)) ? 'rst' : 'text';
}

function convertBytes(bytes: Uint8Array): Uint8Array<ArrayBuffer> {
  return new TextEncoder().encode(convertRst(Buffer.from(bytes).toString('utf8')));
}

/** Turns the description that a registry shows into a document. */
export function toDescriptionDocument(
  { text, contentType }: { text: string; contentType: string },
  { url, source }: { url: string; source: LibraryPageSource },
): SourceDocument | null {
  if (text.trim().length < TEXT_BYTES_MIN) return null;
  const type = contentType.split(';', 1)[0]?.trim();
  const bytes = new TextEncoder().encode(type === 'text/x-rst' ? convertRst(text) : text);
  const isPlain = type === 'text/plain';
  return {
    url,
    path: 'README',
    kind: 'guide',
    source,
    body: { bytes, contentType: isPlain ? PLAIN : MARKDOWN },
  };
}
