/**
 * Where each ecosystem's registry is, by the settings of its own client: files in the home folder and beside the project, and
 * variables. Flags come before them. Hosts that these settings name are the operator's, so that they may be private.
 */
import { join } from 'node:path';
import { parse as parseToml } from 'smol-toml';
import { ECOSYSTEMS, type Ecosystem, UnusableRequest } from '../../library-types.ts';
import { splitLines, toFields, toText } from '../../projects/lock-reader.ts';
import { findElements, parseXml, readElementText } from '../../xml-element.ts';
import type { RegistryPlace } from '../registry-types.ts';

export type NpmSettings = { main: RegistryPlace; scopes: ReadonlyMap<string, RegistryPlace> };

export type GoSettings = { proxies: RegistryPlace[]; isPrivate(name: string): boolean };

export type RegistrySettings = {
  npm: NpmSettings;
  /** In the order in which they are asked. */
  pypi: RegistryPlace[];
  crates: RegistryPlace;
  go: GoSettings;
  maven: RegistryPlace[];
  gem: RegistryPlace;
  composer: RegistryPlace;
  pub: RegistryPlace;
  /** Hosts with their ports that the operator named. */
  namedHosts: ReadonlySet<string>;
};

const PUBLIC: Record<Ecosystem, string> = {
  npm: 'https://registry.npmjs.org',
  pypi: 'https://pypi.org/simple',
  crates: 'https://index.crates.io',
  go: 'https://proxy.golang.org',
  maven: 'https://repo.maven.apache.org/maven2',
  gem: 'https://rubygems.org',
  composer: 'https://repo.packagist.org',
  pub: 'https://pub.dev',
};
/** The same registries under other names. */
const ALSO_PUBLIC = new Set([
  ...Object.values(PUBLIC),
  'https://registry.yarnpkg.com',
  'https://repo1.maven.org/maven2',
  'https://pypi.python.org/simple',
]);

type SettingsSources = {
  env: Readonly<Record<string, string | undefined>>;
  home: string;
  /** Folder of the project, whose settings count before those of the home folder. */
  folder: string;
  /** Reads a file; null if there is none. */
  readFile(path: string): string | null;
  /** Addresses of registries by flags; a user name and a password may stand in them. */
  flags: ReadonlyMap<Ecosystem, string>;
  /** Further hosts that may be private, such as one that serves the archives of a mirror. */
  trustedHosts: readonly string[];
};

/** Reads the settings of all clients. Throws if a flag names no address. */
export function readRegistrySettings(sources: SettingsSources): RegistrySettings {
  const named = new Set(sources.trustedHosts);
  const netrc = readNetrc(sources);
  const place = (address: string, authorization: string | null = null): RegistryPlace =>
    toPlace(address, { authorization, netrc, named });
  const placeFor = (ecosystem: Ecosystem, address: string | undefined): RegistryPlace =>
    address === undefined || address === '' ? place(PUBLIC[ecosystem]) : nameHost(place(address), named);
  const flag = (ecosystem: Ecosystem): string | undefined => sources.flags.get(ecosystem);
  const { env } = sources;
  const npm = readNpm(sources, { place, named });
  return {
    npm,
    pypi: readPypi(sources, (address) => placeFor('pypi', address)),
    crates: readCargo(sources, (address, authorization) =>
      address === undefined ? place(PUBLIC.crates) : nameHost(place(address, authorization), named),
    ),
    go: readGo(sources, (address) => placeFor('go', address)),
    maven: readMaven(sources, (address, authorization) =>
      address === undefined ? place(PUBLIC.maven) : nameHost(place(address, authorization), named),
    ),
    gem: placeFor('gem', flag('gem') ?? env['BUNDLE_MIRROR__HTTPS://RUBYGEMS__ORG/']),
    composer: placeFor('composer', flag('composer')),
    pub: placeFor('pub', flag('pub') ?? env.PUB_HOSTED_URL),
    namedHosts: named,
  };
}

type PlaceContext = {
  authorization: string | null;
  netrc: ReadonlyMap<string, string>;
  named: Set<string>;
};

/** Takes a user name and a password out of an address. Throws if it is none. */
function toPlace(address: string, { authorization, netrc }: PlaceContext): RegistryPlace {
  const url = URL.parse(address.replace(/^sparse\+/, '').trim());
  if (url === null || !/^https?:$/.test(url.protocol))
    throw new UnusableRequest(`${address.replace(/\/\/[^@/]*@/, '//')}: is not the address of a registry`);
  const own =
    url.username === ''
      ? null
      : buildBasic(decodeURIComponent(url.username), decodeURIComponent(url.password));
  url.username = '';
  url.password = '';
  const base = url.href.replace(/(?<!\/)\/+$/, '');
  return {
    base,
    authorization: authorization ?? own ?? netrc.get(url.hostname) ?? null,
    isPublic: ALSO_PUBLIC.has(base),
  };
}

function nameHost(place: RegistryPlace, named: Set<string>): RegistryPlace {
  named.add(new URL(place.base).host);
  return place;
}

const buildBasic = (user: string, password: string): string =>
  `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}`;

/** https://www.gnu.org/software/inetutils/manual/html_node/The-_002enetrc-file.html, which pip and go use. */
function readNetrc({ env, home, readFile }: SettingsSources): Map<string, string> {
  const words = (readFile(env.NETRC ?? join(home, '.netrc')) ?? '').split(/\s+/);
  const found = new Map<string, string>();
  for (const [at, word] of words.entries()) {
    if (word !== 'machine') continue;
    const end = words.indexOf('machine', at + 1);
    const own = words.slice(at, end === -1 ? undefined : end);
    const pick = (name: string): string | undefined => own[own.indexOf(name) + 1];
    const [host, login, password] = [own[1], pick('login'), pick('password')];
    if (host !== undefined && own.includes('login') && login !== undefined)
      found.set(host, buildBasic(login, own.includes('password') ? (password ?? '') : ''));
  }
  return found;
}

/** Reads `name = value` lines; the first of several files that sets a name wins. */
function readLines(texts: readonly (string | null)[]): Map<string, string> {
  const found = new Map<string, string>();
  for (const text of texts) {
    for (const line of splitLines(text ?? '')) {
      const [, name = '', value = ''] = /^\s*([^#;[\s=][^=]*?)\s*=\s*(.*?)\s*$/.exec(line) ?? [];
      if (name !== '' && !found.has(name)) found.set(name, value.replace(/^(["'])(.*)\1$/, '$2'));
    }
  }
  return found;
}

/** https://docs.npmjs.com/cli/v11/configuring-npm/npmrc */
function readNpm(
  { env, home, folder, readFile, flags }: SettingsSources,
  {
    place,
    named,
  }: { place(address: string, authorization: string | null): RegistryPlace; named: Set<string> },
): NpmSettings {
  const stated = readLines([
    readFile(join(folder, '.npmrc')),
    readFile(env.NPM_CONFIG_USERCONFIG ?? env.npm_config_userconfig ?? join(home, '.npmrc')),
  ]);
  const fill = (value: string): string =>
    value.replace(/\$\{([^${}]+)\}/g, (whole, name: string) => env[name.replace(/\?$/, '')] ?? whole);
  const findAuthorization = (address: string): string | null => {
    let path = `//${address.replace(/^https?:\/\//, '')}`;
    for (; path.length > 2; path = path.replace(/\/[^/]*\/?$/, '')) {
      const pick = (name: string): string | undefined => {
        const value = stated.get(`${path}/:${name}`) ?? stated.get(`${path}:${name}`);
        return value === undefined ? undefined : fill(value);
      };
      const [token, auth, user, password] = [
        pick('_authToken'),
        pick('_auth'),
        pick('username'),
        pick('_password'),
      ];
      if (token !== undefined) return `Bearer ${token}`;
      if (auth !== undefined) return `Basic ${auth}`;
      if (user !== undefined && password !== undefined)
        return buildBasic(user, Buffer.from(password, 'base64').toString());
      if (!path.slice(2).includes('/')) break;
    }
    return null;
  };
  const open = (address: string): RegistryPlace => {
    const base = fill(address).replace(/(?<!\/)\/+$/, '');
    return nameHost(place(base, findAuthorization(base)), named);
  };
  const main =
    flags.get('npm') ?? env.npm_config_registry ?? env.NPM_CONFIG_REGISTRY ?? stated.get('registry') ?? null;
  const scopes = [...stated].flatMap(([name, address]) => {
    const scope = /^(@[^:]+):registry$/.exec(name)?.[1];
    return scope === undefined ? [] : [[scope, open(address)] as const];
  });
  return {
    main: main === null ? place(PUBLIC.npm, findAuthorization(PUBLIC.npm)) : open(main),
    scopes: new Map(scopes),
  };
}

/** https://pip.pypa.io/en/stable/topics/configuration/; uv has variables of its own. */
function readPypi(
  { env, home, readFile, flags }: SettingsSources,
  open: (address?: string) => RegistryPlace,
): RegistryPlace[] {
  const stated = readLines(
    [
      env.PIP_CONFIG_FILE,
      join(env.XDG_CONFIG_HOME ?? join(home, '.config'), 'pip', 'pip.conf'),
      join(home, '.pip', 'pip.conf'),
      '/etc/pip.conf',
    ].map((path) => (path === undefined || path === '' ? null : readFile(path))),
  );
  const main =
    flags.get('pypi') ??
    env.PIP_INDEX_URL ??
    env.UV_DEFAULT_INDEX ??
    env.UV_INDEX_URL ??
    stated.get('index-url') ??
    stated.get('index_url');
  const extra = env.PIP_EXTRA_INDEX_URL ?? env.UV_INDEX ?? stated.get('extra-index-url') ?? '';
  const more = flags.has('pypi') ? [] : extra.split(/\s+/).filter((address) => address !== '');
  // `name=address` is how uv names an index.
  return [open(main), ...more.map((address) => open(address.replace(/^[\w-]+=(?=https?:)/, '')))];
}

/** https://doc.rust-lang.org/cargo/reference/source-replacement.html; only registries of the sparse protocol are asked. */
function readCargo(
  { env, home, folder, readFile, flags }: SettingsSources,
  open: (address: string | undefined, authorization: string | null) => RegistryPlace,
): RegistryPlace {
  const flag = flags.get('crates');
  if (flag !== undefined) return open(flag, null);
  const cargoHome = env.CARGO_HOME ?? join(home, '.cargo');
  const [own, shared, credentials] = [
    join(folder, '.cargo', 'config.toml'),
    join(cargoHome, 'config.toml'),
    join(cargoHome, 'credentials.toml'),
  ].map((path) => toFields(parseToml(readFile(path) ?? '')));
  const sources = { ...toFields(shared?.source), ...toFields(own?.source) };
  const registries = { ...toFields(shared?.registries), ...toFields(own?.registries) };
  const replaced = toText(toFields(sources['crates-io'])['replace-with']);
  if (replaced === null) return open(undefined, null);
  const address =
    toText(toFields(sources[replaced]).registry) ?? toText(toFields(registries[replaced]).index) ?? '';
  // Indexes in git and local folders are not asked.
  if (!/^(?:sparse\+)?https?:/.test(address)) return open(undefined, null);
  const variable = `CARGO_REGISTRIES_${replaced.toUpperCase().replaceAll('-', '_')}_TOKEN`;
  const token = env[variable] ?? toText(toFields(toFields(credentials?.registries)[replaced]).token) ?? null;
  return open(address, token);
}

/** https://go.dev/ref/mod#environment-variables */
function readGo(
  { env, home, readFile, flags }: SettingsSources,
  open: (address?: string) => RegistryPlace,
): GoSettings {
  const file = readLines([
    readFile(env.GOENV ?? join(env.XDG_CONFIG_HOME ?? join(home, '.config'), 'go', 'env')),
  ]);
  const stated = flags.get('go') ?? env.GOPROXY ?? file.get('GOPROXY') ?? '';
  const listed = stated.split(/[,|]/).map((one) => one.trim());
  const proxies = listed
    .filter((one) => /^https?:/.test(one))
    .map((one) => (one === PUBLIC.go && !flags.has('go') ? open() : open(one)));
  const patterns = (env.GONOPROXY ?? env.GOPRIVATE ?? file.get('GONOPROXY') ?? file.get('GOPRIVATE') ?? '')
    .split(',')
    .filter((pattern) => pattern !== '');
  const isOff = stated !== '' && proxies.length === 0 && listed.includes('off');
  return {
    proxies: proxies.length === 0 && !isOff ? [open()] : proxies,
    isPrivate: (name) => patterns.some((pattern) => matchesModule(pattern, name)),
  };
}

/** A pattern such as `*.corp.example.org,example.org/private` matches the first segments of a module's path. */
function matchesModule(pattern: string, name: string): boolean {
  const wanted = pattern.split('/');
  const given = name.split('/');
  return wanted.every((segment, at) => {
    const part = given[at];
    if (part === undefined) return false;
    const [start = '', ...rest] = segment.split('*');
    if (rest.length === 0) return part === segment;
    const end = rest.at(-1) ?? '';
    return part.length >= start.length + end.length && part.startsWith(start) && part.endsWith(end);
  });
}

/** https://maven.apache.org/settings.html: mirrors, repositories of profiles, and the passwords of servers. */
function readMaven(
  { home, readFile, flags }: SettingsSources,
  open: (address: string | undefined, authorization: string | null) => RegistryPlace,
): RegistryPlace[] {
  const flag = flags.get('maven');
  if (flag !== undefined) return [open(flag, null)];
  const settings = parseXml(readFile(join(home, '.m2', 'settings.xml')) ?? '');
  const servers = new Map(
    findElements(settings, 'servers', 'server').map((server) => [
      readElementText(server, 'id'),
      buildBasic(readElementText(server, 'username') ?? '', readElementText(server, 'password') ?? ''),
    ]),
  );
  const repositories = findElements(settings, 'profiles', 'profile', 'repositories', 'repository');
  const mirrors = findElements(settings, 'mirrors', 'mirror').filter((mirror) =>
    /(?:^|,)\s*(?:\*|central|external:\*)/.test(readElementText(mirror, 'mirrorOf') ?? ''),
  );
  const places = [...mirrors, ...repositories].flatMap((one) => {
    const address = readElementText(one, 'url');
    if (address === null || !/^https?:/.test(address)) return [];
    return [open(address, servers.get(readElementText(one, 'id')) ?? null)];
  });
  return mirrors.length > 0 ? places : [...places, open(undefined, null)];
}

/** Parses the flags `--registry npm=https://…`. Throws for an ecosystem that there is not. */
export function parseRegistryFlags(flags: readonly string[]): Map<Ecosystem, string> {
  return new Map(
    flags.map((flag) => {
      const [, name, address = ''] = /^([a-z]+)=(.+)$/.exec(flag) ?? [];
      const ecosystem = ECOSYSTEMS.find((one) => one === name);
      if (ecosystem === undefined)
        throw new UnusableRequest(
          `--registry ${flag}: must be like npm=https://npm.example.org; one of ${ECOSYSTEMS.join(', ')}`,
        );
      return [ecosystem, address];
    }),
  );
}
