import type { PageOrigin } from '../../../index/local-index-types.ts';
import type { ByteSource } from '../bytes/byte-source.ts';
import type { FileFormat, RecordPlace, SourcePage } from '../formats/format-types.ts';

/** A place in a collection: a file by its name, and a place in it. `stamp` tells whether the file is still the same. */
export type SourcePlace = { file: string; stamp: string; at: RecordPlace | null };

/** A record of a collection, and the place behind it; `position`: in bytes, over all files. */
export type CollectedRecord = {
  after: SourcePlace;
  position: number;
  /** Whether its page is wanted even if it nearly repeats another. */
  keepsCopies?: boolean;
} & ({ page: SourcePage } | { where: string; problem: string });

/** A file of a collection. */
export type CollectedFile = {
  /** Its name in the collection, the same each time. */
  name: string;
  stamp: string;
  /** Null: unknown until it is opened. */
  size: number | null;
  /** The address of its page, where it is one. */
  url: string;
  /** Null: of no format that can be read, or `problem` says why it cannot. */
  format: FileFormat | null;
  problem?: string;
  open(): Promise<ByteSource>;
};

/** What an import reads: files, in an order that stays the same. */
export type Collection = {
  /** For people. */
  name: string;
  /** Null: unknown. */
  bytesTotal: number | null;
  origin: PageOrigin | null;
  /** From a file on (null: the first), or from the first behind it where it is gone. */
  files(from: string | null): AsyncIterable<CollectedFile>;
};
