import type { PageOrigin } from '../../../index/local-index-types.ts';
import type { ByteSource } from '../bytes/byte-source.ts';
import type { ColumnMap } from './parquet/column-map.ts';

/** The text of a page: a response's body, which is extracted, or Markdown that is ready. */
type SourceBody =
  | { bytes: Uint8Array<ArrayBuffer>; contentType: string | null }
  /** Without front matter, HTML and relative links. */
  | { markdown: string };

/** A page found by an import; what the format states apart from the text overrules what the text says. */
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

/** Where in a file reading goes on; its meaning is the format's own. */
export type RecordPlace = readonly number[];

/** A record of a file. `after`: the place behind it; `position`: how far in the file that is, in bytes. */
type Found = { after: RecordPlace; position: number } & (
  | { page: SourcePage }
  /** Something that cannot be imported. */
  | { where: string; problem: string }
);

type FormatContext = {
  /** Null: the beginning. */
  from: RecordPlace | null;
  /** The address that the import was given, or that of this file. */
  address: { baseUrl: string | null; file: string };
  /** Columns of tables; null: the usual names. */
  columns: ColumnMap | null;
  /** A folder for what does not fit into memory; it is kept until the import is complete. */
  scratch: string;
  signal: AbortSignal;
};

/** A file format; all are read in order and from any place that they have given. */
export type FileFormat = {
  name: string;
  /** The names of its files. */
  files: Pick<RegExp, 'test'>;
  /** Whether its pages are all wanted, even those that nearly repeat others. */
  keepsCopies?: boolean;
  read(source: ByteSource, context: FormatContext): AsyncGenerator<Found>;
  /** What the file says of its corpus. */
  originOf?(source: ByteSource): Promise<PageOrigin | null>;
};
