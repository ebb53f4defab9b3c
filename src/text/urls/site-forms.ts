/** An address on its way to its canonical form: the host includes a non-standard port, and the parameters are sorted. */
type AddressParts = {
  host: string;
  path: string;
  parameters: [name: string, value: string][];
  hashbang: string;
};

/** Returns the canonical form of an address of one site; null for an address of another site. */
type SiteForm = (parts: AddressParts) => AddressParts | null;

/** Applies the canonical form of the site that the address belongs to, if there is one. */
export function applySiteForm(parts: AddressParts): AddressParts {
  for (const form of FORMS) {
    const formed = form(parts);
    if (formed !== null) return formed;
  }
  return parts;
}

const buildAddress = (
  host: string,
  path: string,
  parameters: AddressParts['parameters'] = [],
): AddressParts => ({
  host,
  path,
  parameters,
  hashbang: '',
});

/** Maps the PDF, HTML, versions and mirrors of a preprint to arxiv.org/abs/2401.00001. */
const normalizeArxiv: SiteForm = ({ host, path }) => {
  const id =
    /^\/(?:abs|pdf|html|ps|format|e-print)\/((?:[a-z-]+(?:\.[a-z]{2})?\/\d{7})|\d{4}\.\d{4,5})(?:v\d+)?(?:\.pdf)?$/i;
  if (!/^(?:(?:export\.|ar5iv\.labs\.)?arxiv\.org|ar5iv\.org|alphaxiv\.org)$/.test(host)) return null;
  const found = id.exec(path)?.[1];
  return found === undefined ? null : buildAddress('arxiv.org', `/abs/${found.toLowerCase()}`);
};

/** DOIs are case-insensitive; those of arXiv name a preprint. */
const normalizeDoi: SiteForm = ({ host, path }) => {
  if (!/^(?:dx\.)?doi\.org$/.test(host) || !/^\/10\./.test(path)) return null;
  const name = path.slice(1).replaceAll(/%2f/gi, '/').toLowerCase();
  const preprint = /^10\.48550\/arxiv\.(.+?)(?:v\d+)?$/.exec(name)?.[1];
  return preprint === undefined
    ? buildAddress('doi.org', `/${name}`)
    : buildAddress('arxiv.org', `/abs/${preprint}`);
};

/** Maps the raw, blame and page addresses of a repository's file to one. */
const normalizeGithub: SiteForm = (parts) => {
  const { host, path, parameters } = parts;
  const raw = /^\/([^/]+)\/([^/]+)\/(?:refs\/(?:heads|tags)\/)?(.+)$/.exec(path);
  if (host === 'raw.githubusercontent.com' && raw !== null)
    return buildAddress('github.com', `/${toLower(raw[1])}/${toLower(raw[2])}/blob/${raw[3]}`);
  if (host !== 'github.com') return null;
  const file = /^\/([^/]+)\/([^/]+)\/(?:blob|raw|blame)\/(?:refs\/(?:heads|tags)\/)?(.+)$/.exec(path);
  if (file !== null) return buildAddress(host, `/${toLower(file[1])}/${toLower(file[2])}/blob/${file[3]}`);
  const repository = /^\/([^/]+)\/([^/]+?)(?:\.git)?(\/.*)?$/.exec(path);
  if (repository === null) return null;
  return {
    ...parts,
    path: `/${toLower(repository[1])}/${toLower(repository[2])}${repository[3] ?? ''}`,
    parameters,
  };
};

const normalizeGitlab: SiteForm = (parts) => {
  const file = /^(\/.+)\/-\/(?:blob|raw|blame)\/(.+)$/s.exec(parts.path);
  return file === null ? null : buildAddress(parts.host, `${file[1]}/-/blob/${file[2]}`);
};

/** Titles begin with a capital and have underscores for spaces; the long form of an address has the title in a parameter. */
const normalizeWiki: SiteForm = (parts) => {
  if (
    !/(?:^|\.)(?:wikipedia|wiktionary|wikibooks|wikiquote|wikisource|wikivoyage|wikiversity|wikinews)\.org$/.test(
      parts.host,
    )
  )
    return null;
  const named = parts.parameters.find(([name]) => name === 'title')?.[1];
  const isLong = parts.path === '/w/index.php' && named !== undefined && parts.parameters.length === 1;
  const escaped = /^\/(?:wiki|zh(?:-[a-z]+)?)\/(.+)$/.exec(parts.path)?.[1];
  const title = isLong ? named : escaped === undefined ? null : decodeSafely(escaped);
  if (title === null) return null;
  const even = title
    .trim()
    .replaceAll(/[\s_]+/g, '_')
    .replaceAll(/^_+|(?<!_)_+$/g, '');
  if (even === '') return null;
  const [first = '', ...rest] = even;
  return {
    ...parts,
    path: `/wiki/${encodeURIComponent(first.toUpperCase() + rest.join(''))}`,
    parameters: isLong ? [] : parts.parameters,
  };
};

/** The number alone identifies a question. */
const normalizeQuestion: SiteForm = (parts) => {
  if (
    !/(?:^|\.)(?:stackoverflow\.com|stackexchange\.com|superuser\.com|serverfault\.com|askubuntu\.com|mathoverflow\.net)$/.test(
      parts.host,
    )
  )
    return null;
  const number = /^\/(?:questions|q)\/(\d+)(?:\/.*)?$/.exec(parts.path)?.[1];
  return number === undefined ? null : buildAddress(parts.host, `/questions/${number}`);
};

const normalizeVideo: SiteForm = ({ host, path, parameters }) => {
  const short = host === 'youtu.be' ? /^\/([\w-]{6,})$/.exec(path)?.[1] : undefined;
  const isTube = /^(?:music\.)?youtube(?:-nocookie)?\.com$/.test(host);
  const watched = path === '/watch' ? parameters.find(([name]) => name === 'v')?.[1] : undefined;
  const video =
    short ?? (isTube ? (/^\/(?:embed|shorts|live|v)\/([\w-]{6,})$/.exec(path)?.[1] ?? watched) : undefined);
  return video === undefined ? null : buildAddress('youtube.com', '/watch', [['v', video]]);
};

/** Unwraps an address of an AMP cache: `/c/s/host/path` (s: secure). */
const unwrapAmp: SiteForm = ({ host, path, parameters }) => {
  const inGoogle = /^google\.[a-z.]+$/.test(host)
    ? /^\/amp\/(?:s\/)?([^/]+\.[^/]+)(\/.*)?$/s.exec(path)
    : null;
  const inCache = host.endsWith('.cdn.ampproject.org')
    ? /^\/[civ]\/(?:s\/)?([^/]+\.[^/]+)(\/.*)?$/s.exec(path)
    : null;
  const found = inGoogle ?? inCache;
  return found !== null && URL.canParse(`https://${found[1]}/`)
    ? buildAddress(toLower(found[1]), found[2] ?? '/', parameters)
    : null;
};

/** Alternative hosts of the same site. */
const RENAMED: Record<string, string> = {
  'old.reddit.com': 'reddit.com',
  'new.reddit.com': 'reddit.com',
  'np.reddit.com': 'reddit.com',
  'npmjs.org': 'npmjs.com',
  'twitter.com': 'x.com',
};
const renameHost: SiteForm = (parts) => {
  const host = Object.hasOwn(RENAMED, parts.host) ? RENAMED[parts.host] : undefined;
  return host === undefined ? null : { ...parts, host };
};

const FORMS: readonly SiteForm[] = [
  normalizeArxiv,
  normalizeDoi,
  normalizeGithub,
  normalizeGitlab,
  normalizeWiki,
  normalizeQuestion,
  normalizeVideo,
  unwrapAmp,
  renameHost,
];

const toLower = (text: string | undefined): string => (text ?? '').toLowerCase();

function decodeSafely(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
