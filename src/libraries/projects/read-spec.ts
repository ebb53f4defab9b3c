import { existsSync, statSync } from 'node:fs';
import { resolve } from 'node:path';
import { ECOSYSTEMS, type Ecosystem, UnusableRequest } from '../library-types.ts';
import { isProject } from './read-project.ts';

/** What `docs add` was asked for. */
type LibrarySpec =
  | { kind: 'project'; path: string }
  /** `range`: an exact version or a range; null: the newest. */
  | { kind: 'package'; ecosystem: Ecosystem; name: string; range: string | null }
  /** `tag`: null is the default branch. `folder`: null is the folder of the documentation. */
  | { kind: 'git'; address: string; tag: string | null; folder: string | null }
  | { kind: 'llms'; url: string }
  | { kind: 'folder'; path: string }
  | { kind: 'site'; url: string };

/** Everything but a project, which names many libraries. */
export type NamedSpec = Exclude<LibrarySpec, { kind: 'project' }>;

/** Names of ecosystems that people write otherwise. */
const ALIASES: Record<string, Ecosystem> = {
  node: 'npm',
  pip: 'pypi',
  python: 'pypi',
  cargo: 'crates',
  crate: 'crates',
  golang: 'go',
  mvn: 'maven',
  rubygems: 'gem',
  packagist: 'composer',
  dart: 'pub',
};
const EXAMPLES = 'npm:fastify@5, pypi:django, git:https://example.org/name#v1.0:docs, an address or a folder';

/** Names of packages in every registry; they become parts of addresses, so that nothing else may be in them. */
const NAMES: Record<Ecosystem, RegExp> = {
  npm: /^(?:@[a-z0-9~-][\w.~-]*\/)?[a-z0-9~-][\w.~-]*$/i,
  pypi: /^[a-z0-9](?:[\w.-]*[a-z0-9])?$/i,
  crates: /^[a-z][\w-]*$/i,
  go: /^[a-z0-9][\w.~-]*(?:\/[\w~-][\w.~-]*)*$/i,
  maven: /^[\w-][\w.-]*:[\w-][\w.-]*$/,
  gem: /^[\w-][\w.-]*$/,
  composer: /^[a-z0-9][\w.-]*\/[a-z0-9][\w.-]*$/i,
  pub: /^[a-z_]\w*$/i,
};
const NAME_CHARS_MAX = 214;

/** Returns whether a name can be that of a package; lock files are input too. */
export const isPackageName = (ecosystem: Ecosystem, name: string): boolean =>
  name.length <= NAME_CHARS_MAX && NAMES[ecosystem].test(name) && !name.split('/').includes('..');

/** Returns whether a text can be a version; it becomes a part of addresses too. */
export const isVersion = (text: string): boolean => /^[\w.+!~-]{1,200}$/.test(text) && !/^\.+$/.test(text);

/** Parses one argument of `docs add`. Throws with what can be written instead. */
export function readSpec(text: string): LibrarySpec {
  if (/^https?:\/\//i.test(text)) return readAddress(text);
  const [, prefix = '', rest = ''] = /^([a-z]+):(.+)$/i.exec(text) ?? [];
  if (prefix === 'git') return readRepository(rest);
  const ecosystem = ECOSYSTEMS.find((name) => name === prefix) ?? ALIASES[prefix];
  if (ecosystem !== undefined) return readPackage(ecosystem, rest);
  if (existsSync(text)) {
    const path = resolve(text);
    if (isProject(path)) return { kind: 'project', path };
    if (statSync(path).isDirectory()) return { kind: 'folder', path };
    throw new UnusableRequest(`${text}: is not a lock file that is known`);
  }
  throw new UnusableRequest(
    `${text}: is no folder, and does not say which registry it is of; write ${EXAMPLES}`,
  );
}

function readAddress(text: string): LibrarySpec {
  const url = URL.parse(text);
  if (url === null) throw new UnusableRequest(`${text}: is not an address`);
  return /\/llms(?:-full)?\.(?:txt|md)$/i.test(url.pathname)
    ? { kind: 'llms', url: url.href }
    : { kind: 'site', url: url.href };
}

/** `https://github.com/owner/name#v1.2.0:docs`; `#main` or nothing for a branch. */
function readRepository(text: string): LibrarySpec {
  const [place = '', fragment = ''] = text.split('#', 2);
  const address = URL.parse(/^https?:\/\//i.test(place) ? place : `https://${place}`);
  if (address === null || !/^https?:$/.test(address.protocol))
    throw new UnusableRequest(`git:${text}: must be like git:https://example.org/owner/name#v1.0:docs`);
  const [tag = '', folder = ''] = fragment.split(':', 2);
  return {
    kind: 'git',
    address: `${address.origin}${address.pathname.replace(/(?:\.git)?\/?$/, '')}`,
    tag: tag === '' ? null : tag,
    folder: folder.replace(/^\/+/, '').replace(/(?<!\/)\/+$/, '') || null,
  };
}

function readPackage(ecosystem: Ecosystem, text: string): LibrarySpec {
  const parts =
    ecosystem === 'maven'
      ? /^([^:@]+:[^:@]+)(?:[:@](.+))?$/.exec(text)
      : /^(@?[^@<>=~^!\s]+)(?:@(.+)|(\s*[<>=~^!].*))?$/.exec(text);
  const [, name = '', stated, compared] = parts ?? [];
  if (!isPackageName(ecosystem, name))
    throw new UnusableRequest(`${ecosystem}:${text}: is not the name of a package`);
  const range = (stated ?? compared ?? '').trim();
  return { kind: 'package', ecosystem, name, range: range === '' || range === 'latest' ? null : range };
}
