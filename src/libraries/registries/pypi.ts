import { type Fields, toFields, toList, toText } from '../projects/lock-reader.ts';
import { normalizePythonName } from '../projects/python-locks.ts';
import { choosePythonVersion } from './choose-version.ts';
import {
  chooseAuthorization,
  getJson,
  getText,
  LibraryMissing,
  type Registry,
  type RegistryPlace,
  type RegistryRequests,
  type Release,
  type ReleaseArchive,
} from './registry-types.ts';
import { toRepository, toWebPage } from './web-addresses.ts';

const SIMPLE_JSON = 'application/vnd.pypi.simple.v1+json, text/html; q=0.5';
const LICENCE_CHARS_MAX = 100;
const ARCHIVE_NAME = /\.(?:tar\.gz|tgz|zip|whl)$/;

/** https://docs.pypi.org/api/json/, and the simple interface (PEP 503, PEP 691) where an index has only that. */
export function createPypiRegistry(requests: RegistryRequests, places: readonly RegistryPlace[]): Registry {
  return {
    async resolve({ name, range }, signal) {
      for (const place of places) {
        const found = await readJson(requests, place, { name, range }, signal);
        if (found !== null && found.archives.length > 0) return found;
        // Mirrors often serve the JSON of the original, with addresses that lead nowhere.
        const query = { name, range: found?.version ?? range };
        const listed = await readSimple(requests, place, query, signal);
        if (found !== null) return { ...found, archives: listed?.archives ?? [] };
        if (listed !== null) return listed;
      }
      throw new LibraryMissing(`PyPI has no ${name}${range === null ? '' : ` ${range}`}`);
    },
  };
}

type Query = { name: string; range: string | null };

async function readJson(
  requests: RegistryRequests,
  place: RegistryPlace,
  { name, range }: Query,
  signal: AbortSignal,
): Promise<Release | null> {
  const { authorization } = place;
  const root = place.base.replace(/\/simple$/, '');
  const read = async (path: string): Promise<Fields | null> => {
    const answer = await getJson(requests, { url: `${root}/pypi/${path}/json`, authorization, signal });
    return answer === null ? null : toFields(answer);
  };
  const isExact = range !== null && /^\d+(?:\.\d+)+(?:[a-z]+\d*)?(?:\.?(?:post|dev)\d+)?$/.test(range);
  const direct = isExact ? await read(`${name}/${range}`) : null;
  if (direct !== null) return toRelease(direct, place);
  const all = await read(name);
  if (all === null) return null;
  const files = toFields(all.releases);
  const usable = Object.keys(files).filter((version) => {
    const list = toList(files[version]).map(toFields);
    return list.length > 0 && !list.every(({ yanked }) => yanked === true);
  });
  const newest = toText(toFields(all.info).version);
  const version = range === null && newest !== null ? newest : choosePythonVersion(usable, range);
  if (version === null) return null;
  const one = version === newest ? all : await read(`${name}/${version}`);
  return one === null ? null : toRelease(one, place);
}

function toRelease(answer: Fields, place: RegistryPlace): Release {
  const info = toFields(answer.info);
  const links = Object.entries(toFields(info.project_urls));
  const findLink = (pattern: RegExp): string | null =>
    links.map(([label, url]) => (pattern.test(label) ? toWebPage(url) : null)).find((url) => url !== null) ??
    null;
  const homepage = toWebPage(info.home_page) ?? findLink(/home/i);
  const description = toText(info.description);
  return {
    ecosystem: 'pypi',
    name: normalizePythonName(toText(info.name) ?? ''),
    version: toText(info.version) ?? '',
    licence: readLicence(info),
    homepage,
    repository: findRepository([
      ...links.map(([label, url]) => ({ label, url })),
      { label: 'home', url: info.home_page },
    ]),
    repositoryFolder: null,
    documentation: findLink(/doc/i) ?? toWebPage(info.docs_url) ?? homepage,
    archives: chooseArchives(
      toList(answer.urls).map((file) => toText(toFields(file).url) ?? ''),
      place,
    ),
    description:
      description === null
        ? null
        : { text: description, contentType: toText(info.description_content_type) ?? 'text/x-rst' },
    isPrivate: !place.isPublic,
  };
}

/** Old packages put the whole licence into this field; classifiers are the next best. */
function readLicence(info: Fields): string | null {
  const stated = toText(info.license_expression) ?? toText(info.license);
  if (stated !== null && stated.length <= LICENCE_CHARS_MAX && stated !== 'UNKNOWN') return stated;
  const classifier = toList(info.classifiers).find((one) => String(one).startsWith('License :: '));
  return classifier === undefined ? null : (String(classifier).split(' :: ').at(-1) ?? null);
}

function findRepository(links: { label: string; url: unknown }[]): string | null {
  const hosts = /^https?:\/\/(?:www\.)?(?:github\.com|gitlab\.\S+|codeberg\.org|bitbucket\.org)\//;
  const onHost = links.filter(({ url }) => typeof url === 'string' && hosts.test(url));
  const best = onHost.find(({ label }) => /source|repo|code|git/i.test(label)) ?? onHost[0];
  return best === undefined ? null : toRepository(best.url);
}

/** The source archive has the documentation; a wheel has the package only. */
function chooseArchives(files: readonly string[], place: RegistryPlace): ReleaseArchive[] {
  const usable = files.filter((url) => ARCHIVE_NAME.test(URL.parse(url)?.pathname ?? ''));
  const source = usable.find((url) => !/\.whl(?:[?#]|$)/.test(url));
  const url = source ?? usable.find((one) => /-none-any\.whl/.test(one)) ?? usable[0];
  return url === undefined ? [] : [{ kind: 'package', url, authorization: chooseAuthorization(url, place) }];
}

/** Reads an index that lists files only; everything else comes from the archive. */
async function readSimple(
  requests: RegistryRequests,
  place: RegistryPlace,
  { name, range }: Query,
  signal: AbortSignal,
): Promise<Release | null> {
  const { authorization, base, isPublic } = place;
  const address = `${base}/${name}/`;
  const text = await getText(requests, { url: address, authorization, accept: SIMPLE_JSON, signal });
  if (text === null) return null;
  const files = listFiles(text, address).flatMap((url) => {
    const version = readFileVersion(url, name);
    return version === null ? [] : [{ url, version }];
  });
  const version = choosePythonVersion([...new Set(files.map((file) => file.version))], range);
  if (version === null) return null;
  const own = files.filter((file) => file.version === version).map(({ url }) => url);
  return {
    ecosystem: 'pypi',
    name,
    version,
    licence: null,
    homepage: null,
    repository: null,
    repositoryFolder: null,
    documentation: null,
    archives: chooseArchives(own, place),
    description: null,
    isPrivate: !isPublic,
  };
}

function listFiles(text: string, address: string): string[] {
  const hrefs = text.trimStart().startsWith('{')
    ? toList(toFields(JSON.parse(text)).files).map((file) => toText(toFields(file).url) ?? '')
    : [...text.matchAll(/<a\s[^<>]*>/gi)].map(([tag]) =>
        (/\shref=["']([^"']+)["']/i.exec(tag)?.[1] ?? '').replaceAll('&amp;', '&'),
      );
  return hrefs.flatMap((href) => toWebPage(URL.parse(href, address)?.href) ?? []);
}

/** Reads the version from `name-1.2.3.tar.gz` or `name-1.2.3-py3-none-any.whl`. */
function readFileVersion(url: string, name: string): string | null {
  const file = decodeURIComponent(new URL(url).pathname.split('/').at(-1) ?? '');
  if (!ARCHIVE_NAME.test(file)) return null;
  const bare = file.replace(ARCHIVE_NAME, '');
  const normal = (text: string): string => text.toLowerCase().replace(/[-_.]+/g, '-');
  if (file.endsWith('.whl')) return bare.split('-')[1] ?? null;
  const rest = normal(bare).startsWith(`${normal(name)}-`) ? bare.slice(name.length + 1) : null;
  return rest !== null && /^\d/.test(rest) ? rest : null;
}
