import { glob, readdir, stat } from 'node:fs/promises';
import { basename, join, relative, resolve, sep } from 'node:path';
import { pathToFileURL } from 'node:url';
import { openFileBytes } from '../bytes/byte-source.ts';
import { findFileFormat } from '../formats/formats.ts';
import type { CollectedFile, Collection } from './collection-types.ts';
import { readRepositoryAddress } from './repository.ts';

/**
 * Opens a file, a folder with everything below it, or the files that match a pattern such as `shards/*.parquet`. A page's address is its
 * path below `baseUrl`; in a clone of a repository, its address on the code host; else its file: address.
 */
export async function openLocalFiles(path: string, baseUrl: string | null): Promise<Collection> {
  const { root, files } = await listFiles(path);
  const base = baseUrl ?? (root === null ? null : await readRepositoryAddress(root));
  const listed: (CollectedFile & { size: number })[] = [];
  for (const file of files) {
    const { size, mtimeMs } = await stat(file);
    const format = findFileFormat(file);
    // Files of other formats in a folder are skipped.
    if (format === null && files.length > 1) continue;
    const url = buildAddress(file, { root, base });
    const stamp = `${size}-${Math.round(mtimeMs)}`;
    listed.push({ name: resolve(file), stamp, size, url, format, open: () => openFileBytes(file) });
  }
  return {
    name: basename(resolve(path)),
    bytesTotal: listed.reduce((sum, { size }) => sum + size, 0),
    origin: null,
    async *files(from) {
      yield* from === null ? listed : listed.filter(({ name }) => name >= from);
    },
  };
}

async function listFiles(path: string): Promise<{ root: string | null; files: string[] }> {
  const found = await stat(path).catch(async (error: NodeJS.ErrnoException) => {
    if (error.code !== 'ENOENT' || !/[*?[{]/.test(path)) throw error;
    return null;
  });
  if (found?.isDirectory()) return { root: path, files: await listFilesBelow(path) };
  if (found !== null) return { root: null, files: [path] };
  const files: string[] = [];
  for await (const file of glob(path)) if ((await stat(file)).isFile()) files.push(file);
  if (files.length === 0) throw new Error(`no file is named ${path}`);
  return { root: null, files: files.map((file) => resolve(file)).sort() };
}

async function listFilesBelow(folder: string): Promise<string[]> {
  const names = await readdir(folder, { recursive: true, withFileTypes: true });
  return names
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .filter((file) => !relative(folder, file).split(sep).includes('.git'))
    .sort();
}

function buildAddress(file: string, { root, base }: { root: string | null; base: string | null }): string {
  if (base === null) return pathToFileURL(file).href;
  const path = root === null ? (file.split(sep).at(-1) ?? '') : relative(root, file).split(sep).join('/');
  return new URL(path.split('/').map(encodeURIComponent).join('/'), `${base.replace(/(?<!\/)\/+$/, '')}/`)
    .href;
}
