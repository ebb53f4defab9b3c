import { PAGE_BYTES_MAX } from '../../../contract/limits.ts';
import type { PageOrigin } from '../../../index/local-index-types.ts';
import { type ByteSource, openByteReader } from '../bytes/byte-reader.ts';
import type { ColumnMap } from './parquet/column-map.ts';

/** Maximum bytes of a line: a page as JSON, which may need more bytes than its text. */
const LINE_BYTES_MAX = 4 * PAGE_BYTES_MAX;

/** One page per line, as `index export` writes them. */
export const JSON_LINES: FileFormat = {
  name: 'JSONL',
  files: /\.(?:jsonl|ndjson)(?:\.gz|\.zst)?$/i,
  keepsCopies: true,
  async *read(source, { from }) {
    const [origin = 0, offset = 0, lines = 0] = from ?? [];
    const reader = await openByteReader(source, [origin, offset]);
    for (let number = lines + 1; ; number += 1) {
      const line = await reader.readLine(LINE_BYTES_MAX);
      if (line === null) return;
      const after = [...reader.place(), number];
      const where = `${source.name}:${number}`;
      if (line.text.trim() === '') continue;
      const found = line.isCut ? { where, problem: 'is longer than 20 MB' } : parsePage(line.text, where);
      yield { ...found, after, position: reader.position() };
    }
  },
};

type PageOrProblem = { page: SourcePage } | { where: string; problem: string };

function parsePage(line: string, where: string): PageOrProblem {
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
  const type = body === html ? 'text/html' : body === markdown ? 'text/markdown' : 'text/plain';
  const day = typeof publishedDate === 'string' ? /^\d{4}-\d{2}-\d{2}/.exec(publishedDate)?.[0] : undefined;
  return {
    page: {
      url,
      body: { bytes: new TextEncoder().encode(body), contentType: `${type}; charset=utf-8` },
      fetchedAt: typeof fetchedAt === 'string' ? Date.parse(fetchedAt) || null : null,
      ...pickTexts(page),
      ...(Number.isSafeInteger(rawChars) && Number(rawChars) >= 0 ? { rawChars: Number(rawChars) } : {}),
      ...(day === undefined ? {} : { publishedDay: day }),
      ...parseOrigin(page),
    },
  };
}

function pickTexts(
  page: Record<string, unknown>,
): Pick<SourcePage, 'title' | 'language' | 'site' | 'author'> {
  const names = ['title', 'language', 'site', 'author'] as const;
  return Object.fromEntries(
    names.flatMap((name) => (typeof page[name] === 'string' ? [[name, page[name]]] : [])),
  );
}

function parseOrigin({ source, licence }: Record<string, unknown>): Pick<SourcePage, 'origin'> {
  if (typeof source !== 'string' || source === '') return {};
  return { origin: { source, licence: typeof licence === 'string' ? licence : null } };
}

/** The content of a page: a response body, which is extracted, or finished Markdown. */
type SourceBody =
  | { bytes: Uint8Array<ArrayBuffer>; contentType: string | null }
  /** Markdown without front matter, HTML and relative links. */
  | { markdown: string };

/** A page found by an import; metadata that the format states overrides metadata from the text. */
export type SourcePage = {
  url: string;
  body: SourceBody;
  fetchedAt: number | null;
  /** The response headers about sharing, if a response was recorded; lower-case names. */
  headers?: Record<string, string>;
  title?: string;
  publishedDay?: string;
  language?: string;
  site?: string;
  author?: string;
  rawChars?: number;
  origin?: PageOrigin;
};

/** A place in a file at which reading resumes; each format defines its meaning. */
export type RecordPlace = readonly number[];

/** A record of a file. `after`: the place behind it; `position`: the same in bytes, for progress. */
type FileRecord = { after: RecordPlace; position: number } & (
  | { page: SourcePage }
  /** A record that cannot be imported. */
  | { where: string; problem: string }
);

type FormatContext = {
  /** The place to start at; null: the beginning. */
  from: RecordPlace | null;
  /** `baseUrl`: the address given to the import; `file`: the address of this file. */
  address: { baseUrl: string | null; file: string };
  /** Columns of tables; null: the usual names. */
  columns: ColumnMap | null;
  /** A folder for data that does not fit into memory; it is kept until the import is complete. */
  scratch: string;
  signal: AbortSignal;
};

/** A file format. Files are read in order, and from any place that the format has returned. */
export type FileFormat = {
  name: string;
  /** Matches the names of its files. */
  files: Pick<RegExp, 'test'>;
  /** True if all its pages are imported, even those that nearly repeat others. */
  keepsCopies?: boolean;
  read(source: ByteSource, context: FormatContext): AsyncGenerator<FileRecord>;
  /** Reads the origin that the file states for its corpus. */
  originOf?(source: ByteSource): Promise<PageOrigin | null>;
};
