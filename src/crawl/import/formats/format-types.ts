import type { PageOrigin } from '../../../index/local-index-types.ts';
import type { ByteSource } from '../bytes/byte-source.ts';
import type { ColumnMap } from './parquet/column-map.ts';

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
