import type { ArchiveFile } from '../archives/archive-limits.ts';
import { ARCHIVE_LIMITS } from '../archives/archive-limits.ts';
import { readArchive } from '../archives/read-archive.ts';
import type { RegistryRequests } from '../registries/registry-types.ts';
import { classifyFile } from './classify-file.ts';

/** The documentation of a repository at one tag. */
type RepositoryFiles = {
  files: ArchiveFile[];
  tag: string;
  bytes: number;
  /** The web address of a file by its path in the repository. */
  addressOf(path: string): string;
};

/** How code hosts name the archive of a tag, and a file at it. */
type CodeHost = {
  archive(repository: URL, tag: string): string;
  file(repository: URL, tag: string, path: string): string;
};

const nameOf = ({ pathname }: URL): string => pathname.split('/').at(-1) ?? '';
const GITHUB: CodeHost = {
  archive: ({ pathname }, tag) => `https://codeload.github.com${pathname}/tar.gz/refs/tags/${tag}`,
  file: (repository, tag, path) => `${repository.href}/blob/${tag}/${path}`,
};
const GITLAB: CodeHost = {
  archive: (repository, tag) =>
    `${repository.href}/-/archive/${tag}/${nameOf(repository)}-${tag.replaceAll('/', '-')}.tar.gz`,
  file: (repository, tag, path) => `${repository.href}/-/blob/${tag}/${path}`,
};
const BITBUCKET: CodeHost = {
  archive: (repository, tag) => `${repository.href}/get/${tag}.tar.gz`,
  file: (repository, tag, path) => `${repository.href}/src/${tag}/${path}`,
};
/** Gitea and Forgejo, and what other hosts mostly understand. */
const GITEA: CodeHost = {
  archive: (repository, tag) => `${repository.href}/archive/${tag}.tar.gz`,
  file: (repository, tag, path) => `${repository.href}/src/tag/${tag}/${path}`,
};

function chooseHosts({ hostname }: URL): CodeHost[] {
  if (hostname === 'github.com') return [GITHUB];
  if (hostname === 'bitbucket.org') return [BITBUCKET];
  if (hostname.includes('gitlab')) return [GITLAB];
  return hostname === 'codeberg.org' ? [GITEA] : [GITEA, GITLAB];
}

type RepositoryRequest = {
  /** The web address of the repository. */
  repository: string;
  /** Tags or branches, tried in this order. */
  tags: readonly string[];
  /** Folder of the package in the repository; null: the whole repository. */
  folder: string | null;
};

type RepositoryDeps = { requests: RegistryRequests; signal: AbortSignal };

/** Downloads the archive of the first tag that there is; null if there is none. Rejects if it is refused or the host fails. */
export async function readRepository(
  { repository, tags, folder }: RepositoryRequest,
  { requests, signal }: RepositoryDeps,
): Promise<RepositoryFiles | null> {
  const place = new URL(repository);
  for (const tag of tags) {
    for (const host of chooseHosts(place)) {
      const encoded = tag.split('/').map(encodeURIComponent).join('/');
      const url = host.archive(place, encoded);
      const { status, body } = await requests.get({ url, signal, bytesMax: ARCHIVE_LIMITS.packedBytesMax });
      if (status !== 200) continue;
      const all = await readArchive(body, { name: url, keeps: isWorthKeeping });
      const files = chooseFolder(all.map(stripTop), folder);
      return {
        files,
        tag,
        bytes: body.length,
        addressOf: (path) => host.file(place, encoded, encodePath(path)),
      };
    }
  }
  return null;
}

/** Archives of code hosts have one top folder, whose name says nothing. */
const stripTop = ({ path, bytes }: ArchiveFile): ArchiveFile => ({
  path: path.slice(path.indexOf('/') + 1),
  bytes,
});

const isWorthKeeping = (path: string): boolean =>
  classifyFile(path.slice(path.indexOf('/') + 1)) !== null || /(?:^|\/)conf\.py$/.test(path);

/** Keeps the files of the package's own folder, and those of the whole repository if it has hardly any of its own. */
function chooseFolder(files: ArchiveFile[], folder: string | null): ArchiveFile[] {
  if (folder === null) return files;
  const prefix = `${folder.replace(/^\.?\//, '').replace(/(?<!\/)\/+$/, '')}/`;
  return files.filter(({ path }) => path.startsWith(prefix));
}

export const encodePath = (path: string): string => path.split('/').map(encodeURIComponent).join('/');

/** Lists the tags that a version of a package usually has, the most common first. */
export function listTags(name: string, version: string): string[] {
  const bare = name.split(/[/:]/).at(-1) ?? name;
  const plain = version.replace(/^v/, '');
  const short = /^(\d+\.\d+)\.0$/.exec(plain)?.[1];
  const tags = [
    ...[`v${plain}`, plain, `${name}@${plain}`, `${bare}@${plain}`, `${bare}-v${plain}`, `${bare}-${plain}`],
    ...[
      `${bare}-parent-${plain}`,
      `release-${plain}`,
      `rel_${plain.replaceAll('.', '_')}`,
      `${bare}/v${plain}`,
    ],
    ...(short === undefined ? [] : [`v${short}`, short]),
  ];
  return [...new Set(tags)];
}
