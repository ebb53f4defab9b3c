import { basename } from 'node:path';
import type { PageOrigin } from '../../../index/local-index-types.ts';
import type { ByteSource } from '../bytes/byte-reader.ts';
import type { FileFormat, RecordPlace, SourcePage } from '../formats/json-lines.ts';
import type { ColumnMap } from '../formats/parquet/column-map.ts';

/** A file of an import cannot be read; the message, meant for people, names the file and the reason. */
export class UnreadableFile extends Error {}

type ReadOptions = {
  from: SourcePlace | null;
  baseUrl: string | null;
  columns: ColumnMap | null;
  scratch: string;
  signal: AbortSignal;
};

/**
 * Yields the records of all files of a collection. Rejects with UnreadableFile if a file is damaged, after yielding the records before the
 * damage.
 */
export async function* readCollection(
  collection: Collection,
  options: ReadOptions,
): AsyncGenerator<CollectedRecord> {
  const { from } = options;
  let before = 0;
  for await (const file of collection.files(from?.file ?? null)) {
    if (options.signal.aborted) return;
    // A file that has changed since is read from its beginning.
    const isResumed = from !== null && from.file === file.name && from.stamp === file.stamp;
    if (isResumed && from.at === null) continue;
    for await (const record of readFile(file, isResumed ? from : null, options))
      yield { ...record, position: before + record.position };
    before += file.size ?? 0;
  }
}

async function* readFile(
  file: CollectedFile,
  from: SourcePlace | null,
  { baseUrl, columns, scratch, signal }: ReadOptions,
): AsyncGenerator<CollectedRecord> {
  const { name, stamp, format } = file;
  const done = { file: name, stamp, at: null };
  if (format === null) {
    yield { after: done, position: file.size ?? 0, where: name, problem: file.problem ?? UNKNOWN_FORMAT };
    return;
  }
  const source = await file.open();
  try {
    if (source.size === 0) {
      yield { after: done, position: 0, where: name, problem: 'is empty' };
      return;
    }
    const origin = await readOrigin(file, source);
    const address = { baseUrl, file: file.url };
    const context = { from: from?.at ?? null, address, columns, scratch, signal };
    for await (const { after: at, ...found } of wrapErrors(name, format.read(source, context))) {
      const after = { file: name, stamp, at };
      const record = {
        ...requireWebAddress(found, file.url),
        after,
        keepsCopies: format.keepsCopies ?? false,
      };
      yield 'page' in record && origin !== null ? { ...record, page: { origin, ...record.page } } : record;
      if (signal.aborted) return;
    }
  } finally {
    await source.close();
  }
}

type PageOrProblem = { page: SourcePage } | { where: string; problem: string };

/** Requires a web address or that of the file itself: links with other schemes, such as `javascript:`, could run or open anything. */
function requireWebAddress<Found extends PageOrProblem & { position: number }>(found: Found, ownUrl: string) {
  if (!('page' in found) || found.page.url === ownUrl || isWebAddress(found.page.url)) return found;
  const { url } = found.page;
  return { position: found.position, where: url, problem: 'has an address that is neither http nor https' };
}

const isWebAddress = (url: string): boolean => /^https?:$/.test(URL.parse(url)?.protocol ?? '');

/** Reads the origin that a file states for its corpus. Rejects with UnreadableFile. */
export async function readOrigin(
  { name, format }: Pick<CollectedFile, 'name' | 'format'>,
  source: ByteSource,
): Promise<PageOrigin | null> {
  try {
    return (await format?.originOf?.(source)) ?? null;
  } catch (error) {
    throw createUnreadableFile(name, error);
  }
}

async function* wrapErrors<T>(name: string, records: AsyncIterable<T>): AsyncGenerator<T> {
  try {
    yield* records;
  } catch (error) {
    throw createUnreadableFile(name, error);
  }
}

/** Creates an error whose message names the file. */
function createUnreadableFile(name: string, cause: unknown): UnreadableFile {
  const message = cause instanceof Error ? cause.message : 'cannot be read';
  return new UnreadableFile(message.includes(basename(name)) ? message : `${name}: ${message}`, { cause });
}

const UNKNOWN_FORMAT = 'is of no format that can be imported (sanderling import --help lists them all)';

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
