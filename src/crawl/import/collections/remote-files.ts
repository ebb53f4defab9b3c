import { basename } from 'node:path';
import { openRemoteBytes, type RemoteDeps } from '../bytes/remote-bytes.ts';
import { findFileFormat } from '../formats/formats.ts';
import type { CollectedFile, Collection } from './collection-types.ts';

/** Maximum files that one address can stand for. */
const FILES_MAX = 10_000;
const RANGE = /\{(\d{1,6})\.\.(\d{1,6})\}/;

/** Opens a file on the web, or many whose addresses differ in a number: `https://example.org/part-{000..049}.parquet`. */
export async function openRemoteFiles(address: string, deps: RemoteDeps): Promise<Collection> {
  const urls = expandAddress(address);
  const openRemoteFile = async (url: string): Promise<CollectedFile> => {
    const format = findFileFormat(new URL(url).pathname);
    const common = { name: url, url, format };
    // Requesting one byte shows whether the file is unchanged.
    const source = await openRemoteBytes(url, deps);
    return { ...common, stamp: source.stamp, size: source.size, open: async () => source };
  };
  return {
    name: basename(new URL(address).pathname) || address,
    bytesTotal: urls.length === 1 ? ((await openRemoteFile(urls[0] ?? address)).size ?? null) : null,
    origin: null,
    async *files(from) {
      const first = from === null ? 0 : Math.max(0, urls.indexOf(from));
      for (const url of urls.slice(first))
        yield await openRemoteFile(url).catch((error: Error) => buildMissingFile(url, error));
    },
  };
}

/** Builds an entry for a file that cannot be opened, so that the others are still imported. */
function buildMissingFile(url: string, error: Error): CollectedFile {
  return {
    name: url,
    url,
    stamp: '',
    size: null,
    format: null,
    problem: error.message,
    open: () => Promise.reject(error),
  };
}

function expandAddress(address: string): string[] {
  const range = RANGE.exec(address);
  if (range === null) return [address];
  const [whole, first = '', last = ''] = range;
  const count = Number(last) - Number(first) + 1;
  if (count < 1 || count > FILES_MAX) throw new Error(`${whole}: must name 1 to ${FILES_MAX} files`);
  return Array.from({ length: count }, (_, at) =>
    address.replace(whole, String(Number(first) + at).padStart(first.length, '0')),
  );
}
