import { ARCHIVE_LIMITS, type ArchiveFile, ArchiveRefused } from '../archives/archive-limits.ts';
import { readArchive, unpackGzipFile } from '../archives/read-archive.ts';
import type { RegistryRequests, Release, ReleaseArchive } from '../registries/registry-types.ts';

/** An archive of a release as it was downloaded. */
export type PackedRelease = { archive: ReleaseArchive; body: Buffer };

type DownloadDeps = { requests: RegistryRequests; signal: AbortSignal };

/** Downloads the archive of a kind; null if there is none. */
export async function downloadArchive(
  release: Release,
  wanted: ReleaseArchive['kind'],
  { requests, signal }: DownloadDeps,
): Promise<PackedRelease | null> {
  const archive = release.archives.find(({ kind }) => kind === wanted);
  if (archive === undefined) return null;
  const { url, authorization } = archive;
  const { packedBytesMax: bytesMax } = ARCHIVE_LIMITS;
  const { status, body } = await requests.get({ url, authorization, signal, bytesMax });
  if (status === 404) return null;
  if (status !== 200) throw new Error(`${new URL(url).host} answered ${status}`);
  return { archive, body };
}

/** Reads the chosen files of a package, by their paths without the folders that a registry puts around it. */
export async function unpackRelease(
  release: Release,
  { archive, body }: PackedRelease,
  keeps: (path: string) => boolean,
): Promise<ArchiveFile[]> {
  const file = new URL(archive.url).pathname.split('/').at(-1) ?? archive.url;
  const name = `${release.name} ${release.version} (${file})`;
  const strip = createStripper(release, archive);
  const bytes = release.ecosystem === 'gem' ? await unpackGem(body, file) : body;
  const files = await readArchive(bytes, { name, keeps: (path) => keeps(strip(path)) });
  return files.map((one) => ({ path: strip(one.path), bytes: one.bytes }));
}

/** A gem is a tar with the package in a tar.gz (https://guides.rubygems.org/gems-with-extensions/). */
async function unpackGem(body: Buffer, name: string): Promise<Uint8Array> {
  const limits = { fileBytesMax: ARCHIVE_LIMITS.packedBytesMax };
  const [data] = await readArchive(body, { name, limits, keeps: (path) => path === 'data.tar.gz' });
  if (data === undefined) throw new ArchiveRefused(`${name} is damaged: it has no data.tar.gz`);
  return unpackGzipFile(data.bytes, { name, bytesMax: ARCHIVE_LIMITS.unpackedBytesMax });
}

function createStripper(
  { ecosystem, name, version }: Release,
  { kind, url }: ReleaseArchive,
): (path: string) => string {
  if (ecosystem === 'go') {
    const prefix = `${name}@${version}/`;
    return (path) => (path.startsWith(prefix) ? path.slice(prefix.length) : path);
  }
  const isFlat =
    kind !== 'package' || ecosystem === 'gem' || ecosystem === 'pub' || /\.whl(?:$|[?#])/.test(url);
  return isFlat ? (path) => path : (path) => path.slice(path.indexOf('/') + 1);
}
