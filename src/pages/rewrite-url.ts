/**
 * Returns the addresses to read instead of a page's own, in order; the next is tried when one answers "not found". Null: the rule does
 * not apply.
 */
type Rule = (url: URL) => string[] | null;

/** Known Gitea and Forgejo hosts; blob pages on others are recognised by their paths. */
const GITEA_HOSTS = new Set([
  'codeberg.org',
  'gitea.com',
  'code.forgejo.org',
  'git.disroot.org',
  'notabug.org',
]);

/**
 * Returns the addresses from which to read the content of `url`, best first: raw files for the blob pages of code hosts, the HTML version
 * for the PDF of a preprint. The last is the page itself; an unknown address is returned alone.
 */
export function rewriteUrl(url: string): string[] {
  const parsed = new URL(url);
  for (const rule of RULES) {
    const found = rule(parsed);
    if (found !== null) return found;
  }
  return [url];
}

const RULES: Rule[] = [
  rewriteGitHub,
  rewriteGist,
  rewriteBitbucket,
  rewriteSourcehut,
  rewriteGitea,
  rewriteGitLab,
  rewriteOldGitLab,
  rewriteHuggingFace,
  rewriteArxiv,
  rewriteRxiv,
];

/** github.com/OWNER/REPO/blob/REF/PATH and its `raw` and `blame` views. */
function rewriteGitHub(url: URL): string[] | null {
  if (!isHost(url, 'github.com')) return null;
  const match = /^\/([^/]+)\/([^/]+)\/(?:blob|raw|blame)\/(.+)$/.exec(url.pathname);
  return match === null ? null : [`https://raw.githubusercontent.com/${match[1]}/${match[2]}/${match[3]}`];
}

/** gist.github.com/OWNER/ID; the raw address without a file name gives the first file. */
function rewriteGist(url: URL): string[] | null {
  if (url.hostname !== 'gist.github.com') return null;
  const match = /^\/([^/]+)\/([0-9a-f]{20,40}|\d{1,10})(?:\/([0-9a-f]{40}))?\/?$/.exec(url.pathname);
  if (match === null) return null;
  const revision = match[3] === undefined ? '' : `/${match[3]}`;
  return [`https://gist.githubusercontent.com/${match[1]}/${match[2]}/raw${revision}`, url.href];
}

/** bitbucket.org/OWNER/REPO/src/REF/PATH; a folder has the same form and answers "not found" as a raw file. */
function rewriteBitbucket(url: URL): string[] | null {
  if (!isHost(url, 'bitbucket.org')) return null;
  const match = /^\/([^/]+)\/([^/]+)\/(?:src|raw)\/([^/]+)\/(.+[^/])$/.exec(url.pathname);
  if (match === null) return null;
  return [`https://bitbucket.org/${match[1]}/${match[2]}/raw/${match[3]}/${match[4]}`, url.href];
}

/** git.sr.ht/~OWNER/REPO/tree/REF/item/PATH, where an item may be a folder. */
function rewriteSourcehut(url: URL): string[] | null {
  if (url.hostname !== 'git.sr.ht') return null;
  const match = /^(?=.*[^/]$)\/(~[^/]+)\/([^/]+)\/tree\/(.+?)\/item\/(..+)$/s.exec(url.pathname);
  if (match === null) return null;
  return [`https://git.sr.ht/${match[1]}/${match[2]}/blob/${match[3]}/${match[4]}`, url.href];
}

/** HOST/OWNER/REPO/src/branch|tag|commit/REF/PATH of Gitea and Forgejo, where the path may be a folder. */
function rewriteGitea(url: URL): string[] | null {
  const match = /^\/([^/]+)\/([^/]+)\/src\/(branch|tag|commit)\/([^/].*\/[^/]+)$/s.exec(url.pathname);
  if (match === null) return null;
  const raw = `${url.origin}/${match[1]}/${match[2]}/raw/${match[3]}/${match[4]}`;
  return GITEA_HOSTS.has(url.hostname) || hasFileEnding(url.pathname) ? [raw, url.href] : null;
}

/** HOST/GROUP/.../REPO/-/blob/REF/PATH of GitLab, its own site and others. */
function rewriteGitLab(url: URL): string[] | null {
  const match = /^(\/[^/]+\/.+?)\/-\/(?:blob|raw|blame)\/(.+)$/s.exec(url.pathname);
  return match === null ? null : [`${url.origin}${match[1]}/-/raw/${match[2]}`, url.href];
}

/** GITLAB/GROUP/.../REPO/blob/REF/PATH, the form before GitLab separated its own pages by `-`. */
function rewriteOldGitLab(url: URL): string[] | null {
  if (!url.hostname.startsWith('gitlab.')) return null;
  const match = /^(\/[^/]+\/.+?)\/(?:blob|raw|blame)\/(.+)$/s.exec(url.pathname);
  return match === null ? null : [`${url.origin}${match[1]}/-/raw/${match[2]}`, url.href];
}

/** huggingface.co/REPO/blob/REF/PATH, where a repository has one or two names and may be a data set or a space. */
function rewriteHuggingFace(url: URL): string[] | null {
  if (!isHost(url, 'huggingface.co') && url.hostname !== 'hf.co') return null;
  const match = /^((?:\/(?:datasets|spaces))?\/[^/]+(?:\/[^/]+)?)\/blob\/(.+)$/.exec(url.pathname);
  return match === null ? null : [`https://huggingface.co${match[1]}/raw/${match[2]}`, url.href];
}

/** biorxiv.org and medrxiv.org/content/ID.full.pdf; papers without a full text in HTML are read as their abstract page. */
function rewriteRxiv(url: URL): string[] | null {
  const host = ['biorxiv.org', 'medrxiv.org'].find((known) => isHost(url, known));
  const match = /^(\/content\/[^:]+)\.full\.pdf(?:\+html)?$/.exec(url.pathname);
  if (host === undefined || match === null) return null;
  return [`https://www.${host}${match[1]}.full`, `https://www.${host}${match[1]}`];
}

/** arxiv.org/pdf/ID; papers without an HTML version are read as their abstract page. */
function rewriteArxiv(url: URL): string[] | null {
  if (!isHost(url, 'arxiv.org') && url.hostname !== 'export.arxiv.org') return null;
  const match = /^\/pdf\/((?:\d{4}\.\d{4,5}|[a-z-]+(?:\.[A-Z]{2})?\/\d{7})(?:v\d+)?)(?:\.pdf)?\/?$/.exec(
    url.pathname,
  );
  return match === null ? null : [`https://arxiv.org/html/${match[1]}`, `https://arxiv.org/abs/${match[1]}`];
}

const isHost = (url: URL, host: string): boolean => url.hostname === host || url.hostname === `www.${host}`;

const hasFileEnding = (path: string): boolean => /\/[^/]*\.[A-Za-z0-9]{1,10}$/.test(path);
