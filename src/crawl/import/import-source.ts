import { createReadStream } from 'node:fs';
import { readdir, readFile, stat } from 'node:fs/promises';
import { join, relative, sep } from 'node:path';
import { createInterface } from 'node:readline';
import { pathToFileURL } from 'node:url';
import { createGunzip } from 'node:zlib';
import { PAGE_BYTES_MAX } from '../../contract/limits.ts';

/** A page found by an import; `title` and `publishedDay` are set if the format states them apart from the text. */
export type SourcePage = {
  url: string;
  bytes: Uint8Array<ArrayBuffer>;
  contentType: string | null;
  fetchedAt: number | null;
  /** The response headers about sharing, if a response was recorded; lower-case names. */
  headers?: Record<string, string>;
  title?: string;
  publishedDay?: string;
  language?: string;
  site?: string;
  author?: string;
  rawChars?: number;
};

/** Something found that cannot be imported. */
type SourceProblem = { where: string; problem: string };

const PAGE_FILE = /\.(?:html?|xhtml|md|markdown|txt|text)$/i;
const TYPES: [RegExp, string][] = [
  [/\.(?:html?|xhtml)$/i, 'text/html'],
  [/\.(?:md|markdown)$/i, 'text/markdown'],
  [/\.(?:txt|text)$/i, 'text/plain; charset=utf-8'],
];

/**
 * Reads the pages of a file, or of a folder and everything below it: HTML, Markdown and text files, JSONL of pages, WARC
 * (also .gz). A file's address is its path below `baseUrl`, or its file: address.
 */
export async function* readSource(
  path: string,
  baseUrl: string | null,
): AsyncGenerator<SourcePage | SourceProblem> {
  const root = (await stat(path)).isDirectory() ? path : null;
  const files = root === null ? [path] : await filesBelow(root);
  for (const file of files) {
    if (/\.warc(?:\.gz)?$/i.test(file)) yield* readWarc(file);
    else if (/\.(?:jsonl|ndjson)(?:\.gz)?$/i.test(file)) yield* readJsonLines(file);
    else if (PAGE_FILE.test(file)) yield readPageFile(file, addressOf(file, { root, baseUrl }));
    else if (root === null)
      yield {
        where: file,
        problem: 'is not a .html, .md, .txt, .jsonl or .warc file (the last two also .gz)',
      };
  }
}

async function filesBelow(folder: string): Promise<string[]> {
  const names = await readdir(folder, { recursive: true, withFileTypes: true });
  return names
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .sort();
}

function addressOf(file: string, { root, baseUrl }: { root: string | null; baseUrl: string | null }): string {
  if (baseUrl === null) return pathToFileURL(file).href;
  const path = root === null ? (file.split(sep).at(-1) ?? '') : relative(root, file).split(sep).join('/');
  return new URL(path.split('/').map(encodeURIComponent).join('/'), `${baseUrl.replace(/(?<!\/)\/+$/, '')}/`)
    .href;
}

async function readPageFile(file: string, url: string): Promise<SourcePage | SourceProblem> {
  const { size, mtimeMs } = await stat(file);
  if (size > PAGE_BYTES_MAX) return { where: file, problem: 'is larger than 5 MB' };
  const contentType = TYPES.find(([ending]) => ending.test(file))?.[1] ?? null;
  return { url, bytes: new Uint8Array(await readFile(file)), contentType, fetchedAt: Math.round(mtimeMs) };
}

async function* readJsonLines(file: string): AsyncGenerator<SourcePage | SourceProblem> {
  const raw = createReadStream(file);
  const lines = createInterface({ input: file.endsWith('.gz') ? raw.pipe(createGunzip()) : raw });
  let number = 0;
  for await (const line of lines) {
    number += 1;
    if (line.trim() !== '') yield pageOfLine(line, `${file}:${number}`);
  }
}

function pageOfLine(line: string, where: string): SourcePage | SourceProblem {
  let page: Record<string, unknown>;
  try {
    page = JSON.parse(line) as Record<string, unknown>;
  } catch {
    return { where, problem: 'is not JSON' };
  }
  const { url, html, markdown, text, publishedDate, fetchedAt, rawChars } = page;
  const body = [html, markdown, text].find((part) => typeof part === 'string');
  if (typeof url !== 'string' || !URL.canParse(url)) return { where, problem: 'has no "url"' };
  if (typeof body !== 'string') return { where, problem: 'has none of "html", "markdown" and "text"' };
  const day = typeof publishedDate === 'string' ? /^\d{4}-\d{2}-\d{2}/.exec(publishedDate)?.[0] : undefined;
  return {
    url,
    bytes: new TextEncoder().encode(body),
    contentType: `${body === html ? 'text/html' : body === markdown ? 'text/markdown' : 'text/plain'}; charset=utf-8`,
    fetchedAt: typeof fetchedAt === 'string' ? Date.parse(fetchedAt) || null : null,
    ...textsOf(page),
    ...(Number.isSafeInteger(rawChars) && Number(rawChars) >= 0 ? { rawChars: Number(rawChars) } : {}),
    ...(day === undefined ? {} : { publishedDay: day }),
  };
}

function textsOf(page: Record<string, unknown>): Pick<SourcePage, 'title' | 'language' | 'site' | 'author'> {
  const names = ['title', 'language', 'site', 'author'] as const;
  return Object.fromEntries(
    names.flatMap((name) => (typeof page[name] === 'string' ? [[name, page[name]]] : [])),
  );
}

async function* readWarc(file: string): AsyncGenerator<SourcePage | SourceProblem> {
  // Imported on demand: no server reads archives.
  const { WARCParser } = await import('warcio');
  for await (const record of new WARCParser(createReadStream(file))) {
    if (record.warcType !== 'response' && record.warcType !== 'resource') continue;
    const url = record.warcTargetURI ?? '';
    if (!/^https?:/.test(url)) continue;
    const status = record.httpHeaders?.statusCode ?? 200;
    const contentType = record.httpHeaders?.headers.get('content-type') ?? record.warcContentType ?? null;
    if (status !== 200 || !/html|text|xml|json|^$/.test(contentType ?? '')) continue;
    const payload = await record.readFully(true);
    if (payload.length > PAGE_BYTES_MAX) yield { where: url, problem: 'is larger than 5 MB' };
    else
      yield {
        url,
        bytes: new Uint8Array(payload),
        contentType,
        fetchedAt: Date.parse(record.warcDate ?? '') || null,
        headers: sharingHeaders(record.httpHeaders?.headers),
      };
  }
}

/** The headers that `privacyOf` reads. */
function sharingHeaders(
  headers: { get(name: string): string | null | undefined } | undefined,
): Record<string, string> {
  const names = ['cache-control', 'vary', 'x-robots-tag'];
  return Object.fromEntries(names.map((name) => [name, headers?.get(name) ?? '']));
}
