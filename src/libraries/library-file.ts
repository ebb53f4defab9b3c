/**
 * One file that carries libraries to a machine without a network: compressed JSON lines, a line for each library and below it one for each
 * of its pages. Reading it is adding what it has, by the same way as what was fetched: nothing of it is believed but names and texts.
 */
import { createReadStream, createWriteStream } from 'node:fs';
import { createInterface } from 'node:readline';
import { pipeline } from 'node:stream';
import { pipeline as runPipeline } from 'node:stream/promises';
import { createGunzip, createGzip } from 'node:zlib';
import * as z from 'zod';
import type { LocalIndex } from '../index/local-index-types.ts';
import type { Store } from '../platform/store/open-store.ts';
import { type KeepDeps, keepDocuments, toKey } from './fetch-library.ts';
import { addLibrary, formatKey, type LibraryKey, type LibraryRow, listPages } from './held/library-rows.ts';
import {
  ECOSYSTEMS,
  LIBRARY_KINDS,
  LIBRARY_PAGE_KINDS,
  LIBRARY_PAGE_SOURCES,
  UnusableRequest,
} from './library-types.ts';
import { isPackageName, isVersion, type NamedSpec } from './projects/read-spec.ts';
import { MARKDOWN, type SourceDocument } from './sources/source-document.ts';

/** Of all pages of one library, in memory while it is read. */
const CHARS_MAX = 100_000_000;
const TEXT_MAX = 4_000;

const shortText = z.string().max(TEXT_MAX);
const address = shortText.refine((text) => URL.canParse(text));
const LibraryLine = z.object({
  library: z.object({ ecosystem: z.enum(LIBRARY_KINDS), name: shortText.min(1), version: shortText.min(1) }),
  spec: shortText.nullable(),
  licence: shortText.nullable(),
  homepage: shortText.nullable(),
  repository: shortText.nullable(),
  isPrivate: z.boolean(),
});
const PageLine = z.object({
  url: address,
  kind: z.enum(LIBRARY_PAGE_KINDS),
  source: z.enum(LIBRARY_PAGE_SOURCES),
  title: shortText,
  markdown: z.string(),
});

type LibraryLine = z.output<typeof LibraryLine>;

/** Writes libraries with their pages; resolves to the number of pages. */
export async function writeLibraryFile(
  path: string,
  rows: readonly LibraryRow[],
  { store, index }: { store: Store; index: Pick<LocalIndex, 'get'> },
): Promise<number> {
  let count = 0;
  async function* writeLines(): AsyncGenerator<string> {
    for (const row of rows) {
      const { spec, licence, homepage, repository, is_private: isPrivate } = row;
      const head = { library: toKey(row), spec, licence, homepage, repository, isPrivate: isPrivate === 1 };
      yield `${JSON.stringify(head)}\n`;
      for (const { url, pageUrl, kind, source, title } of await listPages(store, row.id)) {
        const page = await index.get(pageUrl);
        if (page === null) continue;
        count += 1;
        yield `${JSON.stringify({ url, kind, source, title, markdown: page.markdown })}\n`;
      }
    }
  }
  await runPipeline(writeLines, createGzip(), createWriteStream(path, { mode: 0o600 }));
  return count;
}

/** Adds the libraries of a file; those that are held are replaced. Throws UnusableRequest for a file that is no such file. */
export async function readLibraryFile(
  path: string,
  deps: KeepDeps,
  { signal, onLibrary }: { signal: AbortSignal; onLibrary: (key: LibraryKey, pages: number) => void },
): Promise<void> {
  for await (const { head, documents } of readLibraries(path)) {
    signal.throwIfAborted();
    const { library, licence, homepage, repository, isPrivate } = head;
    const row = await addLibrary(deps.store, library, { spec: chooseSpec(head), now: deps.clock.now() });
    const facts = { licence, homepage, repository, isPrivate };
    const kept = await keepDocuments(row, { facts, documents, bytes: 0, notes: [] }, deps, {
      signal,
      onPages() {},
    });
    onLibrary(library, kept.pages);
  }
}

/** Without a project here that uses it, a library stays because it was asked for. */
function chooseSpec({ spec, library }: LibraryLine): string {
  if (spec !== null) return spec;
  const { name, version } = library;
  const ecosystem = ECOSYSTEMS.find((one) => one === library.ecosystem);
  if (ecosystem === undefined || !isPackageName(ecosystem, name) || !isVersion(version))
    throw new UnusableRequest(`${formatKey(library)}: is not the name and the version of a package`);
  return JSON.stringify({ kind: 'package', ecosystem, name, range: version } satisfies NamedSpec);
}

async function* readLibraries(
  path: string,
): AsyncGenerator<{ head: LibraryLine; documents: SourceDocument[] }> {
  let head: LibraryLine | null = null;
  let documents: SourceDocument[] = [];
  let chars = 0;
  for await (const line of readLines(path)) {
    const record = parseLine(line, path);
    if ('library' in record) {
      if (head !== null) yield { head, documents };
      [head, documents, chars] = [record, [], 0];
      continue;
    }
    const { url, kind, source, title, markdown } = record;
    chars += markdown.length;
    if (head === null || chars > CHARS_MAX) throw createFileFailure(path);
    const body = { bytes: new TextEncoder().encode(markdown), contentType: MARKDOWN };
    documents.push({ url, kind, source, title, body });
  }
  if (head === null) throw createFileFailure(path);
  yield { head, documents };
}

async function* readLines(path: string): AsyncGenerator<string> {
  // Destroyed with the failure of either, which the lines then end with.
  const unpacked = pipeline(createReadStream(path), createGunzip(), () => {});
  try {
    yield* createInterface({ input: unpacked, crlfDelay: Number.POSITIVE_INFINITY });
  } catch (error) {
    const isDamaged = (error as NodeJS.ErrnoException).code?.startsWith('Z_') === true;
    throw isDamaged ? createFileFailure(path, error as Error) : error;
  }
}

function parseLine(line: string, path: string): LibraryLine | z.output<typeof PageLine> {
  try {
    return z.union([LibraryLine, PageLine]).parse(JSON.parse(line));
  } catch (error) {
    if (error instanceof SyntaxError || error instanceof z.ZodError) throw createFileFailure(path, error);
    throw error;
  }
}

const createFileFailure = (path: string, cause?: Error): UnusableRequest =>
  new UnusableRequest(`${path}: was not written by sanderling docs export`, { cause });
