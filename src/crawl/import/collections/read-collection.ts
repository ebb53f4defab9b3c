import type { PageOrigin } from '../../../index/local-index-types.ts';
import type { ByteSource } from '../bytes/byte-source.ts';
import type { ColumnMap } from '../formats/parquet/column-map.ts';
import type { CollectedFile, CollectedRecord, Collection, SourcePlace } from './collection-types.ts';

type ReadOptions = {
  from: SourcePlace | null;
  baseUrl: string | null;
  columns: ColumnMap | null;
  scratch: string;
  signal: AbortSignal;
};

/** The records of all files of a collection, one after another. Rejects for a file that is damaged, once its records up to there were given. */
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
    const origin = await originOf(file, source);
    const address = { baseUrl, file: file.url };
    const context = { from: from?.at ?? null, address, columns, scratch, signal };
    for await (const { after: at, ...found } of namingErrors(name, format.read(source, context))) {
      const after = { file: name, stamp, at };
      const record = { ...found, after, keepsCopies: format.keepsCopies ?? false };
      yield 'page' in record && origin !== null ? { ...record, page: { origin, ...record.page } } : record;
      if (signal.aborted) return;
    }
  } finally {
    await source.close();
  }
}

async function originOf({ name, format }: CollectedFile, source: ByteSource): Promise<PageOrigin | null> {
  try {
    return (await format?.originOf?.(source)) ?? null;
  } catch (error) {
    throw named(name, error);
  }
}

async function* namingErrors<T>(name: string, records: AsyncIterable<T>): AsyncGenerator<T> {
  try {
    yield* records;
  } catch (error) {
    throw named(name, error);
  }
}

/** Whatever a reader comes upon, the message says in which file. */
function named(name: string, error: unknown): Error {
  if (error instanceof Error && error.message.includes(name)) return error;
  return new Error(`${name}: ${error instanceof Error ? error.message : 'cannot be read'}`, { cause: error });
}

const UNKNOWN_FORMAT = 'is of no format that can be imported (sanderling import --help lists them all)';
