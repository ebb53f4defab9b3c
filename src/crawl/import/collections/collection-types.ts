import type { PageOrigin } from '../../../index/local-index-types.ts';
import type { ByteSource } from '../bytes/byte-source.ts';
import type { FileFormat, RecordPlace, SourcePage } from '../formats/format-types.ts';

/** A place in a collection: a file by its name, and a place in it. `stamp` changes when the file changes. */
export type SourcePlace = { file: string; stamp: string; at: RecordPlace | null };

/** A record of a collection, and the place behind it; `position`: bytes read, over all files. */
export type CollectedRecord = {
  after: SourcePlace;
  position: number;
  /** True if the page is imported even if it nearly repeats another. */
  keepsCopies?: boolean;
} & ({ page: SourcePage } | { where: string; problem: string });

/** A file of a collection. */
export type CollectedFile = {
  /** The name in the collection, the same each time. */
  name: string;
  stamp: string;
  /** Null: unknown until the file is opened. */
  size: number | null;
  /** The address of the page, if the file is one page. */
  url: string;
  /** Null: the format is not supported, or `problem` says why the file cannot be read. */
  format: FileFormat | null;
  problem?: string;
  open(): Promise<ByteSource>;
};

/** The files that an import reads, in a stable order. */
export type Collection = {
  /** Name shown to people. */
  name: string;
  /** Null: unknown. */
  bytesTotal: number | null;
  origin: PageOrigin | null;
  /** Iterates from a file on (null: the first), or from the next one if it is gone. */
  files(from: string | null): AsyncIterable<CollectedFile>;
};
