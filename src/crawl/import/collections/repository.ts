import { readFile } from 'node:fs/promises';
import { join } from 'node:path';

/** Path segment under which each code host shows the files of a branch. */
const FILES_OF_HOST: Record<string, string> = {
  'github.com': 'blob',
  'gitlab.com': '-/blob',
  'bitbucket.org': 'src',
  'codeberg.org': 'src/branch',
};

/** Reads the web address of a local clone's files from its remote and branch; null if the folder is no clone or the host is not known. */
export async function readRepositoryAddress(folder: string): Promise<string | null> {
  const config = await readFile(join(folder, '.git', 'config'), 'utf8').catch(() => null);
  const head = await readFile(join(folder, '.git', 'HEAD'), 'utf8').catch(() => null);
  if (config === null || head === null) return null;
  const remote = /^\[remote "origin"\]\n(?:[ \t].*\n)*?[ \t]*url\s?=\s?(\S+)/m.exec(`${config}\n`)?.[1];
  const branch = /^ref: refs\/heads\/(\S+)/.exec(head)?.[1] ?? head.trim();
  const address = remote === undefined ? null : toWebAddress(remote);
  const files = address === null ? undefined : FILES_OF_HOST[new URL(address).hostname];
  return files === undefined ? null : `${address}/${files}/${branch}`;
}

/** Converts `git@host:owner/name.git`, `ssh://git@host/owner/name` and `https://host/owner/name.git` to a web address. */
function toWebAddress(remote: string): string | null {
  const short = /^(?:[\w.-]+@)?([\w.-]+):(?!\/\/)(.+)$/.exec(remote);
  const url = short === null ? URL.parse(remote) : URL.parse(`https://${short[1]}/${short[2]}`);
  if (url === null || url.hostname === '') return null;
  return `https://${url.hostname}${url.pathname.replace(/\.git\/?$|\/$/, '')}`;
}
