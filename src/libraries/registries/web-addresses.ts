const LARGE_HOST = /^(?:github\.com|codeberg\.org|bitbucket\.org)$/;
const SHORT_HOSTS: Record<string, string> = {
  github: 'https://github.com',
  gitlab: 'https://gitlab.com',
  bitbucket: 'https://bitbucket.org',
  gist: 'https://gist.github.com',
};

/** Returns a web address without secrets and fragment, or null. */
export function toWebPage(text: unknown): string | null {
  const url = typeof text === 'string' ? URL.parse(text.trim()) : null;
  if (url === null || !/^https?:$/.test(url.protocol) || url.hostname === '') return null;
  url.username = '';
  url.password = '';
  url.hash = '';
  return url.href;
}

/**
 * Converts the address of a repository as package files spell it (`git+https://…​.git`, `git@host:owner/name`, `scm:git:…`,
 * `github:owner/name`, `owner/name`) to its web address, without a path within it; null if it is none.
 */
export function toRepository(text: unknown): string | null {
  if (typeof text !== 'string') return null;
  const plain = text
    .trim()
    .replace(/^scm:(?:git|svn|hg):/, '')
    .replace(/^git\+/, '');
  const short = /^(?:(github|gitlab|bitbucket|gist):)?([\w.-]+\/[\w.-]+)(?:#.*)?$/.exec(plain);
  if (short !== null) return `${SHORT_HOSTS[short[1] ?? 'github']}/${short[2]?.replace(/\.git$/, '')}`;
  const scp = /^(?:ssh:\/\/)?(?:[\w.-]+@)([\w.-]+)[:/](?!\/)(.+)$/.exec(plain);
  const url =
    scp === null
      ? URL.parse(plain.replace(/^(?:git|ssh):\/\//, 'https://'))
      : URL.parse(`https://${scp[1]}/${scp[2]}`);
  if (url === null || !/^https?:$/.test(url.protocol)) return null;
  const path = url.pathname.replace(/(?<!\/)\/+$/, '').replace(/\.git$/, '');
  const host = url.host.replace(/^www\./, '');
  const isLarge = LARGE_HOST.test(host);
  // Code hosts show folders below the repository.
  const own = isLarge
    ? path.split('/').slice(0, 3).join('/')
    : (path.split(/\/(?:-|tree|blob|src)\//, 1)[0] ?? '');
  if (own.split('/').length < 3) return null;
  // Old packages name the large hosts without TLS.
  return `${isLarge ? 'https:' : url.protocol}//${host}${own}`;
}
